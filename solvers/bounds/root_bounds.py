"""Lower and upper bounds at all roots, tightened together by plan search.

The optimum is the fixed point V = F(V), with ``F(V)(j)`` the cost of the best single plan from root
j that goes on with V after its look.  F is monotone, so a search from j (``plan_search``)

* against a lower bound L raises L(j), since it proves ``F(L)(j) ≥ lower``;
* against the values V of the current plans finds a plan with ``F(V)(j) < V(j)``, and by the policy
  improvement theorem replacing any number of plans so, then evaluating all of them jointly, lowers
  V everywhere.

Raised roots feed back into the delayed-information bound, whose sweeps spread them to every string
and root at once: heuristic and bound tighten each other.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

import numpy as np
from numba import njit

from solvers.bounds.delayed_information import DelayedInformation
from solvers.bounds.plan_search import BY_LOOK, Found, make_tables, pack_scores, search_root
from solvers.core.model import SensingMDP
from solvers.core.plan_table import PlanTable, Row
from solvers.core.policy import Plan, PlanPolicy
from solvers.core.solver import Budget
from solvers.kernels.mixtures import repetitions

POOL = 2**23
"""Belief entries a search may hold: 96 MiB."""
MAX_DEPTH = 2000
NEGLIGIBLE = 1e-13
"""What a plan that is blind for good may leave unwritten, as a share of the cost scale."""
COVERED = 0.99
"""Share of the weighted gap whose roots a round searches."""
VISIT_TERMS = 64
SCATTERED, NODE_WORK, SEARCH_WORK = 2, 800, 100_000
"""What a product on a belief's entries, a node and a search cost besides, counted in the
multiplications of a sweep, which run in one long row."""


NOWHERE: Row = (np.empty(0, int), np.empty(0))


class RootBounds:
    """L (S,) ≤ optimum ≤ V (S,), the plans that attain V, and the searches that tighten both."""

    def __init__(self, problem: SensingMDP, seed: int = 0) -> None:
        self.problem = problem
        self._chance = np.random.default_rng(seed)
        self.information = DelayedInformation(problem)
        self.L = self.information.W0.copy()
        self.look_costs = problem.costs + problem.sensing_costs()
        self.repeat = problem.constant_action_values
        self.table = self._first_plans()
        self.V = self.table.values()
        scale = np.abs(self.V).max() + np.abs(self.repeat).max() + problem.max_sensing_cost
        self.rounding = 4 * (problem.num_states + 16) * np.finfo(float).eps * scale
        self.expanded, self._search_work = 0, 0.0
        rows = self.information.rows
        per_entry = 5 * problem.num_actions + len(rows.data) / (len(rows.indptr) - 1)
        self._work_per_entry = SCATTERED * per_entry
        self.seconds_per_node = 1e-5
        self._optimistic: dict[int, Row] = {}
        self._states, self._weights = np.empty(POOL, np.int32), np.empty(POOL)
        self.tables = make_tables(problem, self.information)

    def _first_plans(self) -> PlanTable:
        """At each root the better of looking always and repeating one action for good.

        Looking always, with the action that is best if looks were free from then on: for a uniform
        sensing cost that is the best such policy.
        """
        problem, rows = self.problem, self.information.rows
        best = self.information.look_values(self.L).argmin(axis=1)
        again = self.repeat.argmin(axis=1)
        costs = self.look_costs[np.arange(len(best)), best]
        table = PlanTable(problem, [Plan((), False)] * len(best), costs, [NOWHERE] * len(best))
        table.costs[problem.terminal] = 0.0
        live = np.flatnonzero(~problem.terminal)
        for s in live:
            table.plans[s] = Plan((int(best[s]),), True)
            r = rows.row_of[s, best[s]]
            states = rows.indices[rows.indptr[r] : rows.indptr[r + 1]]
            chances = rows.data[rows.indptr[r] : rows.indptr[r + 1]]
            on = ~problem.terminal[states]
            table.rows[s] = states[on], problem.discount * chances[on]
        seen = table.values()
        for s in live[self.repeat[live, again[live]] < seen[live]]:
            table.put(s, Plan((int(again[s]),), False), self.repeat[s, again[s]], None)
        return table

    @property
    def lower(self) -> float:
        return float(self.problem.start @ self.L)

    @property
    def upper(self) -> float:
        return float(self.problem.start @ self.V)

    @property
    def gap(self) -> float:
        """Distance of the bounds under the start distribution, as a share of the value."""
        return max(0.0, self.upper - self.lower) / max(abs(self.upper), 1e-300)

    @property
    def work(self) -> float:
        """Multiplications made so far: what was spent, but the same on every machine."""
        return self.information.work + self._search_work

    def deepen(self) -> None:
        """Take the delayed-information bound one level deeper and hand it to the searches."""
        self.information.deepen()
        self.tables = make_tables(self.problem, self.information)

    def spread(self, settled: float, budget: Budget) -> None:
        """Let the roots' bounds and the delayed-information bound tighten each other."""
        self.information.raise_roots(self.L)
        self.information.climb(budget, settled)
        self.L = np.minimum(np.maximum(self.L, self.information.W0), self.V)

    def visits(self) -> np.ndarray:
        """How often each root is landed on from start (S,), discounted: along the plans of V plus
        along those that look best against L."""
        optimistic = [self._optimistic.get(j, NOWHERE) for j in range(len(self.V))]
        return sum(visits_along(rows, self.problem.start) for rows in (self.table.rows, optimistic))

    def round(self, limit: int, share: float, budget: Budget) -> dict[int, float]:
        """Search from the roots that hold the gap; returns the work of searches by how they ended.

        limit : nodes expanded in one search; share : of the gap that may stay open at a root
        """
        visits = self.visits()
        slack = share * max(self.upper - self.lower, 0.0) / visits.sum()
        weighted = visits * (self.V - self.L)
        roots = self._draw(weighted)
        ends = dict.fromkeys(range(3), 0.0)
        for i, j in enumerate(roots):
            if i % 8 == 0:
                if i and i % 64 == 0:
                    self._evaluate()
                QL, QV = (self.information.look_values(X) for X in (self.L, self.V))
                scores = pack_scores(self.tables, QL, QV)
            if self.V[j] - self.L[j] <= slack:
                continue
            if budget.over():
                break
            before = self._search_work
            why = self._search(int(j), scores, slack, limit, budget).why
            ends[why] += self._search_work - before
        self._evaluate()
        return ends

    def _draw(self, weighted: np.ndarray) -> np.ndarray:
        """The fewest roots that hold nearly all of the weighted gap (S,), in random order.

        Each next one is drawn among those left with chances proportional to its weighted gap:
        sorting log weights plus Gumbel noise does that.
        """
        order = np.argsort(-weighted, kind="stable")
        within = np.cumsum(weighted[order]) <= COVERED * weighted.sum()
        roots = order[: int(within.sum()) + 1]
        keys = np.log(np.maximum(weighted[roots], 1e-300)) + self._chance.gumbel(size=len(roots))
        return roots[np.argsort(-keys, kind="stable")]

    def take_plans(self, plans: Iterable[Plan]) -> None:
        """Go on from the better of the present plan and this one, at each root."""
        self.table = self.table.merged(PlanTable.of_plans(self.problem, plans))
        self._evaluate()

    def _evaluate(self) -> None:
        """V of all plans jointly: never above the old one, by the policy improvement theorem."""
        self.V = np.minimum(self.V, self.table.values())
        self.L = np.minimum(self.L, self.V)

    def _search(
        self, j: int, scores: np.ndarray, slack: float, limit: int, budget: Budget
    ) -> Found:
        limit = int(min(limit, max(budget.left(), 0.0) / self.seconds_per_node)) + 1
        began = budget.spent()
        found = Found(
            *search_root(
                j, self.tables, scores, self.V[j], slack, limit, MAX_DEPTH,
                self._states, self._weights,
            )
        )  # fmt: skip
        took = (budget.spent() - began) / max(found.expanded, 1)
        self.seconds_per_node += 0.1 * (took - self.seconds_per_node)
        self.expanded += found.expanded
        self._search_work += (
            found.entries * self._work_per_entry + found.expanded * NODE_WORK + SEARCH_WORK
        )
        self.L[j] = max(self.L[j], found.lower - self.rounding)
        self._optimistic.pop(j, None)
        if found.why == BY_LOOK:
            a, blind_steps = found.look
            landing = self._landing(found.look_belief, a, blind_steps)
            states = np.flatnonzero(landing)
            self._optimistic[j] = (states, landing[states])
        if len(found.actions) and found.upper < self.V[j] - self.rounding:
            self._take_plan(j, found)
        return found

    def _landing(self, belief: np.ndarray, action: int, blind_steps: int) -> np.ndarray:
        after = belief @ self.problem.transitions[action]
        after[self.problem.terminal] = 0.0
        return self.problem.discount ** (blind_steps + 1) * after

    def _take_plan(self, j: int, found: Found) -> None:
        a, m = int(found.actions[-1]), len(found.actions) - 1
        plan = Plan(tuple(int(x) for x in found.actions), bool(found.senses))
        last = self.look_costs if found.senses else self.repeat
        cost = found.cost + self.problem.discount**m * float(found.belief @ last[:, a])
        landing = self._landing(found.belief, a, m) if found.senses else None
        self.table.put(j, plan, cost, landing)

    def policy(self) -> PlanPolicy:
        """The plans of V, those that are blind for good written out until nothing is left."""
        ends = {p.actions[-1] for p in self.table.plans if p.actions and not p.senses}
        alive = (~self.problem.terminal).astype(float)
        rows, alpha = self.information.rows, self.problem.discount
        negligible = NEGLIGIBLE * (1 - alpha)
        tails = {a: (a,) * repetitions(rows, alpha, a, alive, negligible) for a in ends}
        plans = [
            p if p.senses or not p.actions else Plan(p.actions + tails[p.actions[-1]], False)
            for p in self.table.plans
        ]
        return PlanPolicy(self.problem, plans)


