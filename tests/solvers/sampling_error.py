"""How far a simulated mean may lie from the true one."""

import numpy as np

from solvers import SensingMDP
from solvers.core.simulation import Simulation

MISSED = 1e-5
"""Chance that a correct mean lies farther off."""


def sampling_error(problem: SensingMDP, found: Simulation) -> float:
    """The empirical Bernstein bound, and what cutting episodes off leaves out.

    The standard error alone is no bound: what is too rare to be seen in any episode adds nothing
    to it.
    """
    spread = np.ptp(np.append(problem.costs, 0)) + problem.max_sensing_cost  # of a step
    trust = np.log(3 / MISSED)
    seen = np.sqrt(2 * trust) * found.standard_error
    unseen = 3 * spread / (1 - problem.discount) * trust / found.episodes
    return seen + unseen + found.truncation
