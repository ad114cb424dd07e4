"""Inspection and replacement: a device that ages and fails in silence.

The state is the device's age, 0 … 24 periods, or *failed*.  *run* ages it by one period, or it
fails with the hazard of its age; a failed device costs 1 a period until it is replaced, and
nobody sees it fail.  *replace* costs 4 and puts in a new one, failed or not.  A look (an
inspection) shows age and failure after the step.  Lifetimes follow a Weibull law of shape 2.5 and
scale 15 periods, in steps:

    hazard(t) = 1 - exp( (t / 15)^2.5 - ((t + 1) / 15)^2.5 ),

and from the last age on the hazard stays as it is.  Since *replace* makes the age known, a plan is
an inspection schedule: run m₁ periods, inspect; if it still works, m₂ more; … with m falling with
age.

Source: the inspection model of Barlow and Proschan, "Mathematical Theory of Reliability" (1965,
ch. 4.3), and Derman's Markov replacement (1963): silent failure, inspection at a price,
replacement by age.  The numbers are ours, chosen so that inspecting and replacing by age both
matter; discount 0.98.  Family: ``ages``, ``shape``, ``scale``, ``replacement``.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from bench.problems.problem import Problem
from solvers import SensingMDP

DISCOUNT = 0.98
AGES, SHAPE, SCALE, REPLACEMENT = 25, 2.5, 15.0, 4.0
DOWN = 1.0
RUN, REPLACE = 0, 1


def hazard(ages: int, shape: float, scale: float) -> np.ndarray:
    """Chance to fail in the period that follows each age: (ages,)."""
    t = np.arange(ages)
    return 1 - np.exp((t / scale) ** shape - ((t + 1) / scale) ** shape)


def inspection(
    sensing_cost: float, *, ages: int, shape: float, scale: float, replacement: float
) -> SensingMDP:
    """Ages 0 … ages − 1 and *failed*; two actions."""
    S, failed = ages + 1, ages
    fails = hazard(ages, shape, scale)
    T = np.zeros((2, S, S))
    age = np.arange(ages)
    T[RUN, age, np.minimum(age + 1, ages - 1)] = 1 - fails
    T[RUN, age, failed] = fails
    T[RUN, failed, failed] = 1.0
    T[REPLACE, :, 0] = 1.0
    costs = np.zeros((S, 2))
    costs[failed, RUN] = DOWN
    costs[:, REPLACE] = replacement
    return SensingMDP.from_arrays(
        T,
        costs,
        DISCOUNT,
        sensing_cost,
        start=np.eye(1, S).ravel(),
        name="inspection",
        state_names=[f"age {t}" for t in age] + ["failed"],
        action_names=("run", "replace"),
    )


def _family(
    ages: int = AGES, shape: float = SHAPE, scale: float = SCALE, replacement: float = REPLACEMENT
) -> Problem:
    if not (isinstance(ages, int) and ages >= 2 and min(shape, scale, replacement) > 0):
        raise ValueError("expected 2 or more ages, and shape, scale and replacement above 0")
    build = partial(inspection, ages=ages, shape=shape, scale=scale, replacement=replacement)
    return Problem(
        id="inspection",
        title="Inspection and replacement",
        build=build,
        sensing_costs=(0.1, 0.5),
        rewards=False,
        source="Barlow and Proschan 1965; numbers of our own",
        size=(ages + 1, 2),
        family=_family,
        digits=4,
    )


PROBLEMS = [_family()]
