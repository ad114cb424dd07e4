"""``sensebench perf``: our speed, as ratios measured in one run.

Seconds mean little without the machine they were taken on.  So each time is also given as the
matrix product this machine could have done instead (GFLOP), and against the literal algorithm of
:mod:`bench.perf.literal`, timed on a few roots in the same run and extrapolated, which is said.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from bench.perf.environment_speed import environment_speed
from bench.perf.literal import LiteralPolicyUpdate, observation_loop_fib
from bench.perf.memory import peak_memory_mb
from bench.problems import load_problem, problems
from bench.run.environment import describe
from bench.store.files import write_json
from solvers.bounds.certificates import certify
from solvers.core.evaluation import evaluate
from solvers.core.solver import solve
from solvers.planners.always_sense import AlwaysSensePolicy
from solvers.planners.fib import fib_vectors

TABLE_ONE = ("icu-sepsis", "taxi", "frozen-lake-4x4", "frozen-lake-4x4-hard", "frozen-lake-8x8")
LAKE_SIZES = (16, 32, 64, 100)
LITERAL_STEPS = 3


def main(args: argparse.Namespace) -> int:
    """Measure, print, and write ``results/perf/perf.json``."""
    figures: dict[str, Any] = {}
    rate = machine_rate()
    figures["machine_gflops"] = rate
    say(f"this machine's matrix product: {rate:.0f} GFLOP/s (716 × 716, all its threads)\n")
    figures["spi_sepsis"] = spi_on_sepsis(rate)
    figures["rows"] = table_one_rows()
    figures["fib"] = fib_times()
    figures["certificates"] = certificate_time()
    figures["lakes"] = lake_growth()
    figures["environment"] = environment_speed()
    many, one = figures["environment"].values()
    say(f"environment, frozen-lake-4x4: {many:,.0f} steps/s vectorised, {one:,.0f} plain")
    out = Path(getattr(args, "results", None) or "results") / "perf" / "perf.json"
    out.parent.mkdir(parents=True, exist_ok=True)
    write_json(out, {"figures": figures, "environment": describe(jobs=1)}, indent=1)
    say(f"\nwritten to {out}")
    return 0


def say(text: str) -> None:
    print(text, flush=True)


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    began = time.perf_counter()
    result = call()
    return time.perf_counter() - began, result


def machine_rate(n: int = 716, repeats: int = 40) -> float:
    """GFLOP/s of this machine's own product of two n × n matrices, best of three."""
    a = np.random.default_rng(0).random((n, n))
    a @ a
    best = min(timed(lambda: [a @ a for _ in range(repeats)])[0] for _ in range(3))
    return 2 * n**3 * repeats / best / 1e9


