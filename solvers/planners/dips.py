"""DIPS, Delayed-Information Plan Search: anytime bounds from both sides.

Its rounds follow SARSOP (Kurniawati, Hsu and Lee, 2008), which keeps alpha vectors on one side and
a sawtooth bound on the other, samples beliefs along the optimistic policy where the gap exceeds
what the target allows, and prunes what is provably not optimal.  A look collapses the belief to a
root and a blind step has one successor, so here each of these has a sharper form:

* an alpha vector is a plan: the upper bound is one plan per root, evaluated exactly and jointly, so
  every look is refreshed from the best known root values;
* the sawtooth's corners are the roots' lower bounds; between them stands the delayed-information
  bound, which interpolates between S·Aⁿ beliefs instead of S corners;
* a trial is a best-first search over the blind strings of one root, cut off where the bound
  reaches the incumbent (pruning); it closes all looks on the way;
* trials go to the roots that hold the gap, drawn by their share of it: the gap at each root times
  how often it is landed on from start, along the present plans and along the optimistic ones
  (excess gap).

Rounds of trials alternate with sweeps of the delayed-information bound.  The bound is
deepened as soon as that costs a small part of what was spent so far, or as much again when a round
has stalled; a stalled round whose searches ran into their node limit raises that limit.

The first plans are at each root the better of always looking and repeating one action for good;
``warm_start`` adds SPI's.  It saves nodes but mostly less time than SPI takes, so it is off by
default: on the paper's table it closes the 8x8 lake at k = 0.001 and the hard 4x4 lake at 0.01
sooner, the hard one at 0.05 as soon, and is behind on all others.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from solvers.bounds.delayed_information import (
    check_depth,
    compile_kernels,
    linear_sensing_only,
    unspent_after,
)
from solvers.bounds.plan_search import AT_LIMIT
from solvers.bounds.root_bounds import RootBounds, compile_search
from solvers.core.model import SensingMDP
from solvers.core.solution import BUDGET, SOLVED, Solution
from solvers.core.solver import Budget, Solver, SolverError
from solvers.planners.spi import SPI

FIRST_LIMIT = 32
FIRST_WORK = 2**17
"""In the first round a search may expand FIRST_WORK / (S A) nodes, and FIRST_LIMIT at least."""
LAST_LIMIT = 2**21
STALLED = 0.7
"""A round that leaves more than this share of the gap has stalled."""
SLACK_SHARE = 0.1
"""Share of the gap that a round may leave open."""
RAISE = 4
"""After a stalled round the node limit of a search rises by this factor."""
DEEPEN, DEEPEN_STALLED = 0.25, 1.5
"""Share of the work made so far that a deeper level may cost, if rounds like the last one do not
reach the target for less; and after a stalled round, if the raised node limit would cost more."""
SWEEPS_PER_DEPTH = 8
"""How many sweeps the estimate of a deeper level counts on."""

WARM_UPDATES = 2
"""Updates of SPI that a warm start makes."""
WARM_SHARE = 0.25
"""Share of the budget that a warm start may take; where a single update, which nothing interrupts,
is expected to take more, there is none."""
WARM_STEPS, STEPS_SPEED = 20, 1e9
"""An update is about so many full steps of all roots, at so many multiplications a second."""


@dataclass
class DIPS(Solver):
    """Anytime, with both bounds.

    target_gap : stop when the bounds are this close, as a share of the value
    depth : of the delayed-information bound at the start; it deepens from there
    warm_start : start from SPI's plans as well, where budget allows
    seed : of the order in which roots are drawn; a run that reaches its target is the same again
    """

    name = "dips"
    target_gap: float = 1e-6
    depth: int = 1
    warm_start: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        if not (isinstance(self.seed, int | np.integer) and self.seed >= 0):
            raise SolverError(f"dips: seed is {self.seed!r}; expected a whole number >= 0")

    def supports(self, problem: SensingMDP) -> str | None:
        return linear_sensing_only(problem)

    @classmethod
    def warm_up(cls) -> None:
        """Compile (or load) what is compiled; ``seconds`` never holds it."""
        compile_kernels()
        compile_search()

    def solve(self, problem: SensingMDP, budget: Budget) -> Solution:
        check_depth(self.depth)
        budget = unspent_after(self.warm_up, budget)
        bounds = RootBounds(problem, self.seed)
        trace = [(budget.spent(), bounds.lower, bounds.upper)]
        if self.warm_start and update_seconds(problem) <= WARM_SHARE * budget.left():
            spi = SPI(max_iterations=WARM_UPDATES)
            bounds.take_plans(spi.solve(problem, Budget(WARM_SHARE * budget.left())).policy.plans)
            trace.append((budget.spent(), bounds.lower, bounds.upper))
        while bounds.information.depth < self.depth:
            bounds.spread(settled_for(bounds), budget)
            bounds.deepen()
        bounds.spread(settled_for(bounds), budget)
        limit, rounds = max(FIRST_LIMIT, FIRST_WORK // problem.costs.size), 0
        worth = bounds.work
        while bounds.gap > self.target_gap and not budget.over():
            deeper = can_deepen(bounds, worth, budget)
            if deeper:
                bounds.deepen()
                bounds.spread(settled_for(bounds), budget)
            before, work = bounds.gap, bounds.work
            ends = bounds.round(limit, SLACK_SHARE, budget)
            bounds.spread(settled_for(bounds), budget)
            rounds += 1
            trace.append((budget.spent(), bounds.lower, bounds.upper))
            rest = rounds_to(self.target_gap, before, bounds.gap) * (bounds.work - work)
            worth = min(DEEPEN * bounds.work, rest)
            if bounds.gap > STALLED * before and ends[AT_LIMIT]:
                limit = min(RAISE * limit, LAST_LIMIT)
                worth = min(DEEPEN_STALLED * bounds.work, RAISE * ends[AT_LIMIT])
            elif bounds.gap > 0.999 * before and not deeper:
                break  # every search closed and nothing moves: rounding is what is left
        return Solution(
            policy=bounds.policy(),
            lower_bound=bounds.L,
            upper_bound=bounds.V,
            iterations=rounds,
            status=SOLVED if bounds.gap <= self.target_gap else BUDGET,
            trace=trace,
            seconds=budget.spent(),
            info={"depth": bounds.information.depth, "expanded": bounds.expanded},
        )


def update_seconds(problem: SensingMDP) -> float:
    """About what one update of SPI takes, which nothing interrupts."""
    S, A = problem.costs.shape
    return WARM_STEPS * S * S * A * (A + 1) / STEPS_SPEED


def settled_for(bounds: RootBounds) -> float:
    """How far the delayed-information bound climbs: a small part of the present gap."""
    scale = np.abs(bounds.L).max() + bounds.problem.max_sensing_cost
    return max(1e-12, 0.02 * (bounds.upper - bounds.lower) / scale)


def rounds_to(target: float, before: float, gap: float) -> float:
    """How many rounds reach the target if each closes the gap by the factor of the last one."""
    if gap <= target:
        return 0.0
    return np.inf if gap >= before else np.log(gap / max(target, 1e-12)) / np.log(before / gap)


def can_deepen(bounds: RootBounds, worth: float, budget: Budget) -> bool:
    """Whether a deeper bound fits memory and budget and takes no more work than it is worth.

    Work is counted, not timed, so that a run that comes to its end is the same every time.
    """
    information = bounds.information
    work = SWEEPS_PER_DEPTH * information.sweep_work(information.depth + 1)
    seconds = SWEEPS_PER_DEPTH * information.sweep_seconds * bounds.problem.num_actions
    return work <= worth and seconds <= 0.5 * budget.left() and information.has_room_below()
