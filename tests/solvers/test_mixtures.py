import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers.mixtures import CHUNK, distinct_rows, mix, raise_by_mixtures, raise_from_below
from tests.solvers.brute_force import small_problems


@settings(max_examples=30, deadline=None)
@given(problem=small_problems(), seed=st.integers(0, 1000), w=st.sampled_from([2, 6, CHUNK + 2]))
def test_mixtures_are_the_plain_sums(problem, seed, w):
    rng = np.random.default_rng(seed)
    rows, row_of = distinct_rows(problem)
    R, A = rows.shape[0], problem.num_actions
    w = w // A * A
    ahead, looks = rng.normal(size=(2, R, w))
    of = row_of
    csr = (rows.indptr, rows.indices, rows.data)

    def plain(X):
        dense = rows.toarray()
        blocks = [dense @ X[of[:, b]] for b in range(A)]
        return np.concatenate(blocks, axis=1)

    assert mix(*csr, of, ahead) == pytest.approx(plain(ahead), abs=1e-12)
    W = np.full((R, w), -0.5)
    raise_by_mixtures(*csr, of, ahead, looks, W)
    both = np.minimum(plain(ahead), plain(looks)).reshape(R, -1, A).min(axis=2)
    assert pytest.approx(np.maximum(both, -0.5), abs=1e-12) == W
    W = np.full((R, w // A), -0.5)
    raise_from_below(ahead, looks, ahead, 0.5, W)
    least = np.minimum(ahead + 0.5 * looks, ahead).reshape(R, -1, A).min(axis=2)
    assert pytest.approx(np.maximum(least, -0.5), abs=1e-12) == W
