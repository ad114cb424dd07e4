"""Published numbers, as data: the paper's own, and those of the field.

``data/published.csv`` has one fact per line: source, problem, quantity, sensing cost, the number
as the paper prints it, its unit and a note.  A printed number stands for an interval: all that
rounds to it, also in two steps (−5.7449 to −5.745 to −5.75), so 0.55 units of its last digit to
either side; and all that is cut to it, a whole unit away from zero (−0.30653 to −0.306).  A bare
``0`` is rounded to as many decimals as the problem's other values.

``data/field.csv`` holds the numbers of other papers in the same columns and two more: the standard
error where one is stated (the number then stands for two of it to either side) and what was counted
(a learner's mean return in training, a planner's simulation, a bound).
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from bench.problems import Problem, find_problem
from bench.store.costs import number_or_text

QUANTITIES = {
    "atm": "ATM",
    "spi": "SPI",
    "julia-sarsop": "SARSOP",
    "fib": "FIB",
    "julia-fib": "FIB",
    "pomcp": "POMCP",
    "julia-pomcp": "POMCP",
    "truncation": "truncation N={depth}",
    "always-sense": "Always observe",
    "amrl-q": "AMRL",
    "dyna-atmq": "Dyna-ATMQ",
    "observe-then-plan": "Observe-then-Plan",
}
"""What the sources call the method behind each of our solver ids."""
OTHER_METHOD = {"spi": ("init", "always-sense")}
"""A solver whose option, at another value than this, makes a method the paper does not have."""
ROUNDED = 0.55
"""How far rounding moves a number, in units of the last digit kept."""
ERRORS = 2.0
"""Standard errors to either side of a simulated number that still count as the same."""
ANY_COST = "max over k"
OTHER_COUNT = "no discount"
"""In what was counted: a sum that our value, which is discounted there, cannot be held against."""


@dataclass(frozen=True)
class Fact:
    """One line of the data: ``text`` is the number as printed."""

    source: str
    problem: str
    quantity: str
    sensing_cost: str
    text: str
    unit: str
    note: str
    error: str = ""
    counted: str = ""


@dataclass(frozen=True)
class Published:
    """What the paper reports for one instance, in the units our tables print.

    value : as :meth:`Problem.shown` would give it; text : the same as the paper prints it
    low, high : the numbers that print as this one
    seconds : the paper's planning time (its largest over k where only that is given), or None
    """

    value: float
    text: str
    low: float
    high: float
    seconds: float | None
    source: str
    note: str


@cache
def facts() -> tuple[Fact, ...]:
    """Every number the paper and the field's papers state."""
    found: list[Fact] = []
    for name in ("published.csv", "field.csv"):
        text = files("bench.analysis").joinpath(f"data/{name}").read_text(encoding="utf-8")
        found += [Fact(*line) for line in list(csv.reader(text.splitlines()))[1:]]
    return tuple(found)


def field_facts(problem: str) -> list[Fact]:
    """What other papers report on a problem, whatever the method, in the order of the file."""
    return [fact for fact in facts() if fact.counted and fact.problem == problem]


def published(
    problem: str, solver: str, options: Mapping[str, Any], sensing_cost: float | str
) -> Published | None:
    """The paper's result for a solver of ours on one instance; None where it has none like ours."""
    quantity = _quantity(solver, options)
    fact = _find(problem, quantity, sensing_cost)
    if fact is None or OTHER_COUNT in fact.counted:
        return None
    time = _find(problem, f"{quantity} time", sensing_cost)
    return _in_our_units(fact, None if time is None else float(time.text))


def best_published(problem: str, sensing_cost: float | str) -> tuple[str, Published] | None:
    """The best value the paper reports on an instance, with the method's name there."""
    methods = {q for s, q in QUANTITIES.items() if s != "truncation"} | {"truncation N=3"}
    found = [(m, _find(problem, m, sensing_cost)) for m in sorted(methods)]
    ours = [(m, _in_our_units(f, None)) for m, f in found if f is not None]
    better = max if ours and find_problem(problem).rewards else min
    return better(ours, key=lambda pair: pair[1].value) if ours else None


def first_depth(problem: str, quantity: str, sensing_cost: float | str) -> int | None:
    """A depth N the paper states, such as "Theorem 4.4 first holds at N"."""
    fact = _find(problem, quantity, sensing_cost)
    return None if fact is None else int(fact.text)


def _quantity(solver: str, options: Mapping[str, Any]) -> str | None:
    if solver in OTHER_METHOD:
        option, papers = OTHER_METHOD[solver]
        if options.get(option, papers) != papers:
            return None
    name = QUANTITIES.get(solver)
    return name.format(depth=options.get("depth")) if name else None


@cache
def _index() -> dict[tuple[str, str, float | str], Fact]:
    return {(f.problem, f.quantity, number_or_text(f.sensing_cost)): f for f in facts()}


def _find(problem: str, quantity: str | None, sensing_cost: float | str) -> Fact | None:
    if quantity is None:
        return None
    at = _index().get((problem, quantity, number_or_text(sensing_cost)))
    return at if at is not None else _index().get((problem, quantity, ANY_COST))


def _in_our_units(fact: Fact, seconds: float | None) -> Published:
    problem = find_problem(fact.problem)
    factor = _factor(fact.unit, problem)
    number = float(fact.text)
    decimals = len(fact.text.partition(".")[2]) if number else problem.digits
    unit = 10.0**-decimals
    ends = (
        (number - (1 if number < 0 else ROUNDED) * unit) * factor,
        (number + (1 if number > 0 else ROUNDED) * unit) * factor,
    )
    if fact.error:
        error = ERRORS * float(fact.error)
        ends = ((number - error) * factor, (number + error) * factor)
    return Published(
        value=number * factor,
        text=fact.text if factor == 1 else f"{number * factor:.6g}",
        low=min(ends),
        high=max(ends),
        seconds=seconds,
        source=fact.source,
        note=fact.note,
    )


def _factor(unit: str, problem: Problem) -> float:
    """From the unit of a fact ("reward", "reward x 1000", "cost") to the problem's own."""
    kind, _, scale = unit.partition(" x ")
    sign = 1.0 if (kind == "reward") == problem.rewards else -1.0
    return sign * problem.scale / float(scale or 1)
