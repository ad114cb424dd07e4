"""``sensebench perf growth``: what planning takes on lakes of 10² to 10⁶ states.

Each measurement runs in a process of its own and is one line of ``growth.csv``; what is there
already is not measured again, unless it failed.  Wall-clock seconds and processor seconds are both
kept, because other work on the machine changes the former only.
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from bench.perf.memory import peak_memory_mb

SEARCH_SECONDS = 20.0
"""What an anytime method is given: its gap after this time is compared across sizes."""
LIMIT_SECONDS = 3600.0
"""A measurement that takes longer is ended, and its line says so."""
SIDES = {"small": (10, 32), "middle": (100, 316), "large": (1000,)}
FAILED = "failed: "
"""How the status of a measurement begins that came to nothing and is made again."""
ANYTIME = ("dips", "julia-sarsop")


@dataclass(frozen=True)
class Cell:
    """One measurement: a solver with its options on the lake of ``side`` × ``side`` cells."""

    solver: str
    roots: str
    threads: int
    side: int

    @property
    def name(self) -> str:
        return f"{self.solver}, {self.roots} roots, {self.threads} thread(s), {self.side}²"


@dataclass(frozen=True)
class Line:
    """What was measured; seconds are of planning and of exact evaluation together."""

    solver: str
    roots: str
    threads: int
    side: int
    states: int = 0
    seconds: float = float("nan")
    cpu_seconds: float = float("nan")
    peak_mb: float = float("nan")
    build_seconds: float = float("nan")
    reached: int = 0
    value: float = float("nan")
    lower: float = float("nan")
    gap: float = float("nan")
    status: str = ""


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
    from bench.perf.growth_picture import draw

    where = args.results / "perf"
    path = where / "growth.csv"
    where.mkdir(parents=True, exist_ok=True)
    known = {_cell(line) for line in read(path) if not line.status.startswith(FAILED)}
    for cell in cells():
        if cell in known:
            continue
        if (reason := _cannot(cell)) is not None:
            print(f"{cell.name}: left out, {reason}", flush=True)
            continue
        line = _measured(cell)
        _append(path, line)
        print(
            f"{cell.name}: {line.status}, {line.seconds:.1f} s ({line.cpu_seconds:.1f} s of "
            f"processor), {line.peak_mb:,.0f} MiB, gap {line.gap:.2%}",
            flush=True,
        )
    for drawn in draw(read(path), where / "growth"):
        print(drawn)
    return 0


def read(path: Path) -> list[Line]:
    """The last line of each measurement in a file; none if there is no file."""
    if not path.is_file():
        return []
    kinds = {f.name: {"str": str, "int": int, "float": float}[str(f.type)] for f in fields(Line)}
    with path.open(newline="") as file:
        rows = csv.DictReader(file)
        lines = [Line(**{k: kinds[k](v) for k, v in row.items()}) for row in rows]
    return list({_cell(line): line for line in lines}.values())


def _append(path: Path, line: Line) -> None:
    new = not path.is_file()
    with path.open("a", newline="") as file:
        writer = csv.DictWriter(file, [f.name for f in fields(Line)])
        if new:
            writer.writeheader()
        writer.writerow(asdict(line))


def _cell(line: Line) -> Cell:
    return Cell(line.solver, line.roots, line.threads, line.side)


def _cannot(cell: Cell) -> str | None:
    """Why a measurement cannot be made here, or None."""
    from solvers import make_solver

    return make_solver(cell.solver).available() if cell.solver.startswith("julia") else None


def _measured(cell: Cell) -> Line:
    """The line of a measurement, made in a process of its own."""
    command = [sys.executable, "-m", "bench.perf.growth", json.dumps(asdict(cell))]
    try:
        child = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_SECONDS)
    except subprocess.TimeoutExpired:
        return Line(**asdict(cell), states=cell.side**2, status=f"timeout {LIMIT_SECONDS:g} s")
    if child.returncode:
        last = (child.stderr.strip().splitlines() or ["no message"])[-1]
        return Line(**asdict(cell), states=cell.side**2, status=f"{FAILED}{last[:200]}")
    return Line(**json.loads(child.stdout.strip().splitlines()[-1]))


def measure(cell: Cell) -> Line:
    """One measurement, in this process."""
    from bench.perf.large_lakes import random_lake
    from solvers import make_solver, solve

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
