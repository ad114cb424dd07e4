"""What truncation proves: Theorems 4.1, 4.2 and 4.4, Lemma 4.3, App. E.1 and App. F of the paper.

With V_N the optimal root values of M_{k,N}, L_{N+1}^j the blind strings of length N + 1 from root
j, and  m_j = min over i in L_{N+1}^j of  Z(i) + alpha^{N+1} V_AS;0(i):

* Theorem 4.2:  V_N(j) - V(j) <= alpha^N k / (1 - alpha).
* Lemma 4.3:    one more blind step changes nothing at j  iff  no i in L_{N+1}^j has
                Z(i) + alpha^{N+1} min_a (B(i) C(a) + k + alpha B(i) T(a) V_N) < V_N(j).
* Theorem 4.4:  j is settled (its optimal plan has at most N blind steps) if m_j >= V_N(j); when all
                roots are, V_N is the optimum; in any case  V_N - V <= eps_N = max_j (V_N(j) - m_j).
* App. E.1:     V(j) >= min{ m_j, V_N(j) - alpha max over s != j of [V_N(s) - m_s]^+ }.

V_AS;0 is the cost when looking is free, so all but Theorem 4.2 hold as they stand for non-uniform
sensing costs; there k becomes the largest sensing cost (App. F).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from solvers.bounds.blind_tree import BlindTree
from solvers.bounds.plan_inequality import PlanInequality
from solvers.bounds.truncated import MEMORY_MB, check_depth, solve_truncated
from solvers.core.baseline import TIE, action_values, baseline, value_sizes
from solvers.core.budget import Budget
from solvers.core.model import SensingMDP
from solvers.core.plan_table import PlanTable
from solvers.core.policy import Plan


@dataclass(frozen=True)
class Certificate:
    """What M_{k,N} proves about M_k; arrays are per root (S,).

    values : optimal values of M_{k,N}; plans : its optimal plans
    one_step : Lemma 4.3 holds; settled : Theorem 4.4's condition holds (App. E.1)
    lower_bound : App. E.1's bound, or Theorem 4.2's where that is better
    epsilon : Theorem 4.4's eps_N, 0 when every root is settled
    depth_bound : Theorem 4.2's alpha^N k / (1 - alpha); inf for a function of the belief
    """

    depth: int
    values: np.ndarray
    plans: tuple[Plan, ...]
    one_step: np.ndarray
    settled: np.ndarray
    lower_bound: np.ndarray
    epsilon: float
    depth_bound: float

    @property
    def optimal(self) -> bool:
        """True when M_{k,N} is proven to solve M_k."""
        return bool(self.settled.all())

    def as_info(self) -> dict[str, Any]:
        """As plain lists and numbers."""
        return {
            "one_step": self.one_step.tolist(),
            "settled": self.settled.tolist(),
            "epsilon": self.epsilon,
            "depth_bound": self.depth_bound,
            "lower_bound": self.lower_bound.tolist(),
        }


def certify(problem: SensingMDP, depth: int, memory_mb: float | None = None) -> Certificate:
    """Solve M_{k,depth} and say what it proves about M_k."""
    check_depth(depth)
    memory_mb = MEMORY_MB if memory_mb is None else memory_mb
    table, _, _ = solve_truncated(problem, depth, memory_mb)
    return certify_truncated(problem, depth, table, memory_mb)


def certify_truncated(
    problem: SensingMDP,
    depth: int,
    table: PlanTable,
    memory_mb: float,
    budget: Budget | None = None,
) -> Certificate:
    """The certificate of M_{k,depth}, whose optimal plans are in ``table``.

    A budget that ends before the end raises :class:`solvers.bounds.blind_tree.OutOfTime`.
    """
    alpha = problem.discount
    seen = baseline(problem)
    tie = TIE * value_sizes(problem, seen)  # differences that are rounding, at each root
    values, system = table.values(), table.system()
    tree = BlindTree(problem, problem.costs, seen.Q, memory_mb, budget)
    for _ in range(depth + 1):
        # A node at or above its root's value can neither be m_j below it nor break Lemma 4.3.
        if not len(tree):
            break
        tree.grow(values)
    reached = values.copy()  # m_j, capped at V_N(j): what lies above decides nothing
    shortcut = np.full(len(values), np.inf)
    if len(tree):
        np.minimum.at(reached, tree.roots, tree.bound)
        look = tree.beliefs @ action_values(problem, values, problem.costs)
        look = (look + problem.sensing_cost_at(tree.beliefs)).min(axis=1)
        np.minimum.at(shortcut, tree.roots, tree.Z + alpha ** (depth + 1) * look)
    slack = np.where(values - reached <= tie, 0.0, values - reached)
    settled = slack == 0
    k = problem.max_sensing_cost if problem.has_linear_sensing_cost else np.inf
    # Looks forced every N steps: one a step at most; at discount 1 one more may find the end.
    looks = 1 / (1 - alpha) if alpha < 1 else problem.longest_stay + 1
    depth_bound = float(alpha**depth * k * looks)
    strong = np.minimum(reached, values - alpha * _largest_other(slack))
    candidate = np.maximum(strong, values - depth_bound)
    inequality = PlanInequality(problem, seen.V, depth, memory_mb, budget)
    return Certificate(
        depth=depth,
        values=values,
        plans=tuple(table.plans),
        one_step=shortcut >= values - tie,
        settled=settled,
        lower_bound=inequality.proven(candidate, system),
        epsilon=0.0 if settled.all() else float(slack.max()),
        depth_bound=depth_bound,
    )


def _largest_other(slack: np.ndarray) -> np.ndarray:
    """For each root the largest positive slack of any other root: (S,) -> (S,)."""
    positive = np.maximum(slack, 0.0)
    if len(positive) == 1:
        return np.zeros(1)
    first, second = np.sort(positive)[::-1][:2]
    others = np.full(len(positive), first)
    others[int(positive.argmax())] = second
    return others


def always_sense_threshold(problem: SensingMDP) -> float:
    """Theorem 4.1: always sensing is optimal when k is below this.

    ``alpha min_s min_{a1, a2} [T(a1) (Q*(a2) - V*)](s)``.  It is 0 as soon as one action is optimal
    in every state that may follow some state and action, so always with terminal states.
    """
    seen = baseline(problem)
    regret = np.maximum(seen.Q - seen.V[:, None], 0.0)
    return float(problem.discount * min((T @ regret).min() for T in problem.transitions))
