"""Greedy policies of learners as plans, one per state last seen.

A learner follows its own belief, made with its own model, so its plan from a root is found by
walking that model, not the true one.  What the plan is worth is the true problem's affair.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from scipy import sparse

from solvers.core.model import SensingMDP
from solvers.core.policy import Plan, PlanPolicy, Policy
from solvers.core.unrolling import unroll_plans

LONGEST = 2000
"""Blind steps that are written out of a string that goes round in a circle for ever."""
ENDED = 1e-10
"""Live probability below which a blind plan has nothing more to decide."""


def cyclic_plan(root: int, actions: np.ndarray, looks: np.ndarray, guess: np.ndarray) -> Plan:
    """The plan of an agent that takes its guess of the state for the state.

    actions, looks, guess : (S,) what it does in each state and where it then believes to be
    """
    string: list[int] = []
    at, first = root, {}
    while True:
        string.append(int(actions[at]))
        if looks[at]:
            return Plan(tuple(string), True)
        first[at] = len(string) - 1
        at = int(guess[at])
        if at in first:  # blind for good, going round
            circle = string[first[at] :]
            if len(set(circle)) > 1:
                string += circle * (max(0, LONGEST - len(string)) // len(circle))
            return Plan(tuple(string), False)


def walked_plans(
    transitions: Sequence[sparse.csr_array],
    choose: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]],
    roots: np.ndarray,
    live: np.ndarray,
    longest: int,
) -> dict[int, Plan]:
    """Plans of an agent that follows a belief, from each of ``roots``.

    transitions : (S, S) of each action, of the agent's model
    choose : beliefs (n, S) -> actions (n,), looks (n,)
    live : (S,) bool, states in which something can still happen
    longest : a plan looks at this step if it has not before
    """
    S = transitions[0].shape[0]
    beliefs = np.zeros((len(roots), S))
    beliefs[np.arange(len(roots)), roots] = 1.0
    strings: dict[int, list[int]] = {int(r): [] for r in roots}
    plans: dict[int, Plan] = {}
    for depth in range(1, longest + 1):
        actions, looks = choose(beliefs)
        looks = looks | (depth == longest)
        over = ~looks & (beliefs @ live <= ENDED)
        for root, a, look, end in zip(roots, actions, looks, over, strict=True):
            strings[int(root)].append(int(a))
            if look or end:
                plans[int(root)] = Plan(tuple(strings[int(root)]), bool(look))
        on = ~(looks | over)
        if not on.any():
            break
        roots, beliefs, actions = roots[on], beliefs[on], actions[on]
        for a in np.unique(actions):
            beliefs[actions == a] = beliefs[actions == a] @ transitions[a]
    return plans


def planned(model: SensingMDP, policy: Policy, num_states: int) -> list[Plan]:
    """The plans of a deterministic policy made for ``model``, for its first ``num_states``."""
    if isinstance(policy, PlanPolicy):
        return list(policy.plans[:num_states])
    return unroll_plans(model, policy, np.arange(num_states), limit=LONGEST)


def look_always(actions: np.ndarray) -> list[Plan]:
    """The plans of an agent that plays ``actions`` (S,) and looks at every step."""
    return [Plan((int(a),), True) for a in actions]
