"""Always sense (AS): look after every action, and act as if looking were free.

At a belief b the policy plays ``argmin_a b Q*(a)`` and looks; on roots that is the optimal policy
of the baseline MDP.  It is optimal for M_k when k is below the threshold of Theorem 4.1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from solvers.core.baseline import lowest_argmin, solve_baseline, tie_tolerance
from solvers.core.model import SensingMDP
from solvers.core.policy import Policy
from solvers.core.solution import Solution
from solvers.core.solver import Budget, Solver


class AlwaysSensePolicy(Policy):
    """``(argmin_a b Q*(a), sense)`` at every belief."""

    def __init__(self, problem: SensingMDP) -> None:
        super().__init__(problem)
        self.V, self.Q = solve_baseline(problem)
        self.tolerance = tie_tolerance(problem)

    def act_batch(self, beliefs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        actions = lowest_argmin(beliefs @ self.Q, self.tolerance)
        return actions, np.ones(len(beliefs), bool)


@dataclass
class AlwaysSense(Solver):
    """The AS policy; V* of the baseline MDP, where looking is free, bounds the optimum below."""

    name = "always-sense"

    def solve(self, problem: SensingMDP, budget: Budget) -> Solution:
        policy = AlwaysSensePolicy(problem)
        return Solution(policy=policy, lower_bound=policy.V, iterations=1)
