"""``sensebench perf ablation``: what each part of DIPS is worth, the table of ``docs/dips.md``.

Each line is DIPS with one part taken out, on problems that show what the part is for.  Every line
is measured in a process of its own, where the part is replaced by one that does nothing; the solver
itself has no switches for it.  What is given is the processor seconds to a gap of 1e-6, or the gap
that is left after ``SECONDS`` of the clock.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from bench.problems import load_problem
from bench.problems.frozen_lake import MAPS
from bench.problems.semi_slippery import semi_slippery_lake
from bench.run.environment import describe
from bench.store.files import write_json
from solvers import SensingMDP, solve
from solvers.planners.dips import DIPS

SECONDS = 20.0
"""The budget: a gap that is open then is what the table says."""
TARGET = 1e-6


def four_states(discount: float = 0.9999) -> SensingMDP:
    """Start; good or bad, unseen; one action ends with reward 1 if good, the other goes back."""
    T, C = np.zeros((2, 4, 4)), np.zeros((4, 2))
    T[:, 0, 1:3], T[:, 3, 3] = (0.8, 0.2), 1
    T[0, 1:3, 3], T[1, 1:3, 0], C[1, 0] = 1, 1, -1
    return SensingMDP.from_arrays(T, C, discount, 0.15, terminal=[3], start=0)


def near_certain(seed: int) -> SensingMDP:
    """Five states and three actions whose moves go astray once in ten times, drawn at random."""
    chance = np.random.default_rng(seed)
    T = 0.9 * np.eye(5)[chance.integers(5, size=(3, 5))] + 0.1 / 5
    return SensingMDP.from_arrays(T, chance.uniform(0, 1.5, (5, 3)).round(2), 0.99, 0.1, start=0)


def semi_slippery(size: str = "4x4", discount: float = 0.999) -> SensingMDP:
    """A lake whose moves are certain or go two cells, with a discount near 1."""
    lake = semi_slippery_lake(MAPS[size], 0.05, size)
    return SensingMDP.from_arrays(
        lake.transitions, lake.costs, discount, 0.05, start=lake.start, terminal=lake.terminal
    )


PROBLEMS: dict[str, Callable[[], SensingMDP]] = {
    "4x4-hard, k = .01": lambda: load_problem("frozen-lake-4x4-hard", 0.01),
    "8x8, k = .001": lambda: load_problem("frozen-lake-8x8", 0.001),
    "Taxi, k = 1": lambda: load_problem("taxi", 1.0),
    "semi-slippery 4x4, α = .999": semi_slippery,
    "four states, α = .9999": four_states,
    "near-certain, 1": lambda: near_certain(1),
    "near-certain, 2": lambda: near_certain(2),
}


def nothing() -> None:
    """Leave all as it is."""


def merging() -> None:
    """No belief is ever met again, so none is merged and no loop is seen."""
    from numba import njit

    from solvers.bounds import plan_search
    from solvers.kernels import plan_kernel

    @njit(nogil=True)  # type: ignore[untyped-decorator]
    def never(dense, states, weights, other_states, other_weights):  # type: ignore[no-untyped-def]
        return False

    plan_kernel.same_belief = never
    # compiled again, and not kept: the same function calls another one
    plan_search.search_root = njit(nogil=True)(plan_kernel.search_root.py_func)


def told_once() -> None:
    """Being told the next state once is worth anything: the rule never binds."""
    from solvers.bounds.delayed_information import DelayedInformation

    made = DelayedInformation.__init__

    def init(self: DelayedInformation, *args: Any, **more: Any) -> None:
        made(self, *args, **more)
        dear = np.full_like(self.constants.price, np.inf)
        self.constants = self.constants._replace(price=dear)

    DelayedInformation.__init__ = init  # type: ignore[method-assign]


def leaps() -> None:
    """No share of the gap is tried."""
    from solvers.bounds import root_bounds

    root_bounds.LEAP_SHARES = ()  # type: ignore[assignment]


def deepening() -> None:
    """The bound stays at depth 1, the Fast Informed Bound."""
    from solvers.planners import dips

    dips.can_deepen = lambda *_: False


def spreading() -> None:
    """What a search proves at a root stays there, after the first sweeps."""
    from solvers.planners import dips

    searched = DIPS.search

    def search(self: DIPS, bounds: dips.RootBounds, *rest: Any) -> int:
        bounds.spread = lambda *_: None  # type: ignore[method-assign]
        return searched(self, bounds, *rest)

    DIPS.search = search  # type: ignore[method-assign]


PARTS: dict[str, Callable[[], None]] = {
    "all of it": nothing,
    "without merging and loops": merging,
    "without “told once”": told_once,
    "without leaps": leaps,
    "without deepening (n = 1)": deepening,
    "without spreading": spreading,
}


def main(args: argparse.Namespace) -> int:
    """Measure every line, print the table, and write ``results/perf/ablation.json``."""
    out = args.results / "perf" / "ablation.json"
    out.parent.mkdir(parents=True, exist_ok=True)
    lines: dict[str, dict[str, Any]] = {}
    print("| |" + "|".join(f" {name} " for name in PROBLEMS) + "|", flush=True)
    print("|---|" + "---|" * len(PROBLEMS), flush=True)
    for part in PARTS:
        lines[part] = measured_alone(part)
        print(f"| {part} |" + "|".join(f" {in_words(x)} " for x in lines[part].values()) + "|")
        write_json(out, {"lines": lines, "environment": describe(jobs=1)}, indent=1)
    print(f"written to {out}")
    return 0


def in_words(found: dict[str, float]) -> str:
    """Seconds to the target, or the gap that was left."""
    if found["gap"] <= TARGET:
        return f"{found['seconds']:.2f}"
    return f"{100 * found['gap']:.2g} %"


def measured_alone(part: str) -> dict[str, dict[str, float]]:
    """One line, from a process of its own."""
    command = [sys.executable, "-m", __name__, part]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{part}: {(done.stderr.strip().splitlines() or ['failed'])[-1]}")
    line: dict[str, dict[str, float]] = json.loads(done.stdout.strip().splitlines()[-1])
    return line


def measure(part: str, seconds: float = SECONDS) -> dict[str, dict[str, float]]:
    """Take a part out, for good in this process, and solve every problem."""
    PARTS[part]()
    DIPS.warm_up()
    solve(four_states(0.9), "dips", budget=1.0)  # compiles what was replaced
    line = {}
    for name, make in PROBLEMS.items():
        problem = make()
        began = time.process_time()
        found = solve(problem, "dips", budget=seconds, target_gap=TARGET)
        spent = time.process_time() - began
        line[name] = {"seconds": spent, "gap": float(np.inf if found.gap is None else found.gap)}
    return line


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1])))
