"""Always sense (AS): look after every action, and act as if looking were free.

At a belief b the policy plays ``argmin_a b Q*(a)`` and looks; on roots that is the optimal policy
of the baseline MDP.  It is optimal for M_k when k is below the threshold of Theorem 4.1.

Without discount waiting is free, and going for the goal may be no better than doing so later: Q*
has ties that would let the agent stand and look until time runs short.  There the policy is the
quickest of the optimal ones: Q* is that of the MDP in which every step costs a trifle more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from solvers.core.baseline import TIE, Baseline, baseline, lowest_argmin
from solvers.core.budget import Budget
from solvers.core.lower_bound import lower_bound_from
from solvers.core.model import SensingMDP
from solvers.core.policy import Policy
from solvers.core.solution import BUDGET, SOLVED, Solution
from solvers.core.solver import Solver

TRIFLE = 1e-6
"""What a step costs more where there is no discount, as a share of the largest cost."""


class AlwaysSensePolicy(Policy):
    """``(argmin_a b Q*(a), sense)`` at every belief.

    seen : the baseline MDP; V, Q : its values (S,) and the action values (S, A) that decide
    columns : (S, A + 1), Q and what counts as a tie
    """

    reads_sparse = True

    def __init__(self, problem: SensingMDP, budget: Budget | None = None) -> None:
        super().__init__(problem)
        self.seen: Baseline = baseline(problem, budget=budget)
        self.V, self.Q = self.seen.V, self.seen.Q
        if problem.discount == 1:
            trifle = TRIFLE * float(np.abs(problem.costs).max())
            self.Q = baseline(problem, np.full(problem.costs.shape, trifle), budget).Q
        self.columns = np.column_stack([self.Q, TIE * self.seen.size])

    def act_batch(self, beliefs: Any) -> tuple[np.ndarray, np.ndarray]:
        scores = beliefs @ self.columns
        actions = lowest_argmin(scores[:, :-1], scores[:, -1])
        return actions, np.ones(len(actions), bool)

    def solution(self, problem: SensingMDP, budget: Budget) -> Solution:
        """This policy with what the baseline proves about the optimum."""
        return Solution(
            policy=self,
            lower_bound=lower_bound_from(problem, self.V, budget),
            iterations=1,
            status=SOLVED if self.seen.settled else BUDGET,
        )


@dataclass
class AlwaysSense(Solver):
    """The AS policy; V* of the baseline MDP, where looking is free, bounds the optimum below."""

    name = "always-sense"

    def solve(self, problem: SensingMDP, budget: Budget) -> Solution:
        return AlwaysSensePolicy(problem, budget).solution(problem, budget)
