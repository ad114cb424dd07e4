"""What truncation proves: Theorems 4.1, 4.2 and 4.4, Lemma 4.3, App. E.1 and App. F of the paper.

With V_N the optimal root values of M_{k,N}, L_{N+1}^j the blind strings of length N + 1 from root
j, and  m_j = min over i in L_{N+1}^j of  Z(i) + alpha^{N+1} V_AS;0(i):

* Theorem 4.2:  V_N(j) - V(j) <= alpha^N k / (1 - alpha).
* Lemma 4.3:    one more blind step changes nothing at j  iff  no i in L_{N+1}^j has
                Z(i) + alpha^{N+1} min_a (B(i) C(a) + k + alpha B(i) T(a) V_N) < V_N(j).
* Theorem 4.4:  j is settled (its optimal plan has at most N blind steps) if m_j >= V_N(j); when all
                roots are, V_N is the optimum; in any case  V_N - V <= eps_N = max_j (V_N(j) - m_j).
* App. E.1:     V(j) >= min{ m_j, V_N(j) - alpha max over s != j of [V_N(s) - m_s]^+ }.

The numbers compared are rounded.  A condition counts as met where it fails by no more than its two
numbers may be off: V_N(j) by its proven error (in Lemma 4.3, which has V_N on both sides, by what
one round of its plan may be off by), a string's cost by a share of what that string, its look and
what follows are summed from.  Nothing is settled where V_N(j) may be off by more than a share VAGUE
of what it is summed from.
V_AS;0 is taken from the proven lower bound of the baseline, so it is not too large.  Prices of
looks and actions that are in neither number play no part.

V_AS;0 is the cost when looking is free, so all but Theorem 4.2 hold as they stand for non-uniform
sensing costs; there k becomes the largest sensing cost (App. F).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from solvers.bounds.blind_tree import EQUAL, BlindTree
from solvers.bounds.plan_inequality import PlanInequality
from solvers.bounds.truncated import (
    MEMORY_MB,
    Rounding,
    ValuedPlans,
    check_depth,
    rounding_share,
    solve_truncated,
)
from solvers.core.baseline import TIE, Baseline, action_values, baseline
from solvers.core.budget import Budget
from solvers.core.ending import endless_sum, row_distance, row_excess
from solvers.core.lower_bound import lower_bound_from
from solvers.core.model import SensingMDP
from solvers.core.policy import Plan
from solvers.kernels.returns import UNIT, solve_proven

VAGUE = 1e-6
"""A value whose proven error is a larger share of its terms tells no tie from a difference."""


@dataclass(frozen=True)
class Certificate:
    """What M_{k,N} proves about M_k; arrays are per root (S,).

    values : optimal values of M_{k,N}; plans : its optimal plans
    one_step : Lemma 4.3 holds; settled : Theorem 4.4's condition holds (App. E.1)
    lower_bound : App. E.1's bound, or Theorem 4.2's where that is better
    epsilon : Theorem 4.4's eps_N with rounding on the safe side, 0 when every root is settled
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
    found, _, _ = solve_truncated(problem, depth, memory_mb)
    return certify_truncated(problem, depth, found, memory_mb)


def certify_truncated(
    problem: SensingMDP,
    depth: int,
    found: ValuedPlans,
    memory_mb: float,
    budget: Budget | None = None,
) -> Certificate:
    """The certificate of M_{k,depth}, whose optimal plans are in ``found``.

    A budget that ends before the end raises :class:`solvers.bounds.blind_tree.OutOfTime`.
    """
    values = found.values
    seen = baseline(problem)
    inequality = PlanInequality(problem, seen.V, depth, memory_mb, budget)
    Q = action_values(problem, inequality.base, problem.costs)
    tree = BlindTree(problem, problem.costs, Q, memory_mb, budget)
    for _ in range(depth + 1):
        # A node at or above its root's value can neither be m_j below it nor break Lemma 4.3.
        if not len(tree):
            break
        tree.grow(values)
    longer = _longer_plans(problem, depth, found, tree, seen, inequality.base)
    settled = longer.settled
    slack = np.where(settled, 0.0, values - longer.reached)
    bound = depth_bound(problem, depth)
    strong = np.minimum(longer.reached, values - problem.discount * _largest_other(slack))
    candidate = np.maximum(strong, values - bound)
    return Certificate(
        depth=depth,
        values=values,
        plans=tuple(found.table.plans),
        one_step=longer.one_step,
        settled=settled,
        lower_bound=inequality.proven(candidate, found.system),
        epsilon=0.0 if settled.all() else float(longer.gap.max()),
        depth_bound=bound,
    )