def visits_along(rows: list[Row], start: np.ndarray) -> np.ndarray:
    """How often each root is landed on (S,) when each goes on to its row of ``rows``."""
    ends = np.cumsum([0] + [len(states) for states, _ in rows])
    states, chances = (np.concatenate(x) for x in zip(*rows, strict=True))
    return _add_up(ends, states.astype(np.int64), chances, start.copy())


@njit(cache=True)
def _add_up(indptr, indices, data, now):
    total = np.zeros(len(now))
    for _ in range(VISIT_TERMS):
        total += now
        ahead = np.zeros(len(now))
        for j in range(len(now)):
            for e in range(indptr[j], indptr[j + 1]):
                ahead[indices[e]] += now[j] * data[e]
        now = ahead
        if now.sum() < 1e-3:
            break
    return total


@cache
def compile_search() -> None:
    """Compile (or load) what a round needs, once a process, on a problem of two states."""
    T = [[[0.5, 0.5], [0.5, 0.5]], [[1.0, 0.0], [0.0, 1.0]]]
    tiny = RootBounds(SensingMDP.from_arrays(T, [[0.0, 1.0], [1.0, 0.0]], 0.5, 0.1))
    tiny.round(2, 0.0, Budget())
    repetitions(tiny.information.rows, 0.5, 0, np.ones(2), 0.5)
