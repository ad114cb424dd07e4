"""Where a policy looks, and what one look is worth in each state.

How often root s is seen, discounted: ``x = start + Pᵀ x`` with P the landing distribution of the
policy's plans.  What a look after the next step is worth in s: the difference between the best that
can be had without it and the best with it for nothing,

    worth(s) = B(s) − min over a of [C(a) + alpha T(a) V](s)

where all later looks are paid as usual.  B(s) is the cheapest plan known that stays blind in its
first step: the policy's own plan if it does, all pairs of a blind step and a look, and all ways to
repeat one action.  A look pays at once where it is worth more than k.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import splu

from solvers.core.baseline import TIE, action_values
from solvers.core.evaluation import unroll
from solvers.core.model import SensingMDP
from solvers.core.policy import PlanPolicy
from solvers.planners.hold import best_holds

MOST_ACTIONS = 64
"""With more actions than this, pairs of a blind step and a look are not all tried."""


def visits(problem: SensingMDP, policy: PlanPolicy) -> np.ndarray:
    """How often each root is the state last seen when a plan begins, discounted: (S,)."""
    P = unroll(problem, policy).P
    system = sparse.csc_array(sparse.eye_array(problem.num_states) - P.T)
    return np.maximum(splu(system).solve(problem.start), 0.0)


def look_worth(problem: SensingMDP, policy: PlanPolicy, V: np.ndarray) -> np.ndarray:
    """What a look after the next step is worth in each state, at most: (S,); 0 where it is over."""
    free = action_values(problem, V, problem.costs).min(axis=1)
    return np.where(problem.terminal, 0.0, np.maximum(blind_first(problem, policy, V) - free, 0.0))


def blind_first(problem: SensingMDP, policy: PlanPolicy, V: np.ndarray) -> np.ndarray:
    """The cheapest plan known from each root whose first step is blind: (S,)."""
    own = [len(plan.actions) > 1 or not plan.senses for plan in policy.plans]
    best = np.where(own, V, np.inf)
    Q = action_values(problem, V, problem.costs + problem.sensing_costs())
    if problem.num_actions <= MOST_ACTIONS:
        for a, T in enumerate(problem.transitions):
            then = (T @ Q).min(axis=1)
            best = np.minimum(best, problem.costs[:, a] + problem.discount * then)
    # Repeating an action for at least two steps: one blind step, then the best hold of the same.
    for a, T in enumerate(problem.transitions):
        held = np.minimum(problem.constant_action_values[:, a], Q[:, a])
        best = np.minimum(best, problem.costs[:, a] + problem.discount * (T @ held))
    holds, plans = best_holds(problem, V, TIE * np.abs(V))
    longer = [len(plan.actions) > 1 or not plan.senses for plan in plans]
    return np.where(longer, np.minimum(best, holds), best)