def spi_on_sepsis(rate: float) -> dict[str, float]:
    """SPI's two updates on ICU-Sepsis at k = 0.1, against the literal algorithm."""
    problem = load_problem("icu-sepsis", 0.1)
    found = solve(problem, "spi", max_iterations=2)
    always = AlwaysSensePolicy(problem)
    literal = LiteralPolicyUpdate(problem, evaluate(problem, always))
    roots = np.flatnonzero(~problem.terminal)[:: len(problem.terminal) // 3][:3]
    seconds, _ = timed(lambda: [literal.walk(int(r), LITERAL_STEPS - 1) for r in roots])
    per_step = seconds / (len(roots) * LITERAL_STEPS)
    # Without early finish a plan that never looks walks all 500 steps; one that looks, its length.
    steps = sum(len(p.actions) if p.senses else 501 for p in found.policy.plans if p.actions)
    extrapolated = 2 * steps * per_step
    figures = {
        "seconds": found.seconds,
        "gflop_of_this_machine": found.seconds * rate,
        "literal_seconds_extrapolated": extrapolated,
        "times_faster_than_literal": extrapolated / found.seconds,
    }
    say(
        f"SPI, icu-sepsis, k = 0.1, two updates: {found.seconds:.2f} s, the time of "
        f"{figures['gflop_of_this_machine']:.0f} GFLOP of its product;\n  the literal algorithm, "
        f"{len(roots)} roots × {LITERAL_STEPS} steps timed ({seconds:.2f} s) and extrapolated: "
        f"{extrapolated:.3g} s, so {figures['times_faster_than_literal']:,.0f} times as long\n"
    )
    return figures


def table_one_rows() -> dict[str, dict[str, float]]:
    """All twenty instances of Table 1 by SPI and by ATM: planning and exact evaluation."""
    figures = {}
    for solver in ("spi", "atm"):
        plan = evaluation = 0.0
        for name in TABLE_ONE:
            options = {"max_iterations": 2} if (solver, name) == ("spi", "icu-sepsis") else {}
            for k in problems()[name].sensing_costs:
                found = solve(load_problem(name, k), solver, **options)
                plan += found.seconds
                evaluation += found.evaluation_seconds
        figures[solver] = {"planning_seconds": plan, "evaluation_seconds": evaluation}
        say(
            f"{solver}: the 20 instances of Table 1 in {plan + evaluation:.1f} s "
            f"({plan:.1f} s planning, {evaluation:.1f} s exact evaluation)"
        )
    return figures


def fib_times() -> dict[str, float]:
    """FIB in closed form, and against the general backup with its loop over observations."""
    figures = {}
    for name in TABLE_ONE:
        problem = load_problem(name)
        figures[name], (_, _, sweeps) = timed(lambda problem=problem: fib_vectors(problem))
        say(f"fib, {name}: {figures[name]:.3f} s, {sweeps} sweeps")
    problem = load_problem("frozen-lake-4x4")
    ours, (_, _, sweeps) = timed(lambda: fib_vectors(problem))
    loop, _ = timed(lambda: observation_loop_fib(problem, 3))
    figures["times_faster_than_observation_loop"] = (loop / 3) / (ours / sweeps)
    say(
        "fib, frozen-lake-4x4: one sweep of the general observation loop takes "
        f"{figures['times_faster_than_observation_loop']:,.0f} times as long as one of ours\n"
    )
    return figures


def certificate_time() -> float:
    """Certificates of the two-state problem at every depth from 0 to 20."""
    problem = load_problem("two-state", 0.25)
    seconds, _ = timed(lambda: [certify(problem, N) for N in range(21)])
    say(f"certificates, two-state, k = 0.25, every depth from 0 to 20: {seconds:.2f} s\n")
    return seconds


def lake_growth() -> list[dict[str, float]]:
    """SPI on random lakes of 16² to 100² states: time and peak memory, each in its own process."""
    figures = []
    for size in LAKE_SIZES:
        child = subprocess.run(
            [sys.executable, "-m", "bench.perf.perf", str(size)],
            capture_output=True,
            text=True,
            check=True,
        )
        row = json.loads(child.stdout)
        figures.append(row)
        say(
            f"spi, random {size} × {size} lake ({size**2:,} states), k = 0.01: "
            f"{row['seconds']:.1f} s, {row['peak_mb']:,.0f} MiB, {row['iterations']} updates"
        )
    (small, large) = figures[-2], figures[-1]
    ratio = np.log(large["states"] / small["states"])
    for what in ("seconds", "peak_mb"):
        power = np.log(large[what] / small[what]) / ratio
        say(f"  between the last two, {what} grow like states^{power:.1f}")
    return figures


def measure_lake(size: int) -> None:
    """One lake, in this process; prints its figures as JSON."""
    from gymnasium.envs.toy_text.frozen_lake import generate_random_map

    from bench.problems.frozen_lake import lake
    from solvers.core.solver import Budget
    from solvers.planners.spi import SPI

    rows = tuple(generate_random_map(size=size, p=0.9, seed=0))
    problem = lake(rows, 0.01, name=f"lake-{size}")
    budget = Budget()
    found = SPI().solve(problem, budget)
    peak = peak_memory_mb()
    figures = {
        "states": size**2,
        "seconds": budget.spent(),
        "peak_mb": peak,
        "iterations": found.iterations,
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    measure_lake(int(sys.argv[1]))
