"""Lower and upper bounds at all roots, tightened together by plan search.

The optimum is the fixed point V* = F(V*), with ``F(V)(j)`` the cost of the best single plan from
root j that goes on with V after its look.  F is monotone and, as a least of affine functions,
concave.  A search from j (``plan_search``)

* against a lower bound L raises L(j), since it proves ``F(L)(j) ≥ lower``;
* against the values V of the current plans finds a plan with ``F(V)(j) < V(j)``, and by the policy
  improvement theorem replacing any number of plans so, then evaluating all of them jointly, lowers
  V everywhere.

Raising L root by root is value iteration, which crawls where a plan mostly lands on the root it
came from.  A *leap* does not: guess ``U = V − θ (V − L)`` at the roots that matter and U = L at all
others, and search each of them against U.  If each search proves ``F(U)(j) ≥ U(j)``, then U ≤ F(U)
at all roots (elsewhere U = L ≤ F(L) ≤ F(U)), and since F is a monotone contraction U ≤ V*: the gap
falls by the factor θ at once.  If V is optimal the guess is always right, because F is concave:
``F(U) ≥ θ F(L) + (1 − θ) F(V) ≥ θ L + (1 − θ) V = U``.

Raised roots feed back into the delayed-information bound, whose sweeps spread them to every string
and root at once: heuristic and bound tighten each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np

from solvers.bounds.delayed_information import DelayedInformation
from solvers.bounds.first_plans import first_plans
from solvers.bounds.plan_search import Found, Searcher
from solvers.bounds.visits import draw_roots, visits_along
from solvers.core.blind_for_good import costs_for_good
from solvers.core.budget import Budget
from solvers.core.landings import NOWHERE, Landings, Row
from solvers.core.means import mean_above, mean_below
from solvers.core.model import SensingMDP
from solvers.core.plan_table import PlanTable
from solvers.core.policy import Plan, PlanPolicy
from solvers.kernels.belief_store import step_belief
from solvers.kernels.plan_kernel import AT_LIMIT, BY_LOOK

BATCH, BATCH_SHARE = 8, 2**-15
"""Roots that are searched against the same L and V, in parallel where threads allow: so many, or
this share of the transitions where that is more, since all of them are read to begin a batch."""
EVALUATE_EVERY = 8
"""Batches between two joint evaluations of all plans."""
LEAP_SHARES = (0.1, 0.5)
"""θ of the first attempt to leap, and of the second: a smaller one gains more and fails sooner."""
LEAP_SPARE = 1e-3
"""Part of a leap's own gap by which its searches aim higher, so that rounding does not undo it."""
MANY_ACTIONS, ALL_ACTIONS_TO = 9, 2
"""With so many actions the bound is deepened beyond this depth for common ones only, if few are."""
LONG_SHARE = 0.25
"""Share of the plans that must be longer than ALL_ACTIONS_TO for longer strings to be worth it."""
COMMON_SHARE = 0.85
"""Share of the actions in plans that common actions make up."""
SPREAD_SHARE = 0.25
"""Share of the work of a round's searches that sweeps of common strings take though no root
rises."""
HEAVY_SWEEP, HEAVY_SWEEPS = 3e8, 3
"""With few actions, a sweep of more multiplications than this is made so often in a row at most:
searches gain more for the time."""
RARE = 1e-6
"""A root that is landed on less often, also by looking always, is not waited for by sweeps: where
the start reaches a part of the problem only, the bounds of the rest may stay as they are."""
NOTHING = 1e-14
"""A change by a smaller share of a root's size is rounding."""


@dataclass
class Round:
    """What a round did: the work of searches that ended at their node limit, and whether any bound
    moved or a root was landed on that had not been before."""

    work_at_limit: float
    moved: bool


