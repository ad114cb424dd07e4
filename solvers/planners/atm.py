"""Act Then Measure (ATM), Algorithm 3 of the paper.

At belief b play ``a = argmin_a b Q*(a)``, and go blind when one blind step followed by AS is
cheaper than AS.  With ``b' = b T(a)`` and ``a'`` the AS action at b', that is when

    alpha (b' Q*(a') - b' V*) + alpha k(b', a')  <  k(b, a) + alpha sum_s b'(s) k(s, pi_AS(s)).

For a uniform sensing cost the two looks of the next step cancel and what is left, regret < k, is
the paper's line 2 with V_AS = min b Q* + k / (1 - alpha).  For a non-uniform one (App. F) each look
is priced where it is taken.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from solvers.core.baseline import TIE, lowest_argmin
from solvers.core.blind_moves import moved
from solvers.core.budget import Budget
from solvers.core.model import SensingMDP
from solvers.core.plan import Vectors
from solvers.core.repeats import MOST_MARGINS
from solvers.core.roots import check_roots
from solvers.core.solution import Solution
from solvers.core.solver import Solver
from solvers.kernels.blind_step import by_action
from solvers.planners.always_sense import AlwaysSensePolicy

ROUNDED = 1e-12
"""Rounding changes a regret, or what no look saves, by less than this share of their terms."""


class ATMPolicy(AlwaysSensePolicy):
    """The AS action, with a look only when it pays against one blind step."""

    def __init__(self, problem: SensingMDP, budget: Budget | None = None) -> None:
        super().__init__(problem, budget)
        # b' Q* and b' V* as columns over b: no next belief is formed to decide
        columns = np.column_stack([self.Q, self.V])
        self.ahead = np.stack([T @ columns for T in problem.transitions])  # (A, S, A + 1)
        self.uniform = problem.look_costs.uniform is not None
        if not self.uniform:
            each = np.arange(problem.num_states)
            actions = lowest_argmin(self.Q, TIE * self.seen.size)
            self.k_root = problem.look_costs.at_roots()[each, actions]

    def act_batch(self, beliefs: Any) -> tuple[np.ndarray, np.ndarray]:
        problem, alpha = self.problem, self.problem.discount
        actions, _ = super().act_batch(beliefs)
        later = by_action(beliefs, actions, self.ahead)
        regret = alpha * (later[:, :-1].min(axis=1) - later[:, -1])
        if self.uniform:
            return actions, regret >= problem.sensing_cost
        after = moved(problem, beliefs, actions)
        then, _ = super().act_batch(after)
        saved = problem.look_costs.of(beliefs, actions)[0] + alpha * (
            after @ self.k_root - problem.look_costs.of(after, then)[0]
        )
        return actions, regret >= saved

    def reasons(self, beliefs: Any, actions: np.ndarray) -> np.ndarray:
        """The action and the one that AS plays after it, as one number."""
        if not self.problem.has_linear_sensing_cost:
            return super().reasons(beliefs, actions)
        if self.uniform:  # any next action will do: the same again
            return actions * self.problem.num_actions + actions
        then, _ = super().act_batch(moved(self.problem, beliefs, actions))
        return actions * self.problem.num_actions + then

    def margins(self, reason: int) -> np.ndarray | None:
        problem, alpha = self.problem, self.problem.discount
        if 2 * problem.num_states * problem.num_actions > MOST_MARGINS:
            return None
        a, then = divmod(reason, problem.num_actions)
        # blind if the regret, for this next action, is below what no look now saves
        regret = alpha * (self.ahead[a][:, then] - self.ahead[a][:, -1])
        k = problem.sensing_costs()
        saved = k[:, a]
        if self.uniform:
            played = self._above(a)
        else:
            T = problem.transitions[a]
            played = np.column_stack([self._above(a), T @ self._above(then)])
            saved = saved + alpha * (T @ (self.k_root - k[:, then]))
        equal = TIE * (k[:, a] + np.abs(regret))  # where they are equal it looks
        blind = (saved - regret - equal)[:, None]
        return np.column_stack([played, self.strictly(blind, np.array([a]), np.array([True]))])

    def stays_blind(self, beliefs: Any) -> np.ndarray:
        if not self.uniform:
            return super().stays_blind(beliefs)
        # The regret of playing the same again is at most this, and nothing after the end.
        end, each = self.problem.terminal, np.arange(self.problem.num_actions)
        regret = (self.ahead[each, :, each] - self.ahead[:, :, -1]).max(axis=0)
        if (regret[end] > 0).any():
            return super().stays_blind(beliefs)
        live = beliefs @ (~end).astype(float)
        most = float(np.abs(regret).max())
        return 2 * self.problem.discount * live * most < self.problem.max_sensing_cost

    def vectors(self) -> Vectors | None:
        """The columns of Q*, blind where the regret is surely below what no look saves."""
        problem, actions = self.problem, np.arange(self.problem.num_actions)
        if not problem.has_linear_sensing_cost:
            return None
        k, columns = problem.sensing_costs(), np.moveaxis(self.ahead, 2, 1)  # (A, A + 1, S)
        later, seen = columns[:, :-1], columns[:, -1:]
        saved = k.T[:, None]  # (A, A, S): for an action and the one after it
        if not self.uniform:
            extra = self.k_root[:, None] - k
            ahead = np.stack([(T @ extra).T for T in problem.transitions])
            saved = saved + problem.discount * ahead
        size = np.abs(later) + np.abs(seen) + k.max()
        guards = problem.discount * (later - seen) - saved + ROUNDED * size
        blind = np.zeros(len(actions), bool)
        return Vectors(self.Q.T, actions, blind, TIE * self.seen.size, guards)

    def _above(self, a: int) -> np.ndarray:
        """Columns (S, A - 1): AS plays a wherever none of their means is negative."""
        tie = TIE * self.seen.size
        above = self.Q - self.Q[:, [a]] + 0.5 * tie[:, None]
        # Of equals the lowest action is played, also where the numbers only cancel.
        above[:, :a] -= 2 * tie[:, None] + TIE * (np.abs(self.Q[:, :a]) + np.abs(self.Q[:, [a]]))
        above[:, :a] = self.strictly(above[:, :a], np.arange(a), np.zeros(a, bool))
        return np.delete(above, a, axis=1)


@dataclass
class ATM(Solver):
    """The Act-Then-Measure heuristic.

    roots : "reachable" to evaluate it at the roots it reaches from the start, "all" for every root;
        by default reachable on a large problem
    """

    name = "atm"
    roots: str | None = None

    def __post_init__(self) -> None:
        check_roots(self.name, self.roots)

    def solve(self, problem: SensingMDP, budget: Budget) -> Solution:
        found = ATMPolicy(problem, budget).solution(problem, budget)
        return replace(found, roots=self.roots)
