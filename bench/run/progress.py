"""Progress of a run: what runs, what is done, time left.

On a terminal a status line follows the lines of finished cells; elsewhere only those lines appear.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable
from typing import TextIO

from rich.console import Console
from rich.live import Live
from rich.text import Text

from bench.problems import find_problem
from bench.store.printable import printable
from bench.store.result import Result
from bench.suites.cell import Cell

QUIET, NORMAL, VERBOSE = -1, 0, 1


class Progress:
    """Tells of a run on ``stream``; the estimate of time left learns as cells finish."""

    def __init__(self, jobs: int, stream: TextIO | None = None, verbosity: int = NORMAL) -> None:
        self.jobs = jobs
        self.verbosity = verbosity
        self.console = Console(file=stream or sys.stderr, soft_wrap=True, highlight=False)
        self.live: Live | None = None
        self.todo: dict[str, Cell] = {}
        self.running: dict[str, float] = {}
        self.total = 0
        self.walls: dict[str, list[float]] = {}
        self.known: dict[tuple[str, ...], float] = {}

    def begin(self, todo: Iterable[Cell], stored: Iterable[Result], words: str) -> None:
        """Start: the cells to run, the rows there are already, and what to say of both."""
        self.todo = {cell.key: cell for cell in todo}
        self.total = len(self.todo)
        for row in stored:
            if row.wall_seconds:
                self.known[row.identity] = row.wall_seconds
        self._say(words)
        if self.console.is_terminal and self.todo and self.verbosity > QUIET:
            self.live = Live(console=self.console, transient=True, refresh_per_second=2)
            self.live.start()

    def started(self, cell: Cell) -> None:
        self.running[cell.key] = time.monotonic()
        self.tick()

    def dropped(self, cell: Cell) -> None:
        """The cell needs no work of this run."""
        self.running.pop(cell.key, None)
        self.todo.pop(cell.key, None)

    def put_back(self, cell: Cell) -> None:
        """The machine the cell ran on was lost; it will be begun again."""
        self.running.pop(cell.key, None)
        self._say(f"{cell.title()}: its machine was lost; it will be done again")

    def given_up(self, cell: Cell, why: str) -> None:
        """The cell could not be run at all and has no row."""
        self.dropped(cell)
        self._say(f"{cell.title()}: could not be run, so it has no row ({why})")

    def finished(self, cell: Cell, row: Result) -> None:
        self.dropped(cell)
        if row.wall_seconds:
            self.walls.setdefault(cell.label, []).append(row.wall_seconds)
        done = self.total - len(self.todo)
        more = verbose_words(row) if self.verbosity >= VERBOSE else ""
        words = f"{describe(cell, row)}{more}{self._left()}"
        self._say(f"[{done}/{self.total}] {cell.title()}: {words}")

    def tick(self) -> None:
        """Redraw the status line, on a terminal."""
        if self.live is None:
            return
        now = time.monotonic()
        parts = [
            f"{self.todo[key].title()} ({now - began:.0f} s)"
            for key, began in self.running.items()
            if key in self.todo
        ]
        line = f"{len(self.todo)} to do{self._left()} | " + "; ".join(parts)
        self.live.update(Text(printable(line), no_wrap=True, overflow="ellipsis"))

    def close(self) -> None:
        """Take the status line away."""
        if self.live is not None:
            self.live.stop()
            self.live = None

    def _say(self, line: str) -> None:
        if self.verbosity > QUIET:
            self.console.print(Text(printable(line)))

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
        before = self.known.get(cell.identity)
        if before is not None:
            return before
        walls = self.walls.get(cell.label)
        return sum(walls) / len(walls) if walls else 2.0 + cell.budget / 2


def describe(cell: Cell, row: Result) -> str:
    """A finished cell in a few words."""
    if not row.ok:
        return row.failure
    problem = find_problem(cell.problem)
    seconds = f"in {row.solve_seconds:.3g} s" if row.solve_seconds is not None else ""
    for name, value in (("", row.value), ("lower bound ", row.lower)):
        if value is not None:
            word = ("reward" if problem.rewards else "cost") if not name else name.strip()
            if name and problem.rewards:
                word = "upper bound"
            scale = f" ×{problem.scale:g}" if problem.scale != 1 else ""
            return f"{word}{scale} {_number(problem.shown(value), problem.digits)} {seconds}"
    return f"done {seconds}"


def _number(value: float, digits: int) -> str:
    text = f"{value:.{digits}f}"
    return text if any(c in "123456789" for c in text) else text.lstrip("-")  # no -0.00


def verbose_words(row: Result) -> str:
    """Where a cell's time went and how much memory it took."""
    names = ("start", "compile", "export", "evaluate", "verify", "wall")
    times = [(name, getattr(row, f"{name}_seconds")) for name in names]
    parts = [f"{name} {seconds:.2g} s" for name, seconds in times if seconds is not None]
    if row.peak_memory_mb is not None:
        parts.append(f"{row.peak_memory_mb:.0f} MiB")
    return f" ({', '.join(parts)})" if parts else ""


def duration(seconds: float) -> str:
    """``40 s``, ``12 min``, ``3.5 h``."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
