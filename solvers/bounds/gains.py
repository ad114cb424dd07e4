"""The most that can be earned from each state: a part of every margin for rounding."""

from __future__ import annotations

import numpy as np

from solvers.core.budget import Budget
from solvers.core.model import SensingMDP
from solvers.kernels.value_sweeps import row_slip, sweep_most

SWEEPS, SETTLED = 50, 1e-3
"""Sweeps that tighten it, at most, and the share that one must lower a state by for another; any
number of them is valid."""


def largest_gain(problem: SensingMDP, budget: Budget | None = None) -> np.ndarray:
    """At least the most that can be earned from each state, costs left out: (S,).

    Sweeps from above stay above; a few of them make it follow each state's own size.
    """
    gains = np.maximum(-problem.costs, 0.0)
    if not gains.any():
        return np.zeros(problem.num_states)
    if budget is not None and budget.over():
        return np.where(problem.terminal, 0.0, gains.max() * problem.longest_stay * (1 + 1e-9))
    total = gains.max() * problem.expected_steps
    stacked = problem.stacked_transitions
    model = (*stacked, gains, np.array(problem.terminal), problem.discount)
    sweep_most(*model, row_slip(stacked[0]), total, SETTLED, SWEEPS)
    return total
