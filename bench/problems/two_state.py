"""Two states, two actions, discount 0.5: Section 5, the supplement, and App. E.2 of the paper."""

from __future__ import annotations

from functools import partial

import numpy as np

from bench.problems.problem import Problem
from solvers.core.model import SensingMDP
from solvers.core.sensing_cost import SensingCost

DISCOUNT = 0.5
ACTIONS = ("R", "B")  # red, blue: the paper's letters
# (probability of leaving the state, cost), for red and blue, in state 0 and in state 1
TWO_STATE = {"R": ((0.3, 0.0), (0.2, 1.0)), "B": ((0.7, 1.0), (0.9, 0.0))}
TWO_STATE_B = {"R": ((0.3, 0.25), (0.2, 0.75)), "B": ((0.7, 1.0), (0.9, 0.5))}
COUNTEREXAMPLE = {"R": ((0.72, 0.066), (0.934, 0.502)), "B": ((0.69, 0.29), (0.481, 0.41))}


def _build(
    sensing_cost: SensingCost, *, name: str, numbers: dict[str, tuple[tuple[float, float], ...]]
) -> SensingMDP:
    leave = np.array([[p for p, _ in numbers[a]] for a in ACTIONS])
    costs = np.array([[numbers[a][s][1] for a in ACTIONS] for s in range(2)])
    T = np.stack([[[1 - p0, p0], [p1, 1 - p1]] for p0, p1 in leave])
    return SensingMDP.from_arrays(T, costs, DISCOUNT, sensing_cost, name=name, action_names=ACTIONS)


def _problem(name: str, title: str, numbers: dict, costs: tuple[float, ...]) -> Problem:
    return Problem(
        id=name,
        title=title,
        build=partial(_build, name=name, numbers=numbers),
        sensing_costs=costs,
        rewards=False,
        digits=6,
        size=(2, 2),
    )


PROBLEMS = [
    _problem("two-state", "Two states", TWO_STATE, (0.25, 0.01)),
    _problem("two-state-b", "Two states (b)", TWO_STATE_B, (0.125, 0.01)),
    _problem("two-state-counterexample", "Two states, counterexample", COUNTEREXAMPLE, (0.005,)),
]
