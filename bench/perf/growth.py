"""``sensebench perf growth``: what planning takes on lakes of 10² to 10⁶ states.

Each measurement runs in a process of its own and is one line of ``growth.csv``; what is there
already is not measured again, unless it failed.  Wall-clock seconds and processor seconds are both
kept, because other work on the machine changes the former only.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict

from bench.perf.growth_lines import Cell, Line, append, read
from bench.perf.growth_picture import draw
from solvers import make_solver

LIMIT_SECONDS = 3600.0
"""A measurement that takes longer is ended, and its line says so."""
SIDES = {"small": (10, 32), "middle": (100, 316), "large": (1000,)}
FAILED = "failed: "
"""How the status of a measurement begins that came to nothing and is made again."""


def cells() -> Iterator[Cell]:
    """What is measured, small problems first, and what takes its whole time last."""
    small, middle, large = SIDES.values()
    for side in middle:
        for roots in ("reachable", "all"):
            for threads in (1, 2):
                yield Cell("spi", roots, threads, side)
            yield Cell("atm", roots, 1, side)
    for side in large:
        for solver, threads in (("spi", 1), ("spi", 2), ("atm", 1)):
            yield Cell(solver, "reachable", threads, side)
    for threads in (1, 2):
        for side in (*small, *middle, *large):
            yield Cell("dips", "reachable", threads, side)
    for side in small:
        yield Cell("julia-sarsop", "reachable", 1, side)


def main(args: argparse.Namespace) -> int:
    """Measure what is missing, and draw it."""
    where = args.results / "perf"
    path = where / "growth.csv"
    where.mkdir(parents=True, exist_ok=True)
    known = {line.cell for line in read(path) if not line.status.startswith(FAILED)}
    for cell in cells():
        if cell in known:
            continue
        if (reason := _cannot(cell)) is not None:
            print(f"{cell.name}: left out, {reason}", flush=True)
            continue
        line = _measured(cell)
        append(path, line)
        print(
            f"{cell.name}: {line.status}, {line.seconds:.1f} s ({line.cpu_seconds:.1f} s of "
            f"processor), {line.peak_mb:,.0f} MiB, gap {line.gap:.2%}",
            flush=True,
        )
    for drawn in draw(read(path), where / "growth"):
        print(drawn)
    return 0


def _cannot(cell: Cell) -> str | None:
    """Why a measurement cannot be made here, or None."""
    return make_solver(cell.solver).available() if cell.solver.startswith("julia") else None


def _measured(cell: Cell) -> Line:
    """The line of a measurement, made in a process of its own."""
    command = [sys.executable, "-m", "bench.perf.growth_measure", json.dumps(asdict(cell))]
    try:
        child = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_SECONDS)
    except subprocess.TimeoutExpired:
        return Line(**asdict(cell), states=cell.side**2, status=f"timeout {LIMIT_SECONDS:g} s")
    if child.returncode:
        last = (child.stderr.strip().splitlines() or ["no message"])[-1]
        return Line(**asdict(cell), states=cell.side**2, status=f"{FAILED}{last[:200]}")
    return Line(**json.loads(child.stdout.strip().splitlines()[-1]))
