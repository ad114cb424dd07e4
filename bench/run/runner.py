"""The runner: which cells of a suite are to be done, and doing them, several at once.

Cells run in processes of their own (:mod:`bench.run.supervise`), on this machine or on a Dask
cluster; this process alone writes rows.  Stopping it at any moment loses only the cells under way:
the next run does what has no row yet.
"""

from __future__ import annotations

import concurrent.futures as futures
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from typing import Any

from bench.run import environment
from bench.run.progress import Progress, identity
from bench.run.supervise import StaleCode, Stopped, run_limited
from bench.store import rows
from bench.store.store import Store
from bench.suites.suite import Cell
from solvers import make_solver

POLL_SECONDS = 0.5
RERUN_FAILED, RERUN_ALL = "failed", "all"


@dataclass(frozen=True)
class Crew:
    """Who does the work.

    submit : starts a cell given as plain values; size : how many cells at once, just now;
    close : ends what is under way; here : False where cells run on other machines, which may
    have what this one lacks
    """

    submit: Callable[[Mapping[str, Any]], futures.Future]
    size: Callable[[], int]
    close: Callable[[], None]
    here: bool = True

    @classmethod
    def local(cls, jobs: int) -> Crew:
        """``jobs`` cells at once on this machine."""
        stop = threading.Event()
        pool = futures.ThreadPoolExecutor(jobs, thread_name_prefix="cell")

        def close() -> None:
            stop.set()
            pool.shutdown(wait=True, cancel_futures=True)

        return cls(lambda spec: pool.submit(run_limited, spec, stop), lambda: jobs, close)


def choose(cells: Iterable[Cell], only: Iterable[str]) -> list[Cell]:
    """The cells that match any ``SOLVER/PROBLEM`` pattern; a solver by id or label."""
    patterns = []
    for text in only:
        solver, slash, problem = text.partition("/")
        if not slash:
            raise ValueError(f"--only {text}: expected SOLVER/PROBLEM; * stands for any")
        patterns.append((solver, problem))
    cells = list(cells)
    if not patterns:
        return cells
    chosen = [
        cell
        for cell in cells
        if any(
            (fnmatchcase(cell.solver, s) or fnmatchcase(cell.label, s))
            and fnmatchcase(cell.problem, p)
            for s, p in patterns
        )
    ]
    if not chosen:
        solvers = ", ".join(dict.fromkeys(c.label for c in cells))
        problems = ", ".join(dict.fromkeys(c.problem for c in cells))
        raise ValueError(
            f"--only {' '.join(only)}: no cell of this suite; its solvers: {solvers}; "
            f"its problems: {problems}"
        )
    return chosen


