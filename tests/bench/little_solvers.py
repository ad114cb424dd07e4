"""Little solvers for the runner's tests: one that works, and one for each way to go wrong."""

import ctypes
import time
from dataclasses import dataclass

import numpy as np

from solvers import Plan, PlanPolicy, Solution, Solver


def look_always(problem, action=0):
    plans = [Plan((), False) if end else Plan((action,), True) for end in problem.terminal]
    return PlanPolicy(problem, plans)


@dataclass
class FirstAction(Solver):
    """The first action, always looking; takes ``nap`` seconds over it."""

    name = "first-action"
    nap: float = 0.0
    action: int = 0

    def solve(self, problem, budget):
        time.sleep(self.nap)
        return Solution(policy=look_always(problem, self.action), iterations=1)


@dataclass
class Sleeps(Solver):
    name = "sleeps"

    def solve(self, problem, budget):
        time.sleep(3600)


@dataclass
class Allocates(Solver):
    name = "allocates"

    def solve(self, problem, budget):
        hoard = []
        while True:
            hoard.append(np.ones(2**20))
            if len(hoard) > 300:  # so that the tests' machine is in no danger
                time.sleep(1)


@dataclass
class Segfaults(Solver):
    name = "segfaults"

    def solve(self, problem, budget):
        ctypes.string_at(0)


@dataclass
class ReturnsNaN(Solver):
    name = "returns-nan"

    def solve(self, problem, budget):
        return Solution(policy=None, values=np.full(problem.num_states, np.nan))


@dataclass
class NoPolicy(Solver):
    name = "no-policy"

    def solve(self, problem, budget):
        return Solution(policy={"left": 1})


@dataclass
class Raises(Solver):
    name = "raises"

    def solve(self, problem, budget):
        raise RuntimeError("no luck\ntoday")


@dataclass
class Refuses(Solver):
    name = "refuses"

    def supports(self, problem):
        return "too cold"


@dataclass
class Seeded(Solver):
    """Its number of iterations is drawn at random."""

    name = "seeded"
    seed: int = 0

    def solve(self, problem, budget):
        drawn = np.random.default_rng(self.seed).integers(1_000_000)
        return Solution(policy=look_always(problem), iterations=int(drawn))
