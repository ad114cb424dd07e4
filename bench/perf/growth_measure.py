"""One measurement of ``sensebench perf growth``, in a process of its own.

Nothing that draws is imported here, since the peak memory of this process is what is measured.
"""

from __future__ import annotations

import json
import sys
import time
from dataclasses import asdict
from typing import Any

import numpy as np

from bench.perf.growth_lines import Cell, Line
from bench.perf.large_lakes import random_lake
from bench.perf.memory import peak_memory_mb
from solvers import make_solver, solve

SEARCH_SECONDS = 20.0
"""What an anytime method is given: its gap after this time is compared across sizes."""
ANYTIME = ("dips", "julia-sarsop")


def measure(cell: Cell) -> Line:
    """One measurement, in this process."""
    began = time.perf_counter()
    problem = random_lake(cell.side)
    built = time.perf_counter() - began
    options: dict[str, Any] = {}
    if cell.solver in ("spi", "atm", "dips"):
        options["roots"] = cell.roots
    if cell.threads > 1:
        options["threads"] = cell.threads
    solver = make_solver(cell.solver, **options)
    getattr(solver, "warm_up", lambda: None)()
    cpu = time.process_time()
    found = solve(problem, solver, budget=SEARCH_SECONDS if cell.solver in ANYTIME else None)
    reached = 0 if found.values is None else int(np.isfinite(found.values)[~problem.terminal].sum())
    return Line(
        **asdict(cell),
        states=problem.num_states,
        seconds=found.seconds + found.evaluation_seconds,
        cpu_seconds=time.process_time() - cpu,
        peak_mb=peak_memory_mb(),
        build_seconds=built,
        reached=reached,
        value=float("nan") if found.value is None else found.value,
        lower=float("nan") if found.lower is None else found.lower,
        gap=float("nan") if found.gap is None else found.gap,
        status=found.status,
    )


if __name__ == "__main__":
    print(json.dumps(asdict(measure(Cell(**json.loads(sys.argv[1]))))))
