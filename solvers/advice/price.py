"""How the best policy changes with the price of a look.

The cost of a fixed policy is linear in the price: with the sensing cost m k for a factor m,

    V_π(m) = A_π + m L_π          A_π its cost when looks are free, L_π what its looks cost at m = 1

so the optimum, the least of all these lines, is concave and bends where one policy takes over from
another.  Two neighbouring policies meet where their lines cross; if the best policy at that price
is no better than the two, the crossing is a true change of plan, otherwise it brings in a line of
its own and the search goes on at both sides of it (the parametric search of Eisner and Severance).
Always looking is the line at price 0; where it meets the next one it stops being the best.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from solvers.bounds.certificates import always_sense_threshold
from solvers.core.evaluation import evaluate
from solvers.core.means import mean_below
from solvers.core.model import SensingMDP
from solvers.core.policy import Plan, PlanPolicy, Policy
from solvers.core.solver import Budget, solve

SAME = 1e-6
"""Lines that differ by less than this share of the value at a price are the same there."""
CLOSED = 1e-4
"""Share of the value within which lines must be proven optimal to count as finished."""
PROVEN = 1e-5
"""A bound this close, as a share of the value, proves that a policy is optimal."""
LEAST_FACTOR = 1e-3
"""A change of plan below this share of the price counts as one at price 0."""
LEAST_SECONDS = 0.2
"""A solver is given at least this long at each price."""


@dataclass(frozen=True)
class Line:
    """A policy as a line over the price: cost ``at_zero + m slope`` under the start."""

    at_zero: float
    slope: float
    plans: tuple[Plan, ...]

    def at(self, m: float) -> float:
        return self.at_zero + m * self.slope


@dataclass(frozen=True)
class Priced:
    """What was found at one price: the factor m of the problem's sensing cost, and a bound."""

    factor: float
    value: float
    lower: float


@dataclass(frozen=True)
class Prices:
    """The best policies over a range of prices.

    lines : from cheap looks to dear ones; changes : factors at which each gives way to the next
    points : the prices that were solved, with proven lower bounds
    threshold : always looking is optimal up to this factor by Theorem 4.1, at every root
    finished : whether the lines are proven to be the best at every change and at the top
    """

    lines: tuple[Line, ...]
    changes: tuple[float, ...]
    points: tuple[Priced, ...]
    threshold: float
    always: Line
    finished: bool

    @property
    def break_even(self) -> float:
        """The factor from which on a plan is known that beats always looking; inf for none.

        0 where some step is as good blind even if looks are free.
        """
        if self.lines[0].plans != self.always.plans:
            return 0.0
        first = self.changes[0] if self.changes else np.inf
        return first if first >= LEAST_FACTOR else 0.0

    @property
    def always_proven(self) -> float:
        """The largest factor up to which always looking is proven optimal from the start.

        The optimum is concave and touches the line of always looking at 0: where it is on the line
        again, it is so all the way.
        """
        closed = [
            p.factor
            for p in self.points
            if self.always.at(p.factor) - p.lower <= PROVEN * max(abs(p.lower), 1e-12)
        ]
        furthest = max([self.threshold, *closed])
        return furthest if furthest >= LEAST_FACTOR else 0.0


def priced(problem: SensingMDP, m: float) -> SensingMDP:
    """The problem with every look at m times its price."""
    return problem.with_sensing_cost(np.asarray(problem.sensing_cost, float) * m)


def line_of(problem: SensingMDP, policy: Policy) -> Line:
    """The policy as a line; two exact evaluations."""
    plans = tuple(policy.all_plans())
    fixed = PlanPolicy(problem, plans)
    free = priced(problem, 0.0)
    at_zero = float(problem.start @ evaluate(free, PlanPolicy(free, plans)))
    return Line(at_zero, float(problem.start @ evaluate(problem, fixed)) - at_zero, plans)


def price_changes(problem: SensingMDP, found: Policy, top: float, budget: Budget) -> Prices:
    """Best policies for factors from 0 to ``top``; ``found`` is a good policy at 1."""
    always = line_of(problem, solve(problem, "always-sense").policy)
    search = _Search(problem, budget)
    search.add(always)
    search.add(line_of(problem, found))
    search.ask(top)
    while (m := search.open_crossing(top)) is not None:
        if budget.over():
            break
        search.ask(m)
    lines, changes = search.envelope(top)
    if problem.max_sensing_cost > 0 and np.ndim(problem.sensing_cost) == 0:
        threshold = always_sense_threshold(problem) / problem.max_sensing_cost
    else:
        threshold = 0.0
    finished = search.open_crossing(top) is None and search.proven(changes, top)
    points = tuple(sorted(search.points, key=lambda p: p.factor))
    return Prices(lines, changes, points, threshold, always, finished)


class _Search:
    """The lines known so far, and the prices that were asked."""

    def __init__(self, problem: SensingMDP, budget: Budget) -> None:
        self.problem, self.budget = problem, budget
        self.lines: list[Line] = []
        self.points: list[Priced] = []
        self.closed: set[float] = set()
        self.each = max(LEAST_SECONDS, budget.left() / 12)

    def add(self, line: Line) -> None:
        if all(line.plans != other.plans for other in self.lines):
            self.lines.append(line)

    def ask(self, m: float) -> None:
        """Solve at a price; what is found there joins the lines."""
        seconds = max(LEAST_SECONDS, min(self.each, self.budget.left()))
        solution = solve(priced(self.problem, m), "dips", budget=seconds, warm_start=True)
        self.points.append(
            Priced(m, solution.value, mean_below(self.problem.start, solution.lower_bound))
        )
        known = min(line.at(m) for line in self.lines)
        if solution.value < known - SAME * max(abs(known), 1e-12):
            self.add(line_of(self.problem, solution.policy))
        self.closed.add(round(m, 12))

    def envelope(self, top: float) -> tuple[tuple[Line, ...], tuple[float, ...]]:
        """The lines that are best somewhere in [0, top], and where each gives way to the next."""
        at = 0.0
        line = min(self.lines, key=lambda x: (x.at_zero, x.slope))
        lines, changes = [line], []
        while True:
            later = [
                ((other.at_zero - line.at_zero) / (line.slope - other.slope), other.slope, other)
                for other in self.lines
                if other.slope < line.slope - 1e-15
            ]
            later = [(m, slope, other) for m, slope, other in later if at <= m <= top]
            if not later:
                return tuple(lines), tuple(changes)
            at, _, line = min(later, key=lambda x: x[:2])
            lines.append(line)
            changes.append(at)

    def proven(self, changes: tuple[float, ...], top: float) -> bool:
        """Whether the lines are optimal where they meet, and so, by concavity, in between."""
        ends = {round(m, 12) for m in (*changes, top)}
        return all(
            min(line.at(p.factor) for line in self.lines) - p.lower <= CLOSED * abs(p.lower)
            for p in self.points
            if round(p.factor, 12) in ends
        )

    def open_crossing(self, top: float) -> float | None:
        """A price where two lines of the envelope cross and that is not settled yet, or None.

        By turns: the price where always looking stops being best, the one nearest to the problem's
        own price, and the one furthest from every price solved so far.
        """
        _, changes = self.envelope(top)
        left = [m for m in changes if round(m, 12) not in self.closed and m >= LEAST_FACTOR]
        turn = len(self.points) % 3
        if not left:
            return None
        if turn == 1 and left[0] == changes[0]:
            return left[0]
        if turn == 2:
            return min(left, key=lambda m: abs(np.log(m)))
        asked = [1.0, *(p.factor for p in self.points)]
        return max(left, key=lambda m: min(abs(np.log(m / x)) for x in asked))
