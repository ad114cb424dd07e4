"""The numbers that a proof file needs besides its claim, made so that rounding cannot spoil them.

Each is the solution of a linear or Bellman equation ``x = g + α T x``, pushed to the safe side by
solving it with g replaced by what rounding can add or take off at that very state and action.
So the loss is relative to the state it belongs to, never to the largest number of the problem.
Nothing here has to be believed: the checker tests the inequalities.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from scipy import sparse
from scipy.linalg import lu_factor, lu_solve
from scipy.sparse.linalg import splu

from solvers.core.model import SensingMDP
from solvers.core.policy import Plan

DENSE = 2000
"""Up to this many states linear systems are solved as dense ones."""
REFINED = 4
"""A linear solve is repeated on what is left, so that errors are relative to their own state."""
ROUNDS = 200
"""Most rounds of policy iteration: stopping early only makes a witness less sharp."""


class Witnesses:
    """Witnesses for one problem and one set of plans.

    potential, steps, upper : (S,); tails : (S, A); plans : as the file stores them
    rounding : (S,), how much a bound can lose to rounding at each root
    """

    def __init__(self, problem: SensingMDP, plans: Sequence[Plan]) -> None:
        self.problem = problem
        self.T = sparse.csr_array(sparse.vstack(problem.transitions))
        self.alpha, self.C = problem.discount, problem.costs
        self.k = problem.sensing_costs()
        self.eps = (sum(self.C.shape) + 32) * 2.0**-50  # four times what the checker takes off
        self.steps = self._steps()
        self.potential, self.rounding = self._potential()
        excess, size = self._excess(self.potential)
        self.high = np.maximum(excess, 0) + self.eps * size + 2e-100 * (size > 0)
        self.plans = [plan.shortest() for plan in plans]
        ends = {p.actions[-1] for p in self.plans if p.actions and not p.senses}
        self.tails = np.zeros(self.C.shape)
        for a in ends:
            self.tails[:, a] = self._above(self.high[:, a], self.problem.transitions[a], 1)
        self.upper = self._upper()
        self.tails += self.potential[:, None]

    def ahead(self, x: np.ndarray) -> np.ndarray:
        """T(a) x for every action: (S,) -> (S, A)."""
        return (self.T @ x).reshape(-1, len(x)).T

    def best(self, gains: np.ndarray) -> np.ndarray:
        """``x = max over a of gains(a) + α T(a) x``, 0 in terminal states: (S, A) -> (S,)."""
        S = len(gains)
        gains = np.where(self.problem.terminal[:, None], 0.0, gains)
        policy, rows = gains.argmax(axis=1), np.arange(S)
        for _ in range(ROUNDS):
            x = self._solve(gains[rows, policy], self.T[policy * S + rows])
            Q = gains + self.alpha * self.ahead(x)
            better = Q.max(axis=1) > Q[rows, policy] + 1e-13 * np.abs(Q).max(axis=1)
            if not better.any():
                break
            policy = np.where(better, Q.argmax(axis=1), policy)
        return x

    def _solve(
        self, g: np.ndarray, P: sparse.csr_array, scale: np.ndarray | float = 1.0
    ) -> np.ndarray:
        """x = scale (g + α P x), with x = 0 in terminal states."""
        live = np.flatnonzero(~self.problem.terminal)
        x, y = np.zeros(len(g)), np.zeros(len(live))
        scale = np.broadcast_to(scale, g.shape)[live]
        inner = sparse.csr_array(sparse.diags_array(self.alpha * scale) @ P[live][:, live])
        if len(live) <= DENSE:
            factors = lu_factor(np.eye(len(live)) - inner.toarray())
            solve = partial(lu_solve, factors)
        else:
            solve = splu(sparse.csc_array(sparse.eye_array(len(live)) - inner)).solve
        for _ in range(REFINED):
            y = y + solve(scale * g[live] + inner @ y - y)
        x[live] = y
        return x

    def _steps(self) -> np.ndarray:
        if self.alpha < 1:
            return np.full(len(self.C), 2 / (1 - self.alpha))
        return 2 * self.best(np.ones(self.C.shape))

    def _excess(self, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """C - v + α T v, and the sum of the absolute values in it: what rounding is relative to."""
        size = np.abs(self.C) + np.abs(v)[:, None] + self.alpha * self.ahead(np.abs(v))
        return self.C - v[:, None] + self.alpha * self.ahead(v), size

    def _potential(self) -> tuple[np.ndarray, np.ndarray]:
        v, lost = -self.best(-self.C), np.zeros(len(self.C))
        for _ in range(5):
            excess, size = self._excess(v)
            short = np.maximum(self.eps * size + 2e-100 * (size > 0) - excess, 0)
            if not short.any():
                break
            less = self.best(short) * (1 + 1e-6)
            v, lost = v - less, lost + less
        return v, lost

    def _above(self, g: np.ndarray, P: sparse.csr_array, steps: np.ndarray | int) -> np.ndarray:
        """At least ``x = g + α P x`` even if ``steps`` roundings upward happen on the way: (S,)."""
        more = 1 + self.eps * (steps + 4)
        ulps = 2.0**-48 * np.abs(self.potential) + 1e-99 * (g > 0)
        return np.maximum(self._solve(g + ulps, P, more), 0.0)  # a solved 0 may be -1e-70

    def _upper(self) -> np.ndarray:
        """Joint cost of the plans (S,), each unrolled to its look or its tail."""
        S = len(self.C)
        costs, lands = np.zeros(S), []
        through = [sparse.csr_array(T.T) for T in self.problem.transitions]
        for j, plan in enumerate(self.plans):
            belief, landing = np.zeros(S), np.zeros(S)
            belief[j] = 1.0
            if plan.actions and not self.problem.terminal[j]:
                for a in plan.actions[:-1]:
                    costs[j] += belief @ self.high[:, a]
                    belief = self.alpha * (through[a] @ belief)
                a = plan.actions[-1]
                if plan.senses:
                    costs[j] += belief @ (self.high[:, a] + self.k[:, a])
                    landing = through[a] @ belief
                else:
                    costs[j] += belief @ self.tails[:, a]
            lands.append(sparse.csr_array(landing[None, :]))
        lengths = np.array([len(plan.actions) for plan in self.plans])
        P = sparse.csr_array(sparse.vstack(lands))
        return self.potential + self._above(costs, P, lengths)
