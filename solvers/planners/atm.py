"""Act Then Measure (ATM), Algorithm 3 of the paper.

At belief b play ``a = argmin_a b Q*(a)``, and go blind when one blind step followed by AS is
cheaper than AS.  With ``b' = b T(a)`` and ``a'`` the AS action at b', that is when

    alpha (b' Q*(a') - b' V*) + alpha k(b', a')  <  k(b, a) + alpha sum_s b'(s) k(s, pi_AS(s)).

For a uniform sensing cost the two looks of the next step cancel and what is left, regret < k, is
the paper's line 2 with V_AS = min b Q* + k / (1 - alpha).  For a non-uniform one (App. F) each look
is priced where it is taken.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from solvers.core.model import SensingMDP
from solvers.core.solution import Solution
from solvers.core.solver import Budget, Solver
from solvers.kernels.blind_step import by_action
from solvers.planners.always_sense import AlwaysSensePolicy


class ATMPolicy(AlwaysSensePolicy):
    """The AS action, with a look only when it pays against one blind step."""

    def __init__(self, problem: SensingMDP) -> None:
        super().__init__(problem)
        # b' Q* and b' V* as columns over b: no next belief is formed to decide
        columns = np.column_stack([self.Q, self.V])
        self.ahead = np.stack([T @ columns for T in problem.transitions])  # (A, S, A + 1)
        self.uniform = np.isscalar(problem.sensing_cost)
        if not self.uniform:
            roots = np.eye(problem.num_states)
            actions, _ = super().act_batch(roots)
            self.k_root = _picked(problem.sensing_cost_at(roots), actions)

    def act_batch(self, beliefs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        problem, alpha = self.problem, self.problem.discount
        actions, _ = super().act_batch(beliefs)
        later = by_action(beliefs, actions, self.ahead)
        regret = alpha * (later[:, :-1].min(axis=1) - later[:, -1])
        if self.uniform:
            return actions, regret >= problem.sensing_cost
        after = problem.step(beliefs, actions)
        then, _ = super().act_batch(after)
        saved = _picked(problem.sensing_cost_at(beliefs), actions) + alpha * (
            after @ self.k_root - _picked(problem.sensing_cost_at(after), then)
        )
        return actions, regret >= saved


def _picked(table: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """One entry of each row: (n, A), (n,) -> (n,)."""
    return table[np.arange(len(table)), columns]


@dataclass
class ATM(Solver):
    """The Act-Then-Measure heuristic."""

    name = "atm"

    def solve(self, problem: SensingMDP, budget: Budget) -> Solution:
        policy = ATMPolicy(problem)
        return Solution(policy=policy, lower_bound=policy.V, iterations=1)