@dataclass(frozen=True)
class _Longer:
    """What plans of more than N blind steps may save, per root (S,).

    reached : m_j, capped at V_N(j): what lies above decides nothing; gap : V_N - m_j at most, in
    spite of rounding; settled, one_step : as in Certificate
    """

    reached: np.ndarray
    gap: np.ndarray
    settled: np.ndarray
    one_step: np.ndarray


def _longer_plans(
    problem: SensingMDP,
    depth: int,
    found: ValuedPlans,
    tree: BlindTree,
    seen: Baseline,
    base: np.ndarray,
) -> _Longer:
    """From the layer N + 1 of the tree, whose bounds rest on the proven ``base`` (S,)."""
    values, error = found.values, found.error
    reached, gap = values.copy(), error.copy()
    # Where no error is proven nothing is.
    settled, one_step = error <= VAGUE * found.sizes, np.isfinite(error)
    if not len(tree):
        return _Longer(reached, gap, settled, one_step)
    roots = tree.roots
    np.minimum.at(reached, roots, tree.bound)
    # Strings whose beliefs differ by EQUAL may have been followed as one.
    share = rounding_share(problem, depth + 1) + (depth + 3) * EQUAL * tree.merged
    least = (tree.beliefs @ action_values(problem, base, problem.costs)).argmin(axis=1)
    # The true V* is between base and V; more than a tie apart, that is no rounding.
    apart = np.clip(seen.V - base, 0.0, TIE * seen.size)
    slip = Rounding(problem, base, apart, share).of(tree, least)
    np.maximum.at(gap, roots, values[roots] + error[roots] - (tree.bound - slip))
    np.logical_and.at(settled, roots, tree.bound + slip >= values[roots] - error[roots])

    prices = problem.sensing_cost_at(tree.beliefs)
    looks = tree.beliefs @ action_values(problem, values, problem.costs) + prices
    every, chosen = np.arange(len(tree)), looks.argmin(axis=1)
    shortcut = tree.Z + problem.discount**tree.depth * looks[every, chosen]
    rounding = Rounding(problem, values, 0.0, share)
    cheaper = shortcut < values[roots]
    slip = rounding.of_some(tree, cheaper, chosen, prices[every, chosen])
    np.logical_and.at(one_step, roots, shortcut + slip >= values[roots] - found.slip[roots])
    return _Longer(reached, gap, settled, one_step)


def depth_bound(problem: SensingMDP, depth: int) -> float:
    """Theorem 4.2's ``alpha^N k / (1 - alpha)``, with rows of T taken as they are."""
    if not problem.has_linear_sensing_cost:
        return np.inf
    # Looks forced every N steps: one a step at most; at discount 1 one more may find the end.
    alpha = problem.discount
    looks = endless_sum(problem) if alpha < 1 else problem.longest_stay + 1
    grown = (1 + row_excess(problem.transitions)) ** (depth + 1)
    return float(alpha**depth * problem.max_sensing_cost * looks * grown * (1 + 1e-9))


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

    ``alpha min_s min_{a1, a2} [T(a1) (Q*(a2) - V*)](s)``, or a little less: Q* is taken from below
    and V* from above, by their proven errors, and what looks cost from then on may differ between
    actions where rows of T do not sum to 1 exactly.  It is 0 as soon as one action is optimal in
    every state that may follow some state and action, so always with terminal states.
    """
    seen = baseline(problem)
    share = rounding_share(problem, 1)
    base, V = lower_bound_from(problem, seen.V), _seen_above(problem, seen)
    sizes = action_values(problem, np.abs(base), np.abs(problem.costs))
    Q = action_values(problem, base, problem.costs) - share * sizes
    regret = np.maximum(Q - V[:, None], 0.0) * (1 - share)
    regret[problem.terminal] = 0.0
    least = min(float((T @ regret).min()) for T in problem.transitions)
    return float(problem.discount * least * (1 - share) / (1 + _uneven_looks(problem)))


def _uneven_looks(problem: SensingMDP) -> float:
    """At least the difference in discounted numbers of looks between two ways to look always, which
    comes from rows of T that do not sum to 1; infinite where the discount is too near to 1."""
    off, fades = problem.discount * row_distance(problem.transitions), 1 - problem.discount
    return 2 * off / (fades - off) / (fades + off) * (1 + 1e-9) if fades > off else np.inf


def _seen_above(problem: SensingMDP, seen: Baseline) -> np.ndarray:
    """At least V*: the value of the policy found, with its proven error: (S,)."""
    policy, every = seen.Q.argmin(axis=1), np.arange(problem.num_states)
    costs = np.where(problem.terminal, 0.0, problem.costs[every, policy])
    P = problem.discount * problem.policy_matrix(policy)
    V, error, _ = solve_proven(P, costs, rho=np.full(problem.num_states, 4 * UNIT))
    return np.nextafter(V + error, np.inf)
