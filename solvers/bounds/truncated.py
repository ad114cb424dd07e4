"""The exact optimum of M_{k,N}, in which at most N blind steps follow one another.

A policy of M_{k,N} is one plan of at most N blind steps and a look for each root, so M_{k,N} is
solved by policy iteration over plans.  With V the root values so far, one round finds for every
root the plan of least

    Z(i) + alpha^m min_a [B(i) C(a) + k(B(i), a) + alpha B(i) T(a) V],      i in L_m, m <= N,

by walking the tree of blind strings with subtrees cut that cannot beat V (Theorem 4.4's bound plus
the look that must come within N steps), then evaluates all plans in one linear system.  The values
fall every round and there are finitely many plans, so it ends, at the optimum.

A plan replaces another if it is cheaper by more than rounding can have changed the two costs, both
taken with the same V after the look: the old one's by what one round of it may be off by, the new
one's by a share of what it is itself summed from.  What other plans would pay is not part of
either, nor is the proven error of V: near discount 1 that is the rounding of thousands of rounds,
and would hide what a plan saves in one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from solvers.bounds.blind_tree import BlindTree, OutOfTime
from solvers.core.baseline import TIE, Baseline, action_values, baseline, lowest_argmin
from solvers.core.budget import Budget, SolverError
from solvers.core.evaluation import unroll
from solvers.core.landings import Landings
from solvers.core.model import SensingMDP
from solvers.core.plan_table import PlanTable
from solvers.core.policy import Plan, PlanPolicy
from solvers.kernels.dots import picked_dots
from solvers.kernels.returns import UNIT, ReturnSystem, residual, solve_proven

MEMORY_MB = 4096.0
"""Most memory a layer of the tree may take, when nothing else is asked for."""


@dataclass(frozen=True)
class ValuedPlans:
    """Plans of all roots with their values (S,) and the proven error (S,) of each.

    system : ``I - P`` with P the landings of all plans
    sizes : (S,), what each value is summed from, in absolute terms
    slip : (S,), by how much the cost of one round, which goes on with ``values``, may miss them
    """

    table: PlanTable
    values: np.ndarray
    error: np.ndarray
    system: ReturnSystem
    sizes: np.ndarray
    slip: np.ndarray

    @classmethod
    def of_plans(cls, problem: SensingMDP, plans: Iterable[Plan]) -> ValuedPlans:
        """These plans, evaluated."""
        policy = PlanPolicy(problem, plans)
        found = unroll(problem, policy)
        costs = found.gains[:, 0].copy()
        table = PlanTable(problem, policy.plans, costs, Landings(found.P))
        P = found.P
        values, error, system = solve_proven(P, costs, found.error, found.rho)
        rest, rounding = residual(P.indptr, P.indices, P.data, costs, values)
        slip = np.abs(rest) + rounding + found.error + found.rho * (P @ np.abs(values))
        return cls(table, values, error, system, system.solve(found.size), slip)


class Rounding:
    """What the cost of a plan may be off by, from what that plan itself pays.

    V, error : (S,), what is found at the end of the plan's last step, and how far it may be off
    share : what sums over states and steps may be off by, as a share of their absolute terms
    """

    def __init__(
        self, problem: SensingMDP, V: np.ndarray, error: np.ndarray | float, share: float
    ) -> None:
        self.share, self.discount = share, problem.discount
        self.last = share * action_values(problem, np.abs(V), np.abs(problem.costs))  # (S, A)
        self.last += action_values(problem, np.zeros(len(V)) + error, np.zeros(self.last.shape))

    def of_last(
        self, beliefs: np.ndarray, actions: np.ndarray, k: np.ndarray | float = 0.0
    ) -> np.ndarray:
        """Of the last step alone: beliefs (n, S), its actions (n,), the price of its look (n,)."""
        return self.share * k + picked_dots(beliefs, actions, self.last)[0]

    def of(self, tree: BlindTree, actions: np.ndarray, k: np.ndarray | float = 0.0) -> np.ndarray:
        """Of each node's string and a last step with these actions (n,): (n,)."""
        last = self.of_last(tree.beliefs, actions, k)
        return self.share * tree.sizes + self.discount**tree.depth * last

    def of_some(
        self, tree: BlindTree, some: np.ndarray, actions: np.ndarray, k: np.ndarray
    ) -> np.ndarray:
        """The same at the nodes ``some`` (n,) bool alone; at others it may be 0."""
        if 2 * np.count_nonzero(some) > len(some):  # not worth a copy of their beliefs
            return self.of(tree, actions, k)
        slip = np.zeros(len(some))
        last = self.of_last(tree.beliefs[some], actions[some], k[some])
        slip[some] = self.share * tree.sizes[some] + self.discount**tree.depth * last
        return slip


