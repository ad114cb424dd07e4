"""Checking that root values L are a lower bound: the inequality of plans, rounding counted.

For a depth N and a proven lower bound V on what the agent pays that sees everything from now on
(:mod:`solvers.core.lower_bound`), let Q(a) = C(a) + α T(a) V and

    G(L)(j) = min over blind strings i from root j of
                Z(i) + α^m min_a [B(i) C(a) + k(B(i), a) + α B(i) T(a) L]     m <= N, look
                Z(i) + α^(N+1) min_a B(i) Q(a)                                m = N + 1, go on

Claim: ``L <= G(L)`` makes L a lower bound on the optimal cost at every root.
Proof.  A plan either looks after at most N blind steps or begins with a string of N + 1; from there
on it costs at least what seeing everything does.  So ``G(L) <= F(L)`` for the operator F of the
optimality equation, which is monotone and contracts: ``L <= F(L) <= F(F(L)) <= …`` up to the
optimum.  ∎

A string whose ``Z(i) + α^m min_a B(i) Q(a)`` has reached L(j) needs no following.  Rounding:
beliefs are non-negative, so with C and Q lowered by a share g of their absolute values, g well
above the rounding of N + 2 products and sums, every computed number is below the true one.  Strings
of one root whose beliefs differ by rounding alone are followed once, from the cheapest; entries
that differ by a share ``EQUAL`` change any later cost by that share, which g covers too.
"""

from __future__ import annotations

import numpy as np

from solvers.bounds.blind_tree import EQUAL, BlindTree
from solvers.core.baseline import action_values
from solvers.core.budget import Budget
from solvers.core.lower_bound import lower_bound_from
from solvers.core.model import SensingMDP
from solvers.kernels.returns import UNIT, ReturnSystem

ATTEMPTS = 4
"""Candidates checked before the bound of the baseline is all that is proven."""


class PlanInequality:
    """The check at one depth; ``base`` (S,) is the proven bound of the baseline MDP."""

    def __init__(
        self,
        problem: SensingMDP,
        V: np.ndarray,
        depth: int,
        memory_mb: float,
        budget: Budget | None = None,
    ) -> None:
        self.problem, self.depth = problem, depth
        self.memory_mb, self.budget = memory_mb, budget
        self.base = lower_bound_from(problem, V)
        terms = problem.num_states + 8
        self.share = 4 * (depth + 3) * (terms * UNIT + EQUAL)
        self.costs = self._lowered(problem.costs)
        sizes = action_values(problem, np.abs(self.base), np.abs(problem.costs))
        Q = action_values(problem, self.base, problem.costs)
        self.Q = Q - self.share * sizes

    def _lowered(self, x: np.ndarray) -> np.ndarray:
        return x - self.share * np.abs(x)

    def shortfall(self, L: np.ndarray) -> np.ndarray:
        """By how much L may exceed G(L): (S,), 0 everywhere if L is a proven lower bound."""
        problem = self.problem
        short = np.where(problem.terminal, np.maximum(L, 0.0), 0.0)
        sizes = action_values(problem, np.abs(L), np.abs(problem.costs))
        look_values = action_values(problem, L, problem.costs) - self.share * sizes
        tree = BlindTree(problem, self.costs, self.Q, self.memory_mb, self.budget)
        for depth in range(self.depth + 2):
            if not len(tree):
                break
            if depth == self.depth + 1:
                np.maximum.at(short, tree.roots, L[tree.roots] - tree.bound)
                break
            looks = tree.beliefs @ look_values + (1 - self.share) * problem.sensing_cost_at(
                tree.beliefs
            )
            found = tree.Z + problem.discount**depth * looks.min(axis=1)
            np.maximum.at(short, tree.roots, L[tree.roots] - found)
            tree.grow(L)
        return short

    def proven(self, L: np.ndarray, system: ReturnSystem) -> np.ndarray:
        """The largest bound (S,) found that is proven, from a candidate L down.

        system : of the plans behind L, along which a margin at one root needs margins at others
        """
        for attempt in range(ATTEMPTS):
            L = np.maximum(L, self.base)
            short = self.shortfall(L)
            if not short.any():
                return L
            if attempt < ATTEMPTS - 2:
                margin = np.maximum(system.solve(2 * short), short)
            elif self.problem.discount < 1:  # the same everywhere: looks pass on less than all
                margin = np.full(len(L), 2 * short.max() / (1 - self.problem.discount))
            else:
                break
            L = np.where(self.problem.terminal, 0.0, L - margin)
        return self.base