class RootBounds:
    """L (S,) ≤ optimum ≤ V (S,), the plans that attain V, and the searches that tighten both.

    start (S,) : how much each root's gap matters: what ``weigh`` makes of the first V, if given
    """

    def __init__(
        self,
        problem: SensingMDP,
        seed: int = 0,
        threads: int = 1,
        weigh: Callable[[SensingMDP, np.ndarray], np.ndarray] | None = None,
        stop: np.ndarray | None = None,
        budget: Budget | None = None,
    ) -> None:
        budget = Budget() if budget is None else budget
        self.problem = problem
        self._chance = np.random.default_rng(seed)
        self.information = DelayedInformation(problem, stop, budget)
        self.L = self.information.W0.copy()
        looks = self.information.look_values(self.L)
        self.for_good = costs_for_good(problem, budget, above=True)
        self.table, self.V = first_plans(problem, looks, self.for_good, self.L, budget)
        self.start = problem.start if weigh is None else weigh(problem, self.V)
        always = PlanTable.looking_always(problem, looks.argmin(axis=1))
        self._seen = visits_along(always.rows, self.start) > RARE
        self.searcher = Searcher(problem, self.information, threads, self.for_good)
        self._optimistic: dict[int, Row] = {}
        self._scratch = np.zeros(problem.num_states), np.empty(problem.num_states, np.int32)
        self.leaps = 0

    @property
    def size(self) -> np.ndarray:
        """At least the discounted sum of absolute costs on an optimal plan from each root: (S,)."""
        return np.abs(self.V) + 2 * self.information.constants.gains

    @property
    def lower(self) -> float:
        return mean_below(self.start, self.L)

    @property
    def upper(self) -> float:
        return mean_above(self.start, self.V)

    @property
    def work(self) -> float:
        """Multiplications made so far: what was spent, but the same on every machine."""
        return self.information.work + self.searcher.work

    def deepen(self) -> None:
        """Take the delayed-information bound one level deeper and hand it to the searches: for
        strings of common actions only, where there are many actions and few of them common."""
        information, many = self.information, self.problem.num_actions >= MANY_ACTIONS
        information.deepen()
        if many and information.common is None and information.depth == ALL_ACTIONS_TO:
            actions = self.common_actions()
            few = len(actions) ** 2 <= self.problem.num_actions
            if few and self.share_of_long_plans(ALL_ACTIONS_TO) >= LONG_SHARE:
                information.follow_common(actions)
        self.searcher.take(information)

    def common_actions(self) -> np.ndarray:
        """The fewest actions that make up a share ``COMMON_SHARE`` of all actions of the plans,
        each plan weighted by how often it is followed."""
        visits, counts = self.visits(), np.zeros(self.problem.num_actions)
        for j, plan in enumerate(self.table.plans):
            for a in plan.actions:
                counts[a] += visits[j]
        order = np.argsort(-counts, kind="stable")
        enough = np.cumsum(counts[order]) >= COMMON_SHARE * counts.sum()
        return np.sort(order[: int(np.argmax(enough)) + 1])

    def share_of_long_plans(self, length: int) -> float:
        """The share of plans, weighted by how often they are followed, that never look or look
        only after more than ``length`` blind steps."""
        visits = self.visits()
        long = [not plan.senses or len(plan.actions) > length + 1 for plan in self.table.plans]
        return float(visits @ long / max(visits.sum(), 1e-300))

    def spread(self, settled: float, budget: Budget, searched: float = 0.0) -> None:
        """Let the roots' bounds and the delayed-information bound tighten each other.

        searched : work of the searches before; where strings of common actions are kept, they rise
            by what was found even if no root does, so a share of it is spent on sweeps
        """
        self.information.raise_roots(self.L)
        information = self.information
        information.counts = (self.visits() > RARE) | self._seen
        common, heavy = information.common is not None, information.sweep_work() > HEAVY_SWEEP
        least = SPREAD_SHARE * searched if common else 0.0
        few_actions = self.problem.num_actions < MANY_ACTIONS
        most = HEAVY_SWEEPS if heavy and few_actions else np.inf
        information.climb(budget, enough=settled, least_work=least, most=most)
        self.L = np.maximum(self.L, self.information.W0)

    def visits(self) -> np.ndarray:
        """How often each root is landed on from start (S,), discounted: along the plans of V plus
        along those that look best against L."""
        optimistic = Landings.nowhere(len(self.V))
        for j, row in self._optimistic.items():
            optimistic[j] = row
        return visits_along(self.table.rows, self.start) + visits_along(optimistic, self.start)

    def round(self, limit: int, share: float, budget: Budget) -> Round:
        """Search from the roots that hold the gap.

        limit : nodes expanded in one search; share : of the gap that may stay open at a root
        """
        visits = self.visits()
        before, L, V = visits > 0, self.L.copy(), self.V.copy()
        slack = share * max(self.upper - self.lower, 0.0) / visits.sum()
        roots = draw_roots(visits * np.maximum(self.V - self.L, 0.0), self._chance)
        roots = roots[(self.V - self.L)[roots] > slack]
        work_at_limit = 0.0
        for i, (batch, found) in enumerate(self._search(roots, self.L, slack, limit, budget)):
            for j, one in zip(batch, found, strict=True):
                self.L[j] = max(self.L[j], one.lower)
                self._take(j, one)
                work_at_limit += self.searcher.work_of(one) if one.why == AT_LIMIT else 0.0
            if i % EVALUATE_EVERY == EVALUATE_EVERY - 1:
                self._evaluate()
        self._evaluate()
        rose, fell = NOTHING * self.size < self.L - L, NOTHING * self.size < V - self.V
        new = (self.visits() > 0) & ~before
        return Round(work_at_limit, bool((rose | fell | new).any()))

    def leap(self, limit: int, budget: Budget) -> bool:
        """Prove a guess near V at all visited roots together; says whether that succeeded."""
        for theta in LEAP_SHARES:
            gap = np.maximum(self.V - self.L, 0.0)
            visits = self.visits()
            roots = np.flatnonzero((visits > 0) & (gap > 0))
            roots = roots[np.argsort(-(visits * gap)[roots], kind="stable")]
            U = self.L.copy()
            U[roots] = (self.V - theta * gap)[roots]
            slack = (1 - LEAP_SPARE) * theta * gap
            proven = 0
            for batch, found in self._search(roots, U, slack, limit, budget):
                for j, one in zip(batch, found, strict=True):
                    proven += one.lower >= U[j]
                    self._take(j, one)
                if any(one.lower < U[j] for j, one in zip(batch, found, strict=True)):
                    break
            self._evaluate()
            if proven == len(roots):
                self.L = U
                self.leaps += 1
                return True
        return False

    def _search(
        self,
        roots: np.ndarray,
        lower: np.ndarray,
        slack: float | np.ndarray,
        limit: int,
        budget: Budget,
    ) -> Iterator[tuple[list[int], list[Found]]]:
        """Search the roots, batch by batch, each against the bounds as they are when it begins."""
        slack = np.broadcast_to(slack, self.V.shape)
        self.information.look_ahead()
        self.searcher.take(self.information)
        size_of_batch = max(BATCH, int(BATCH_SHARE * len(self.information.rows.data)))
        for first in range(0, len(roots), size_of_batch):
            if budget.over():
                return
            batch = [int(j) for j in roots[first : first + size_of_batch]]
            QL, QV = (self.information.look_values(X) for X in (lower, self.V))
            size = self.size
            yield (
                batch,
                self.searcher.search(batch, QL, QV, self.V, size, slack, limit, budget),
            )

    def _take(self, j: int, found: Found) -> None:
        """Keep what a search found for its root: the plan, and where its optimistic plan lands."""
        self._optimistic.pop(j, None)
        if found.why == BY_LOOK and found.look[0] >= 0:
            self._optimistic[j] = self._landing(found.look_belief, *found.look)
        if len(found.actions) and found.upper < self.V[j] - NOTHING * self.size[j]:
            a, m = int(found.actions[-1]), len(found.actions) - 1
            plan = Plan(tuple(int(x) for x in found.actions), bool(found.senses))
            last = self.information.constants.look_costs
            last = last if found.senses else self.for_good
            states, weights = found.belief
            cost = found.cost + self.problem.discount**m * float(weights @ last[states, a])
            row = self._landing(found.belief, a, m) if found.senses else NOWHERE
            self.table.put_row(j, plan, cost, row)

    def _landing(self, belief: Row, action: int, blind_steps: int) -> Row:
        """Where acting and looking leads to from a belief, discounted, without terminal states."""
        dense, touched = self._scratch
        count = step_belief(dense, touched, self.information.rows, action, *belief)
        states = np.sort(touched[:count])
        chances = self.problem.discount ** (blind_steps + 1) * dense[states]
        dense[states] = 0.0
        live = ~self.problem.terminal[states]
        return states[live], chances[live]

    def take_plans(self, plans: Iterable[Plan]) -> None:
        """Go on from the better of the present plan and this one, at each root."""
        self.table = self.table.merged(PlanTable.of_plans(self.problem, plans, above=True))
        self._evaluate()

    def _evaluate(self) -> None:
        """V of all plans jointly: never above the old one, by the policy improvement theorem."""
        self.V = np.minimum(self.V, self.table.values_above(self.V))

    def policy(self) -> PlanPolicy:
        """The plans of V."""
        return self.table.policy()


@cache
def compile_search() -> None:
    """Compile (or load) what a round needs, once a process, on a problem of two states."""
    T = [[[0.5, 0.5], [0.5, 0.5]], [[1.0, 0.0], [0.0, 1.0]]]
    tiny = RootBounds(SensingMDP.from_arrays(T, [[0.0, 1.0], [1.0, 0.0]], 0.5, 0.1))
    tiny.round(2, 0.0, Budget())
