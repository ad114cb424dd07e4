"""Progress of a run: what runs, what is done, time left.

On a terminal a status line follows the lines of finished cells; elsewhere only those lines appear.
"""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Iterable, Mapping
from typing import Any, TextIO

from bench.problems import find_problem
from bench.store import rows
from bench.suites.suite import Cell


class Progress:
    """Tells of a run on ``stream``; the estimate of time left learns as cells finish."""

    def __init__(self, jobs: int, stream: TextIO | None = None) -> None:
        self.jobs = jobs
        self.stream = sys.stderr if stream is None else stream
        self.live = self.stream.isatty()
        self.todo: dict[str, Cell] = {}
        self.running: dict[str, float] = {}
        self.total = 0
        self.walls: dict[str, list[float]] = {}
        self.known: dict[tuple, float] = {}
        self.line_shown = False

    def begin(self, todo: Iterable[Cell], stored: Iterable[Mapping[str, str]], words: str) -> None:
        """Start: the cells to run, the rows there are already, and what to say of both."""
        self.todo = {cell.key: cell for cell in todo}
        self.total = len(self.todo)
        self._say(words)
        for row in stored:
            if row["wall_seconds"]:
                self.known[identity(row)] = float(row["wall_seconds"])

    def started(self, cell: Cell) -> None:
        self.running[cell.key] = time.monotonic()
        self.tick()

    def dropped(self, cell: Cell) -> None:
        """The cell needs no work of this run."""
        self.running.pop(cell.key, None)
        self.todo.pop(cell.key, None)

    def finished(self, cell: Cell, row: Mapping[str, Any]) -> None:
        self.dropped(cell)
        wall = row.get("wall_seconds") or 0.0
        if wall:
            self.walls.setdefault(cell.label, []).append(wall)
        done = self.total - len(self.todo)
        self._say(f"[{done}/{self.total}] {cell.title()}: {describe(cell, row)}{self._left()}")

    def tick(self) -> None:
        """Redraw the status line, on a terminal."""
        if not self.live or not self.todo:
            return
        now = time.monotonic()
        parts = [
            f"{self.todo[key].title()} ({now - began:.0f} s)"
            for key, began in self.running.items()
            if key in self.todo
        ]
        text = f"{len(self.todo)} to do{self._left()} | " + "; ".join(parts)
        width = shutil.get_terminal_size().columns - 1
        self.stream.write("\r\x1b[K" + text[:width])
        self.stream.flush()
        self.line_shown = True

    def close(self) -> None:
        if self.line_shown:
            self.stream.write("\r\x1b[K")
            self.stream.flush()
            self.line_shown = False

    def _say(self, line: str) -> None:
        self.close()
        self.stream.write(line + "\n")
        self.stream.flush()
        self.tick()

    def _left(self) -> str:
        if not self.todo:
            return ""
        now = time.monotonic()
        seconds = 0.0
        for key, cell in self.todo.items():
            elapsed = now - self.running[key] if key in self.running else 0.0
            seconds += max(0.0, self._expected(cell) - elapsed)
        return f", about {duration(seconds / max(1, self.jobs))} left"

    def _expected(self, cell: Cell) -> float:
        """Wall seconds a cell will take: as it did before, or as its solver did, or a guess."""
        walls = self.walls.get(cell.label)
        before = self.known.get(identity(cell))
        if before is not None:
            return before
        return sum(walls) / len(walls) if walls else 2.0 + cell.budget / 2


def describe(cell: Cell, row: Mapping[str, Any]) -> str:
    """A finished cell in a few words."""
    if row["status"] != rows.OK:
        return str(row["reason"])
    problem = find_problem(cell.problem)
    seconds = f"in {row['solve_seconds']:.3g} s" if row.get("solve_seconds") is not None else ""
    for name, value in (("", row.get("value")), ("lower bound ", row.get("lower"))):
        if value is not None:
            word = ("reward" if problem.rewards else "cost") if not name else name.strip()
            if name and problem.rewards:
                word = "upper bound"
            scale = f" ×{problem.scale:g}" if problem.scale != 1 else ""
            return f"{word}{scale} {problem.shown(value):.{problem.digits}f} {seconds}"
    return f"done {seconds}"


def duration(seconds: float) -> str:
    """``40 s``, ``12 min``, ``3.5 h``."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def identity(cell: Cell | Mapping[str, str]) -> tuple:
    """What a cell, or the cell of a row, is: problem, sensing cost, solver, options, seed."""
    if isinstance(cell, Cell):
        cost, options = rows.cost_text(cell.sensing_cost), rows.options_text(cell.options)
        return cell.problem, cost, cell.solver, options, str(cell.seed)
    return tuple(cell[c] for c in rows.IDENTITY)
