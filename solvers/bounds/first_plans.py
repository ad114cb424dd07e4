"""The plans a search starts from: at each root the better of two that need no search."""

from __future__ import annotations

import numpy as np

from solvers.core.model import SensingMDP
from solvers.core.plan_table import PlanTable, Row
from solvers.core.policy import Plan
from solvers.kernels.mixtures import Rows

NOWHERE: Row = (np.empty(0, int), np.empty(0))
"""Where a plan that never looks lands."""


def first_plans(problem: SensingMDP, rows: Rows, look_values: np.ndarray) -> PlanTable:
    """At each root the better of looking always and repeating one action for good.

    look_values : (S, A) cost of acting and looking if looks were free from then on; the policy that
    always looks takes the best action of these.  For a uniform sensing cost that is the best such
    policy.
    """
    best, again = look_values.argmin(axis=1), problem.constant_action_values.argmin(axis=1)
    costs = (problem.costs + problem.sensing_costs())[np.arange(len(best)), best]
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
    seen, blind = table.values(), problem.constant_action_values
    for s in live[blind[live, again[live]] < seen[live]]:
        table.put(s, Plan((int(again[s]),), False), blind[s, again[s]], None)
    return table