def rounding_share(problem: SensingMDP, depth: int) -> float:
    """What the cost of a string of so many steps may be off by, as a share of what it is summed
    from."""
    return 4 * (depth + 3) * (problem.num_states + 8) * UNIT


def check_depth(depth: int) -> None:
    """Refuse a depth that is not a whole number of blind steps."""
    if not isinstance(depth, int | np.integer) or depth < 0:
        raise SolverError(f"depth is {depth!r}; expected a whole number of blind steps, 0 or more")


def solve_truncated(
    problem: SensingMDP,
    depth: int,
    memory_mb: float = MEMORY_MB,
    *,
    budget: Budget | None = None,
) -> tuple[ValuedPlans, int, bool]:
    """The optimal plans of M_{k,depth}, the rounds it took, and whether it closed in the budget."""
    seen = baseline(problem, budget=budget)
    found, rounds = ValuedPlans.of_plans(problem, _plans_of_depth_zero(problem)), 0
    tried = {tuple(found.table.plans)}
    while True:
        if budget is not None and budget.over():
            return found, rounds, False
        try:
            better = _better_plans(problem, seen, found, depth, memory_mb, budget)
        except OutOfTime:
            return found, rounds, False
        rounds += 1
        if not better:
            return found, rounds, True
        plans = [better.get(j, plan) for j, plan in enumerate(found.table.plans)]
        after = ValuedPlans.of_plans(problem, plans)
        again = tuple(after.table.plans) in tried
        if again or not (after.values < found.values).any():  # what remains is rounding
            return found, rounds, True
        found = after
        tried.add(tuple(found.table.plans))


def _plans_of_depth_zero(problem: SensingMDP) -> list[Plan]:
    """M_{k,0}: look after every action, knowing what looking costs."""
    paid = baseline(problem, problem.look_costs.at_roots())
    actions = lowest_argmin(paid.Q, TIE * paid.size)
    return [
        Plan((), False) if end else Plan((int(a),), True)
        for a, end in zip(actions, problem.terminal, strict=True)
    ]


def _better_plans(
    problem: SensingMDP,
    seen: Baseline,
    found: ValuedPlans,
    depth: int,
    memory_mb: float,
    budget: Budget | None,
) -> dict[int, Plan]:
    """For each root the best plan of at most ``depth`` blind steps when looks land on the values
    found, if it is better than the one found."""
    # A look comes after ``depth`` blind steps at the latest.
    least_look = problem.look_costs.least() * problem.discount**depth
    V = found.values
    look_scores = action_values(problem, V, problem.costs)
    own = np.where(np.isfinite(found.slip), found.slip, TIE * np.abs(V))
    rounding = Rounding(problem, V, 0.0, rounding_share(problem, depth))
    tree = BlindTree(problem, problem.costs, seen.Q, memory_mb, budget)
    best, plans = V - own, dict[int, Plan]()
    while True:
        tree.check_clock()
        prices = problem.sensing_cost_at(tree.beliefs)
        scores = tree.beliefs @ look_scores + prices
        every, chosen = np.arange(len(tree)), scores.argmin(axis=1)
        value = tree.Z + problem.discount**tree.depth * scores[every, chosen]
        cheaper = value < best[tree.roots]
        if cheaper.any():
            k = prices[every, chosen]
            slip = rounding.of_some(tree, cheaper, chosen, k)
            for node in _best_nodes(tree.roots, value, slip, best):
                root, i = int(tree.roots[node]), [node]
                near = rounding.of_last(tree.beliefs[i], chosen[i], k[i])
                a = int(lowest_argmin(scores[i], near)[0])
                best[root] = value[node] - slip[node]
                plans[root] = Plan((*tree.string(node), a), True)
        if tree.depth == depth:
            break
        tree.cut(best, least_look)
        if not len(tree):
            break
        tree.grow(best, least_look)
        if not len(tree):
            break
    return plans


def _best_nodes(
    roots: np.ndarray, value: np.ndarray, slip: np.ndarray, best: np.ndarray
) -> np.ndarray:
    """The first least-valued node of each root that beats ``best`` by more than its own rounding
    ``slip``: indices of nodes."""
    better = np.flatnonzero(value + slip < best[roots])
    order = better[np.lexsort((better, value[better], roots[better]))]
    return order[np.unique(roots[order], return_index=True)[1]]
