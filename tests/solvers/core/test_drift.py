"""Beliefs that grow a little each step, as rows sum to more than 1, at discounts next to 1."""

from fractions import Fraction

import numpy as np
import pytest

from solvers import Policy, SensingMDP, evaluate_fully


class Blind(Policy):
    def act(self, belief):
        return 0, False


@pytest.mark.parametrize("excess", [2.0**-52, 2.0**-51])
@pytest.mark.parametrize("fades", [5 * 2.0**-53, 2.0**-50, 2.0**-49, 2.0**-45])
def test_growth_over_many_rounds_is_in_the_error(excess, fades):
    """The belief counts as the same each step; what it grows by counts as (1 + ε)^r, not r ε."""
    T = np.array([[[1 + excess]]])
    problem = SensingMDP.from_arrays(T, [[1.0]], 1 - fades, 1.0)
    found = evaluate_fully(problem, Blind(problem))
    true = 1 / (1 - Fraction(problem.discount) * Fraction(1 + excess))
    off = abs(Fraction(found.values[0]) - true)
    assert off <= Fraction(found.error[0])
