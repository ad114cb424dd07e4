"""The delayed-information bound as a solver of its own: deeper and deeper while budget lasts.

It proves a bound and finds no policy; with a target gap SPI's policy is what it is measured by.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from solvers.bounds.alarm import alarm
from solvers.bounds.delayed_information import (
    DelayedInformation,
    check_depth,
    compile_kernels,
    linear_sensing_only,
    unspent_after,
)
from solvers.core.budget import Budget, SolverError
from solvers.core.means import mean_below
from solvers.core.model import SensingMDP
from solvers.core.solution import BUDGET, SOLVED, Solution
from solvers.core.solver import Solver, complete, make_solver

SWEEPS_AHEAD = 6
"""A deeper level is begun when the budget left holds about this many of its sweeps."""


@dataclass
class DelayedInformationSolver(Solver):
    """The bound alone, deeper step by step.

    depth : where to stop; None to go on while budget and memory last
    target_gap : stop once the bound is this close (as a share) to the value of SPI's policy, which
        is then part of the solution
    """

    name = "delayed-information"
    depth: int | None = None
    target_gap: float | None = None

    def supports(self, problem: SensingMDP) -> str | None:
        return linear_sensing_only(problem)

    @classmethod
    def warm_up(cls) -> None:
        compile_kernels()

    def solve(self, problem: SensingMDP, budget: Budget) -> Solution:
        if self.depth is not None:
            check_depth(self.depth)
        elif self.target_gap is None and budget.seconds == float("inf"):
            raise SolverError(
                "delayed-information needs an end: give a depth, a target_gap or a budget"
            )
        budget = unspent_after(self.warm_up, budget)
        known = Solution(policy=None)
        if self.target_gap is not None:
            spi = make_solver("spi").solve(problem, budget)
            known = complete(spi, problem, self.name, 0.0)
        with alarm(budget) as stop:
            information = DelayedInformation(problem, stop)
            trace: list[tuple[float, float, float]] = []
            sweeps = 0
            upper = np.inf if known.value is None else known.value
            while True:
                last = information.depth == self.depth
                sweeps += information.climb(budget, last)
                trace.append((budget.spent(), mean_below(problem.start, information.W0), upper))
                gap = known.with_lower_bound(information.W0).gap
                reached = self.target_gap is not None and gap is not None and gap <= self.target_gap
                if last or reached or budget.over():
                    break
                ahead = information.sweep_seconds * problem.num_actions * SWEEPS_AHEAD
                room = self.depth is not None or information.has_room_below()
                if ahead > budget.left() or not room:
                    sweeps += information.climb(budget)
                    break
                information.deepen()
        done = reached or information.depth == self.depth
        return Solution(
            policy=known.policy,
            lower_bound=information.W0,
            upper_bound=known.values if known.error is None else known.values + known.error,
            iterations=sweeps,
            status=SOLVED if done and not budget.over() else BUDGET,
            trace=trace,
            seconds=budget.spent(),
            info={"depth": information.depth},
        )
