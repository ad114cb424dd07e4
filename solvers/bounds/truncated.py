"""The exact optimum of M_{k,N}, in which at most N blind steps follow one another.

A policy of M_{k,N} is one plan of at most N blind steps and a look for each root, so M_{k,N} is
solved by policy iteration over plans.  With V the root values so far, one round finds for every
root the plan of least

    Z(i) + alpha^m min_a [B(i) C(a) + k(B(i), a) + alpha B(i) T(a) V],      i in L_m, m <= N,

by walking the tree of blind strings with subtrees cut that cannot beat V (Theorem 4.4's bound plus
the look that must come within N steps), then evaluates all plans in one linear system.  The values
fall every round and there are finitely many plans, so it ends, at the optimum.
"""

from __future__ import annotations

import numpy as np

from solvers.bounds.blind_tree import BlindTree, OutOfTime
from solvers.core.baseline import (
    TIE,
    Baseline,
    action_values,
    baseline,
    lowest_argmin,
    value_sizes,
)
from solvers.core.budget import Budget, SolverError
from solvers.core.model import SensingMDP
from solvers.core.plan_table import PlanTable
from solvers.core.policy import Plan

MEMORY_MB = 4096.0
"""Most memory a layer of the tree may take, when nothing else is asked for."""


def check_depth(depth: int) -> None:
    """Refuse a depth that is not a whole number of blind steps."""
    if not isinstance(depth, int | np.integer) or depth < 0:
        raise SolverError(f"depth is {depth!r}; expected a whole number of blind steps, 0 or more")


def solve_truncated(
    problem: SensingMDP,
    depth: int,
    memory_mb: float = MEMORY_MB,
    *,
    start: PlanTable | None = None,
    budget: Budget | None = None,
) -> tuple[PlanTable, int, bool]:
    """The optimal plans of M_{k,depth}, the rounds it took, and whether it closed in the budget.

    start : plans to begin from, at most ``depth`` blind steps each (the optimum at depth - 1, say)
    """
    seen = baseline(problem, budget=budget)
    tie = TIE * value_sizes(problem, seen)  # differences that are rounding, at each root
    table = start or _plans_of_depth_zero(problem, tie)
    V, rounds = table.values(), 0
    while True:
        if budget is not None and budget.over():
            return table, rounds, False
        try:
            table = _best_plans(problem, seen, table, V, tie, depth, memory_mb, budget)
        except OutOfTime:
            return table, rounds, False
        V_new, rounds = table.values(), rounds + 1
        if (V - V_new <= tie).all():
            return table, rounds, True
        V = V_new


def _plans_of_depth_zero(problem: SensingMDP, tie: np.ndarray) -> PlanTable:
    """M_{k,0}: look after every action, knowing what looking costs."""
    Q = baseline(problem, problem.look_costs.at_roots()).Q
    actions = lowest_argmin(Q, tie)
    plans = [
        Plan((), False) if end else Plan((int(a),), True)
        for a, end in zip(actions, problem.terminal, strict=True)
    ]
    return PlanTable.of_plans(problem, plans)


def _best_plans(
    problem: SensingMDP,
    seen: Baseline,
    reference: PlanTable,
    V: np.ndarray,
    tie: np.ndarray,
    depth: int,
    memory_mb: float,
    budget: Budget | None,
) -> PlanTable:
    """For each root the best plan of at most ``depth`` blind steps when looks land on V (S,)."""
    # A look comes after ``depth`` blind steps at the latest.
    least_look = problem.look_costs.least() * problem.discount**depth
    look_scores = action_values(problem, V, problem.costs)
    tree = BlindTree(problem, problem.costs, seen.Q, memory_mb, budget)
    best, plans = V - tie, dict[int, Plan]()
    while True:
        tree.check_clock()
        scores = tree.beliefs @ look_scores + problem.sensing_cost_at(tree.beliefs)
        value = tree.Z + problem.discount**tree.depth * scores.min(axis=1)
        for node in _best_nodes(tree.roots, value, best):
            root = int(tree.roots[node])
            a = int(lowest_argmin(scores[[node]], tie[root])[0])
            best[root] = value[node] - tie[root]
            plans[root] = Plan((*tree.string(node), a), True)
        if tree.depth == depth:
            break
        tree.cut(best, least_look)
        if not len(tree):
            break
        tree.grow(best, least_look)
        if not len(tree):
            break
    if not plans:
        return reference
    return PlanTable.of_plans(problem, [plans.get(j, p) for j, p in enumerate(reference.plans)])


def _best_nodes(roots: np.ndarray, value: np.ndarray, best: np.ndarray) -> np.ndarray:
    """The first least-valued node of each root that beats ``best``: indices of nodes."""
    better = np.flatnonzero(value < best[roots])
    order = better[np.lexsort((better, value[better], roots[better]))]
    return order[np.unique(roots[order], return_index=True)[1]]
