"""What repeating one action blind for good costs, for a solver that may run out of time."""

from __future__ import annotations

import numpy as np

from solvers.core.budget import Budget
from solvers.core.model import SensingMDP

UNKNOWN = 1e300
"""Stands for a cost that was not computed: a plan that ends so is never chosen."""


def costs_for_good(problem: SensingMDP, budget: Budget, above: bool = False) -> np.ndarray:
    """The cost of repeating each action for good, (S, A): UNKNOWN for actions whose turn did not
    come within the budget.

    above : no number may be too low where the system is iterated, which takes longer
    """
    found = np.full(problem.costs.shape, UNKNOWN)
    for a in range(problem.num_actions):
        if budget.over():
            return found
        once = problem.repeated(a)
        found[:, a] = np.minimum(once.above, UNKNOWN) if above else once.values
    return found
