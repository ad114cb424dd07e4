"""DIPS, Delayed-Information Plan Search: anytime bounds from both sides.

A look collapses the belief to a root and a blind step has one successor, so a policy is one plan
per root: a string of blind actions that ends in a look, or never ends.  DIPS keeps a lower bound L
and the value V of its plans at every root and tightens both::

    L ← V* of the agent that sees everything;  V ← the better of looking always and never
    W ← the delayed-information bound of depth 1
    until the gap at the start is at most the target, or the budget is spent:
        deepen W, if that is worth its work (as often as it is, for strings of common actions)
        if the last round stalled at its node limit, raise the limit
            (not yet, where strings of common actions have just become longer)
        round:  from the roots that hold the gap, search best-first over blind plans, with W as
                heuristic; what it proves raises L, what it finds lowers V
        leap:   if a round closed all its searches and yet gained little, guess L near V and prove
                the guess
        spread: let L raise W, and W raise L, by sweeps
        stop, if no bound moved, no leap landed, W is no deeper and no limit is left to raise

The bound is explained in ``bounds.delayed_information``, the search in ``bounds.plan_search``,
rounds and leaps in ``bounds.root_bounds``; ``docs/dips.md`` tells the whole.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from solvers.bounds.alarm import alarm
from solvers.bounds.delayed_information import (
    check_depth,
    compile_kernels,
    linear_sensing_only,
    unspent_after,
)
from solvers.bounds.root_bounds import RootBounds, compile_search
from solvers.core.budget import Budget, SolverError
from solvers.core.means import mean_above, mean_below
from solvers.core.model import SensingMDP
from solvers.core.policy import PlanPolicy
from solvers.core.solution import BUDGET, SOLVED, Solution
from solvers.core.solver import Solver
from solvers.planners.spi import SPI

# What the numbers trade:
FIRST_LIMIT = 32
FIRST_WORK = 2**17
"""Nodes of a search in the first round, FIRST_WORK / (S A) and at least FIRST_LIMIT: more find
plans sooner, fewer leave more time to make the bound good first."""
RAISE = 4
"""Factor of the node limit after a stalled round: larger wastes less on searches begun again,
smaller wastes less on searches that a better bound would have cut short."""
LAST_LIMIT = 2**21
"""Most nodes of a search: a matter of memory."""
STALLED = 0.7
"""A round that leaves more than this share of the gap has stalled."""
SLACK_SHARE = 0.1
"""Share of the gap that a round may leave open: less means fewer, longer rounds."""
DEEPEN, DEEPEN_STALLED = 0.25, 1.5
"""Share of the work made so far that a deeper level may cost, if rounds like the last one do not
reach the target for less; and after a stalled round, if the raised node limit would cost more."""
SWEEPS_PER_DEPTH = 8
"""How many sweeps the estimate of a deeper level counts on."""
SETTLED_SHARE = 0.02
"""Part of the present gap that a sweep must gain to be followed by another."""
WARM_UPDATES = 2
"""Updates of SPI that a warm start makes."""
WARM_SHARE = 0.25
"""Share of the budget that a warm start may take."""


@dataclass
class DIPS(Solver):
    """Anytime, with both bounds.

    target_gap : stop when the bounds are this close at the start, as a share of the value there.
        With roots="all" the mean of all roots' gaps is added, each as a share of the start's value
        or of its own, whichever is larger
    depth : of the delayed-information bound at the start; it deepens from there
    roots : "reachable" to work on the roots that matter for the start, along the plans found and
        along the optimistic ones; "all" to tighten the bounds of every root
    threads : searches that run at once; the answer does not depend on it
    warm_start : start from SPI's plans as well
    seed : of the order in which roots are drawn; a run that reaches its target is the same again
    """

    name = "dips"
    splits_roots = True
    target_gap: float = 1e-6
    depth: int = 1
    roots: str = "reachable"
    threads: int = 1
    warm_start: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        for name, least in (("seed", 0), ("threads", 1)):
            number = getattr(self, name)
            if not (isinstance(number, int | np.integer) and number >= least):
                raise SolverError(f"dips: {name} is {number!r}; expected a whole number >= {least}")
        if self.roots not in ("reachable", "all"):
            raise SolverError(f'dips: roots is {self.roots!r}; expected "reachable" or "all"')
        if not (isinstance(self.target_gap, float | int) and self.target_gap >= 0):
            raise SolverError(f"dips: target_gap is {self.target_gap!r}; expected a number >= 0")

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
        with alarm(budget) as stop:
            weigh = every_root if self.roots == "all" else None
            bounds = RootBounds(problem, self.seed, self.threads, weigh, stop, budget)
            trace = [(budget.spent(), *at_start(bounds))]
            if self.warm_start:
                spi = SPI(max_iterations=WARM_UPDATES)
                share = Budget(max(WARM_SHARE * budget.left(), 1e-3))
                policy = spi.solve(problem, share).policy
                if isinstance(policy, PlanPolicy):
                    bounds.take_plans(policy.plans)
                trace.append((budget.spent(), *at_start(bounds)))
            while bounds.information.deepest < self.depth:
                bounds.spread(settled_for(bounds), budget)
                bounds.deepen()
            bounds.spread(settled_for(bounds), budget)
            rounds = self.search(bounds, budget, trace)
        return Solution(
            policy=bounds.policy(),
            lower_bound=bounds.L,
            upper_bound=bounds.V,
            iterations=rounds,
            status=SOLVED if gap_of(bounds) <= self.target_gap else BUDGET,
            trace=trace,
            seconds=budget.spent(),
            info={
                "depth": bounds.information.deepest,
                "expanded": bounds.searcher.expanded,
                "dropped": bounds.searcher.dropped,
                "leaps": bounds.leaps,
            },
        )

    def search(self, bounds: RootBounds, budget: Budget, trace: list) -> int:
        """The main loop; returns the number of rounds."""
        limit, rounds = max(FIRST_LIMIT, FIRST_WORK // bounds.problem.costs.size), 0
        worth, at_limit = bounds.work, False
        while gap_of(bounds) > self.target_gap and not budget.over():
            deeper = further = False
            while can_deepen(bounds, worth, budget) and (further or not deeper):
                bounds.deepen()
                bounds.spread(settled_for(bounds), budget)
                deeper, further = True, bounds.information.common is not None
            if at_limit and not further:
                limit = min(RAISE * limit, LAST_LIMIT)
            before, work = gap_of(bounds), bounds.work
            done = bounds.round(limit, SLACK_SHARE, budget)
            stalled = gap_of(bounds) > STALLED * before
            leapt = stalled and not done.work_at_limit and bounds.leap(limit, budget)
            bounds.spread(settled_for(bounds), budget, bounds.work - work)
            rounds += 1
            trace.append((budget.spent(), *at_start(bounds)))
            rest = rounds_to(self.target_gap, before, gap_of(bounds)) * (bounds.work - work)
            worth = min(DEEPEN * bounds.work, rest)
            at_limit = stalled and done.work_at_limit > 0
            if at_limit:
                worth = min(DEEPEN_STALLED * bounds.work, RAISE * done.work_at_limit)
            stuck = not at_limit or limit == LAST_LIMIT
            if stuck and not (done.moved or leapt or deeper):
                break  # every search is closed or at its end and nothing moves
        return rounds


def every_root(problem: SensingMDP, V: np.ndarray) -> np.ndarray:
    """The start's chances, and as much again spread over all live roots: (S,).

    A root whose value V is larger than the start's counts for that much less, so that one large
    number does not hide the gaps of all the others.
    """
    live, at_start = ~problem.terminal, abs(mean_above(problem.start, V))
    least = max(at_start, problem.cost_floor, 1e-300)
    return problem.start + live / max(live.sum(), 1) * least / np.maximum(np.abs(V), least)


def at_start(bounds: RootBounds) -> tuple[float, float]:
    """Both bounds under the problem's own start distribution."""
    start = bounds.problem.start
    return mean_below(start, bounds.L), mean_above(start, bounds.V)


def gap_of(bounds: RootBounds) -> float:
    """Distance of the bounds as a share of the value at the start, or of the floor where that is
    near 0; with every root's gap in it, where all roots count."""
    value = mean_above(bounds.problem.start, bounds.V)
    return max(0.0, bounds.upper - bounds.lower) / max(
        abs(value), bounds.problem.cost_floor, 1e-300
    )


def settled_for(bounds: RootBounds) -> float:
    """How much a root must rise in a sweep for another one: a small part of the present gap."""
    return SETTLED_SHARE * max(bounds.upper - bounds.lower, 1e-12 * abs(bounds.upper))


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
    work = SWEEPS_PER_DEPTH * information.sweep_work(deeper=True)
    seconds = work * information.sweep_seconds / information.sweep_work()
    return work <= worth and seconds <= 0.5 * budget.left() and information.has_room_below()
