"""Hold: repeat one action until the next look, the best way to do so.

A part of the field takes this for the whole problem: choose an action and when to look next
(Reisinger and Tam, "Markov decision processes with observation costs", 2022; "timing as an action",
Zhou et al. 2024).  From a root the choice is a pair (a, n): play a for n steps, the last of them
with a look; or play a blind for good.  That is a semi-MDP, solved here exactly by policy iteration.
With V the root values, the cost of every pair follows from one recursion per action:

    W_1(a) = C(a) + k(a) + alpha T(a) V                 look after one step
    W_{n+1}(a) = C(a) + alpha T(a) W_n(a)               hold one step longer
    W_n(a) → W(a) = (I − alpha T(a))^-1 C(a)            never look

    V(s) = min over a and n of W_n(a)(s)

How far must n go?  W_n(a) − W(a) = (alpha T(a))^{n−1} (W_1(a) − W(a)), so no later n is below W(a)
by more than e_n, the largest entry of (alpha T(a))^{n−1} (W(a) − W_1(a))⁺, which never grows.
An action is done with once W(a) − e_n is nowhere below the best found.  What a freer plan than
these would save is the difference to the optimum.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from solvers.core.baseline import TIE, baseline, lowest_argmin, value_sizes
from solvers.core.lower_bound import lower_bound_from
from solvers.core.model import SensingMDP
from solvers.core.plan_table import PlanTable
from solvers.core.policy import Plan
from solvers.core.solution import BUDGET, SOLVED, Solution
from solvers.core.solver import Budget, Solver

SENSITIVITY = 1e-9
"""Smallest improvement of a root, as a share of its value, that asks for another round."""


@dataclass
class Hold(Solver):
    """The best policy that repeats one action until it looks; no options."""

    name = "hold"

    def supports(self, problem: SensingMDP) -> str | None:
        if not problem.has_linear_sensing_cost:
            return "its recursion needs a sensing cost that is a number or an array"
        return None

    def solve(self, problem: SensingMDP, budget: Budget) -> Solution:
        seen = baseline(problem)
        ties = TIE * value_sizes(problem, seen)  # differences that are rounding, at each root
        first = lowest_argmin(baseline(problem, problem.sensing_costs()).Q, ties)
        table = PlanTable.of_plans(
            problem,
            [
                Plan((), False) if end else Plan((int(a),), True)
                for a, end in zip(first, problem.terminal, strict=True)
            ],
        )
        rounds, status = 0, SOLVED
        while True:
            V = table.values()
            if budget.over():
                status = BUDGET
                break
            enough = ties + SENSITIVITY * np.abs(V)
            best, plans = best_holds(problem, V, ties, budget)
            better = best < V - enough
            rounds += 1
            if not better.any():
                break
            chosen = [
                new if b else old for new, old, b in zip(plans, table.plans, better, strict=True)
            ]
            table = PlanTable.of_plans(problem, chosen)
        return Solution(
            policy=table.policy(),
            lower_bound=lower_bound_from(problem, seen.V),
            iterations=rounds,
            status=status,
        )


def best_holds(
    problem: SensingMDP, V: np.ndarray, tie: np.ndarray, budget: Budget | None = None
) -> tuple[np.ndarray, list[Plan]]:
    """The best pair (a, n) from each root, then V (S,): its costs (S,) and plans.

    tie : (S,), differences that count as none
    """
    alpha, k = problem.discount, problem.sensing_costs()
    ahead = np.where(problem.terminal, 0.0, V)
    best = np.full(problem.num_states, np.inf)
    held = np.zeros(problem.num_states, int)  # steps; 0 for good
    action = np.zeros(problem.num_states, int)
    for a, T in enumerate(problem.transitions):
        for_good = problem.constant_action_values[:, a]
        _take(best, held, action, for_good, 0, a, tie)
        W = problem.costs[:, a] + k[:, a] + alpha * (T @ ahead)
        short = np.maximum(for_good - W, 0.0)
        n = 1
        while True:
            _take(best, held, action, W, n, a, tie)
            short = alpha * (T @ short)
            live = ~problem.terminal
            if (for_good - short.max(initial=0.0) >= best - tie)[live].all():
                break
            if budget is not None and budget.over():
                break
            W = problem.costs[:, a] + alpha * (T @ W)
            n += 1
    plans = [
        Plan((), False) if end else Plan((int(a),) * max(1, n), bool(n))
        for a, n, end in zip(action, held, problem.terminal, strict=True)
    ]
    return np.where(problem.terminal, 0.0, best), plans


def _take(
    best: np.ndarray,
    held: np.ndarray,
    action: np.ndarray,
    cost: np.ndarray,
    n: int,
    a: int,
    tie: np.ndarray,
) -> None:
    """Note the roots at which this pair is the best so far."""
    better = cost < best - tie
    best[better], held[better], action[better] = cost[better], n, a
