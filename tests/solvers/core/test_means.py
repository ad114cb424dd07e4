"""A bound at every root is one under the start: means are rounded to the side that is safe."""

from fractions import Fraction

import numpy as np
import pytest

from solvers.core.means import mean_above, mean_below


def exact(start, values):
    return sum(Fraction(float(p)) * Fraction(float(x)) for p, x in zip(start, values, strict=True))


@pytest.mark.parametrize("seed", range(30))
def test_means_are_on_their_side_and_close(seed):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=200) * 10.0 ** rng.integers(-9, 9, 200)
    start = rng.dirichlet(np.full(200, 0.1))
    below, above, true = mean_below(start, values), mean_above(start, values), exact(start, values)
    assert Fraction(below) <= true <= Fraction(above)
    assert above - below <= 1e-12 * (start @ np.abs(values))


def test_many_small_chances_beside_few_large_ones():
    """Added to 1 one after the other, twenty thousand of them would leave no trace or too much."""
    start = np.concatenate([np.full(64, 1 / 64), np.full(20_000, 3.1 * 2**-53 / 64)])
    values = np.full(len(start), 1 - 3e-15)
    assert Fraction(mean_below(start, values)) <= exact(start, values)
    assert Fraction(mean_above(start, values)) >= exact(start, values)


def test_the_mean_of_one_root_is_its_value_and_the_unknown_others_do_not_count():
    start, values = np.array([0, 1.0, 0]), np.array([np.nan, 0.1, np.inf])
    assert mean_below(start, values) == mean_above(start, values) == 0.1
    assert mean_above(np.array([0.5, 0.5]), np.array([1.0, np.inf])) == np.inf
