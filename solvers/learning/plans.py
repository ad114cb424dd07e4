"""Greedy policies of learners as plans, one per state last seen.

A learner follows its own belief, made with its own model, so its plan from a root is found by
walking that model, not the true one.  What the plan is worth is the true problem's affair.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from solvers.core.model import SensingMDP
from solvers.core.policy import Plan, PlanPolicy
from solvers.core.solver import Budget, make_solver
from solvers.core.written_plans import unroll_plans

LONGEST = 2000
"""Blind steps that are written out of a string that goes round in a circle for ever."""
PLAN_SECONDS = 20.0
"""Budget of one plan, for planners that would go on."""
NOTHING = 1e-9
"""A discount that no decision outlives."""
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


def last_step_that_counts(discount: float) -> int:
    """Steps after which what is left is discounted to nothing."""
    return math.ceil(math.log(NOTHING) / math.log(discount)) if discount < 1 else LONGEST


def walked_plans(
    choose: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray, np.ndarray]],
    roots: np.ndarray,
    size: int,
    longest: int,
) -> dict[int, Plan]:
    """Plans of an agent that follows a belief, from each of ``roots``.

    choose : beliefs (n, size) -> actions (n,), looks (n,), beliefs (n, size) after the action
    size : states of the agent's model, the last of which is the end of the episode
    longest : a plan looks at this step if it has not before
    """
    beliefs = np.zeros((len(roots), size))
    beliefs[np.arange(len(roots)), roots] = 1.0
    strings: dict[int, list[int]] = {int(r): [] for r in roots}
    plans: dict[int, Plan] = {}
    for depth in range(1, longest + 1):
        actions, looks, after = choose(beliefs)
        looks = looks | (depth == longest)
        over = ~looks & (1 - beliefs[:, -1] <= ENDED)
        for root, a, look, end in zip(roots, actions, looks, over, strict=True):
            strings[int(root)].append(int(a))
            if look or end:
                plans[int(root)] = Plan(tuple(strings[int(root)]), bool(look))
        on = ~(looks | over)
        if not on.any():
            break
        roots, beliefs = roots[on], after[on]
    return plans


def plan_with(planner: str, model: SensingMDP, num_states: int, **options: Any) -> list[Plan]:
    """A planner's plans for the first ``num_states`` of a learned model.

    What they cost in that model is not asked, so the solver is called without the evaluation of
    :func:`solve`.  SPI has no time limit: it ends by itself, and a run repeats on any machine.
    """
    seconds = math.inf if planner == "spi" else PLAN_SECONDS
    policy = make_solver(planner, **options).solve(model, Budget(seconds)).policy
    if isinstance(policy, PlanPolicy):
        return list(policy.plans[:num_states])
    return unroll_plans(model, policy, np.arange(num_states), limit=LONGEST)


def look_always(actions: np.ndarray) -> list[Plan]:
    """The plans of an agent that plays ``actions`` (S,) and looks at every step."""
    return [Plan((int(a),), True) for a in actions]
