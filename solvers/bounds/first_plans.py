"""The plans a search starts from: at each root the better of two that need no search."""

from __future__ import annotations

import numpy as np

from solvers.core.budget import Budget
from solvers.core.model import SensingMDP
from solvers.core.plan_table import PlanTable
from solvers.core.policy import Plan


def first_plans(
    problem: SensingMDP,
    look_values: np.ndarray,
    for_good: np.ndarray,
    L: np.ndarray,
    budget: Budget,
) -> tuple[PlanTable, np.ndarray]:
    """At each root the better of looking always and repeating one action for good, and what they
    cost (S,), or more than that where the budget is over.

    look_values : (S, A) cost of acting and looking if looks were free from then on; the policy that
    always looks takes the best action of these.  For a uniform sensing cost that is the best such
    policy.  for_good : (S, A) cost of repeating each action; L : (S,), a lower bound
    """
    best, again = look_values.argmin(axis=1), for_good.argmin(axis=1)
    table = PlanTable.looking_always(problem, best)
    stay = 1 / (1 - problem.discount) if problem.discount < 1 else 0.0
    guess = np.where(problem.terminal, 0.0, L + problem.max_sensing_cost * stay)
    if budget.over():
        return table, table.system().above(table.costs, guess)
    live = np.flatnonzero(~problem.terminal)
    seen, blind = table.values_above(guess), for_good.min(axis=1)
    chosen = live[blind[live] < seen[live]]
    for s in chosen.tolist():
        table.put(s, Plan((int(again[s]),), False), blind[s], None)
    return table, table.values_above(np.minimum(seen, blind)) if len(chosen) else seen
