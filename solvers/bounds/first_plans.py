"""The plans a search starts from: at each root the better of two that need no search."""

from __future__ import annotations

import numpy as np

from solvers.core.model import SensingMDP
from solvers.core.plan_table import PlanTable
from solvers.core.policy import Plan


def first_plans(problem: SensingMDP, look_values: np.ndarray) -> PlanTable:
    """At each root the better of looking always and repeating one action for good.

    look_values : (S, A) cost of acting and looking if looks were free from then on; the policy that
    always looks takes the best action of these.  For a uniform sensing cost that is the best such
    policy.
    """
    best, again = look_values.argmin(axis=1), problem.constant_action_values.argmin(axis=1)
    table = PlanTable.looking_always(problem, best)
    live = np.flatnonzero(~problem.terminal)
    seen, blind = table.values(), problem.constant_action_values
    for s in live[blind[live, again[live]] < seen[live]]:
        table.put(s, Plan((int(again[s]),), False), blind[s, again[s]], None)
    return table