class Runner:
    """Runs cells into a store."""

    def __init__(self, store: Store, crew: Crew, progress: Progress) -> None:
        self.store = store
        self.crew = crew
        self.progress = progress
        self._availability: dict[str, str | None] = {}

    def run(self, cells: list[Cell], rerun: str | None = None) -> None:
        """Do what is to be done; raises KeyboardInterrupt, cleanly, when stopped."""
        self.store.create()
        stored = self.store.read()
        last = {row["key"]: row for row in stored}
        todo = [cell for cell in cells if not self._done(cell, last.get(cell.key), rerun)]
        todo.sort(key=lambda cell: self._unavailable(cell) is None)  # what is skipped, at once
        self.progress.begin(todo, stored, self._account(cells, todo, stored, rerun))
        if not todo:
            return
        self.store.record_environment(environment.describe(self.crew.size()))
        self.before = len(stored)
        try:
            with _terminate_as_interrupt():
                self._work_through(deque(todo))
        finally:
            self.progress.close()

    # ------------------------------------------------------------------ what is to be done
    def _done(self, cell: Cell, row: Mapping[str, str] | None, rerun: str | None) -> bool:
        if row is None:
            return False
        unavailable = self._unavailable(cell)
        if row["clone"] != self.store.clone:
            # Results of another clone are run again, unless this machine cannot.
            return unavailable is not None and row["status"] == rows.OK
        if row["note"] == rows.UNAVAILABLE:
            return unavailable is not None
        if rerun == RERUN_ALL:
            return False
        return rerun != RERUN_FAILED or row["status"] == rows.OK

    def _account(self, cells: list[Cell], todo: list[Cell], stored: list, rerun: str | None) -> str:
        """How many cells are done already and why the others are not, in one line."""
        last = {row["key"]: row for row in stored}
        keys = {cell.key for cell in todo}
        done = [last[cell.key] for cell in cells if cell.key not in keys]
        borrowed = sum(row["clone"] != self.store.clone for row in done)
        text = f"{len(cells)} cells: {len(done)} done before with this code and these settings"
        if borrowed:
            text += f" ({borrowed} of them on another machine, whose solvers cannot run here)"
        again = sum(cell.key in last for cell in todo)
        known = {tuple(row[c] for c in rows.IDENTITY) for row in stored}
        changed = sum(cell.key not in last and identity(cell) in known for cell in todo)
        parts = [f"{len(todo) - again - changed} new"] if len(todo) > again + changed else []
        if changed:
            parts.append(f"{changed} again because their code, model or settings changed")
        if again:
            why = f"--rerun {rerun}" if rerun else "they can run here now"
            parts.append(f"{again} again ({why})")
        return text + (f"; to do: {', '.join(parts)}" if parts else "; nothing to do")

    def _unavailable(self, cell: Cell) -> str | None:
        """Why the solver cannot run on this machine, or None."""
        if not self.crew.here:
            return None
        if cell.solver not in self._availability:
            solver = make_solver(cell.solver, **cell.options)
            self._availability[cell.solver] = solver.available()
        return self._availability[cell.solver]

    # ------------------------------------------------------------------ doing it
    def _work_through(self, todo: deque[Cell]) -> None:
        running: dict[futures.Future, Cell] = {}
        while todo or running:
            self._fill(todo, running)
            if not running:  # what is left is in the hands of another run
                time.sleep(POLL_SECONDS)
            finished, _ = futures.wait(running, POLL_SECONDS, futures.FIRST_COMPLETED)
            for future in finished:
                self._record(running.pop(future), _outcome(future))
            self.progress.tick()

    def _fill(self, todo: deque[Cell], running: dict[futures.Future, Cell]) -> None:
        for _ in range(len(todo)):
            if len(running) >= self.crew.size():
                return
            cell = todo.popleft()
            if not self.store.claim(cell.key):
                todo.append(cell)
                continue
            if self._done_meanwhile(cell):
                self.store.release(cell.key)
                self.progress.dropped(cell)
                continue
            unavailable = self._unavailable(cell)
            if unavailable:
                row = {"status": rows.SKIPPED, "reason": f"skipped: {unavailable}"}
                self._record(cell, {"row": {**row, "note": rows.UNAVAILABLE}, "details": None})
                continue
            self.progress.started(cell)
            running[self.crew.submit(asdict(cell))] = cell

    def _done_meanwhile(self, cell: Cell) -> bool:
        """Whether another run of this clone has done the cell since this one began."""
        new = self.store.read()[self.before :]
        return any(r["key"] == cell.key and r["clone"] == self.store.clone for r in new)

    def _record(self, cell: Cell, outcome: Mapping[str, Any]) -> None:
        """Details first, then the row: a row stands for a cell that is wholly done."""
        row = {
            "key": cell.key,
            "suite": cell.suite,
            "problem": cell.problem,
            "sensing_cost": cell.sensing_cost,
            "solver": cell.solver,
            "label": cell.label,
            "options": cell.options,
            "seed": cell.seed,
            "budget_seconds": cell.budget,
            "threads": cell.threads,
            "code": cell.code,
            "clone": self.store.clone,
            "finished": datetime.now(UTC).isoformat(timespec="seconds"),
            **outcome["row"],
        }
        if outcome["details"] is not None:
            self.store.write_details(cell.key, outcome["details"])
        if row["status"] != rows.OK and outcome.get("log"):
            self.store.write_log(cell.key, outcome["log"])
        self.store.append(row)
        self.store.release(cell.key)
        self.progress.finished(cell, row)


def _outcome(future: futures.Future) -> dict[str, Any]:
    """What the cell's process reported, or why it could not even be run."""
    try:
        return future.result()
    except Stopped:
        raise KeyboardInterrupt from None
    except StaleCode:  # a row of one code under the key of another would be a lie
        raise
    except Exception as error:  # no process to be had, or a worker machine lost
        reason = f"could not be run: {type(error).__name__}: {error}"
        return {"row": {"status": rows.CRASHED, "reason": reason}, "details": None}


@contextmanager
def _terminate_as_interrupt():
    """A polite request to end (SIGTERM) stops the run as Ctrl-C does."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(number, frame):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
