import numpy as np

from solvers.kernels.equal_rows import equal_rows


def test_rows_are_equal_if_no_entry_differs_by_more_than_the_share():
    rng = np.random.default_rng(0)
    rows = rng.random((30, 12)) * (rng.random((30, 12)) < 0.5)
    rows[10:20] = rows[:10] * (1 + 1e-14)
    rows[20:30] = rows[:10]
    rows[20:30, 11] += 1e-6 * (1 + rows[20:30, 11])
    first, second = np.repeat(np.arange(30), 30), np.tile(np.arange(30), 30)
    x, y = rows[first], rows[second]
    expected = (np.abs(x - y) <= 1e-13 * np.minimum(x, y)).all(axis=1)
    assert (equal_rows(rows, first, second, 1e-13) == expected).all()
    assert (equal_rows(np.asfortranarray(rows), first, second, 1e-13) == expected).all()
    assert expected.sum() == 30 + 2 * 10
