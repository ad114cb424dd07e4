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

from functools import cache

import numpy as np

from solvers.baseline import action_values, policy_values, solve_baseline
from solvers.delayed_information import DelayedInformation
from solvers.model import SensingMDP
from solvers.plan_search import BY_LOOK, Found, make_tables, pack_scores, search_root
from solvers.plan_table import PlanTable, Row
from solvers.policy import Plan, PlanPolicy
from solvers.solver import Budget

POOL = 2**23
"""Belief entries a search may hold: 96 MiB."""
MAX_DEPTH = 2000
NEGLIGIBLE = 1e-13
"""What a plan that is blind for good may leave unwritten, as a share of the cost scale."""
COVERED = 0.99
"""Share of the weighted gap whose roots a round searches."""
VISIT_TERMS = 64


class RootBounds:
    """L (S,) ≤ optimum ≤ V (S,), the plans that attain V, and the searches that tighten both."""

    def __init__(self, problem: SensingMDP) -> None:
        S, A = problem.num_states, problem.num_actions
        self.problem = problem
        self.information = DelayedInformation(problem)
        self.L = self.information.W0
        self.look_costs = problem.costs + problem.sensing_costs()
        every = [policy_values(problem, np.full(S, a), problem.costs) for a in range(A)]
        self.repeat = np.stack(every, axis=1)
        self.table = self._first_plans()
        self.V = self.table.values()
        scale = np.abs(self.V).max() + np.abs(self.repeat).max() + problem.max_sensing_cost
        self.rounding = 4 * (S + 16) * np.finfo(float).eps * scale
        self.expanded = 0
        self.seconds_per_node = 1e-5
        self._optimistic: dict[int, Row] = {}
        self._states, self._weights = np.empty(POOL, np.int32), np.empty(POOL)
        self.refresh_tables()

    def _first_plans(self) -> PlanTable:
        """At each root the better of looking always and repeating one action for good."""
        problem = self.problem
        seen, Q = solve_baseline(problem, problem.sensing_costs())
        best = Q.argmin(axis=1)
        plans = [Plan((int(a),), True) for a in best]
        costs = self.look_costs[np.arange(len(best)), best]
        rows: list[Row] = [(np.empty(0, int), np.empty(0))] * len(best)
        table = PlanTable(problem, plans, costs, rows)
        for s, a in enumerate(best):
            if problem.terminal[s]:
                table.put(s, Plan((), False), 0.0, None)
            elif self.repeat[s].min() < seen[s]:
                a = int(self.repeat[s].argmin())
                table.put(s, Plan((a,), False), self.repeat[s, a], None)
            else:
                landing = problem.discount * problem.transitions[a][[s]].toarray()[0]
                table.put(s, plans[s], costs[s], landing)
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

    def refresh_tables(self) -> None:
        """Hand the present delayed-information bound to the searches."""
        self.tables = make_tables(self.problem, self.information, self.repeat)

    def spread(self, settled: float, budget: Budget) -> None:
        """Let the roots' bounds and the delayed-information bound tighten each other."""
        self.information.raise_roots(self.L)
        self.information.climb(budget, settled)
        self.L = np.minimum(np.maximum(self.L, self.information.W0), self.V)
        self.refresh_tables()

    def visits(self) -> np.ndarray:
        """How often each root is landed on from start (S,), discounted: along the plans of V plus
        along those that look best against L."""
        total = np.zeros(len(self.V))
        for rows in (dict(enumerate(self.table.rows)), self._optimistic):
            now = self.problem.start
            for _ in range(VISIT_TERMS):
                total += now
                ahead = np.zeros(len(now))
                for j in np.flatnonzero(now > 1e-6):
                    if j in rows:
                        ahead[rows[j][0]] += now[j] * rows[j][1]
                now = ahead
                if now.sum() < 1e-3:
                    break
        return total

    def round(self, limit: int, share: float, budget: Budget) -> dict[int, int]:
        """Search from the roots that hold the gap; returns how many searches ended which way.

        limit : nodes expanded in one search; share : of the gap that may stay open at a root
        """
        visits = self.visits()
        slack = share * max(self.upper - self.lower, 0.0) / visits.sum()
        weighted = visits * (self.V - self.L)
        order = np.argsort(-weighted, kind="stable")
        within = np.cumsum(weighted[order]) <= COVERED * weighted.sum()
        roots = order[: int(within.sum()) + 1]
        ends = dict.fromkeys(range(3), 0)
        for i, j in enumerate(roots):
            if i % 8 == 0:
                if i % 64 == 0:
                    self._evaluate()
                QL, QV = (action_values(self.problem, X, self.look_costs) for X in (self.L, self.V))
                scores = pack_scores(self.tables, QL, QV)
            if self.V[j] - self.L[j] <= slack:
                continue
            if budget.over():
                break
            ends[self._search(int(j), scores, slack, limit, budget).why] += 1
        self._evaluate()
        return ends

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
        tails = {
            a: self._tail(a)
            for a in {p.actions[-1] for p in self.table.plans if p.actions and not p.senses}
        }
        plans = [
            p if p.senses or not p.actions else Plan(p.actions + tails[p.actions[-1]], False)
            for p in self.table.plans
        ]
        return PlanPolicy(self.problem, plans)

    def _tail(self, action: int) -> tuple[int, ...]:
        """As many repetitions as can still matter from any live state."""
        alpha, T = self.problem.discount, self.problem.transitions[action]
        alive, steps = (~self.problem.terminal).astype(float), 0
        while alpha**steps * alive.max() > NEGLIGIBLE * (1 - alpha):
            alive = T @ alive
            steps += 1
        return (action,) * steps


@cache
def compile_search() -> None:
    """Compile (or load) the search, once a process, on a problem of two states."""
    T = [[[0.5, 0.5], [0.5, 0.5]], [[1.0, 0.0], [0.0, 1.0]]]
    tiny = RootBounds(SensingMDP.from_arrays(T, [[0.0, 1.0], [1.0, 0.0]], 0.5, 0.1))
    scores = pack_scores(tiny.tables, tiny.look_costs, tiny.look_costs)
    tiny._search(0, scores, 0.0, 2, Budget())
