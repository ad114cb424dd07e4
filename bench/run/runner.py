"""The runner: which cells of a suite are to be done, and doing them, several at once.

Cells run in processes of their own (:mod:`bench.run.supervise`), on this machine or on a Dask
cluster; this process alone writes rows.  Stopping it at any moment loses only the cells under way:
the next run does what has no row yet.  A machine that is lost is no result either: its cells are
tried again, and have no row if they cannot be.
"""

from __future__ import annotations

import base64
import concurrent.futures as futures
import signal
import threading
import time
from asyncio import CancelledError
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from bench.run import environment
from bench.run.crew import Crew
from bench.run.outcome import Outcome, StaleCode
from bench.run.plan import Plan, unavailable_here
from bench.run.progress import Progress
from bench.run.supervise import Stopped
from bench.store import status
from bench.store.result import Result
from bench.store.store import Store
from bench.suites.cell import Cell

POLL_SECONDS = 0.5
MOST_TRIES = 3
"""How often a cell is begun whose machine is lost under it."""


class Runner:
    """Runs the cells of a plan into a store."""

    def __init__(self, store: Store, crew: Crew, progress: Progress) -> None:
        self.store = store
        self.crew = crew
        self.progress = progress
        self.tries: Counter[str] = Counter()
        self.lost: dict[str, str] = {}
        self.written: set[str] = set()

    def run(self, plan: Plan) -> None:
        """Do what is to be done; raises KeyboardInterrupt, cleanly, when stopped.

        Cells whose machine was lost each time are in ``lost`` afterwards, with the reason.
        """
        self.progress.begin(plan.todo, plan.stored, plan.account())
        if not plan.todo:
            return
        self.store.record_environment(environment.describe(self.crew.size()))
        try:
            with _terminate_as_interrupt():
                self._work_through(deque(plan.todo))
        finally:
            self.progress.close()

    def _work_through(self, todo: deque[Cell]) -> None:
        running: dict[futures.Future, Cell] = {}
        while todo or running:
            self._fill(todo, running)
            if not running and todo:  # what is left is in the hands of another run
                time.sleep(POLL_SECONDS)
            finished, _ = futures.wait(running, POLL_SECONDS, futures.FIRST_COMPLETED)
            for future in finished:
                self._take(running.pop(future), future, todo)
            self.progress.tick()

    def _fill(self, todo: deque[Cell], running: dict[futures.Future, Cell]) -> None:
        """Begin cells while there is room; leave those that another run has in hand."""
        size = self.crew.size()
        for _ in range(len(todo)):
            if len(running) >= size:
                return
            cell = todo.popleft()
            if not self.store.claim(cell.key):
                todo.append(cell)
                continue
            if self._done_meanwhile(cell):
                self.store.release(cell.key)
                self.progress.dropped(cell)
                continue
            unavailable = unavailable_here(cell) if self.crew.here else None
            if unavailable:
                reason = f"skipped: {unavailable}"
                skipped = Outcome.failed(status.SKIPPED, reason, note=status.UNAVAILABLE)
                self._record(cell, skipped)
                continue
            self.progress.started(cell)
            self.tries[cell.key] += 1
            running[self.crew.submit(cell.as_json())] = cell

    def _done_meanwhile(self, cell: Cell) -> bool:
        """Whether another run of this clone has done the cell since this one began."""
        self.written.update(r.key for r in self.store.read_new() if r.clone == self.store.clone)
        return cell.key in self.written

    def _take(self, cell: Cell, future: futures.Future, todo: deque[Cell]) -> None:
        """Record what came of a cell, or put it back if its machine was lost."""
        try:
            self._record(cell, future.result())
        except Stopped:
            raise KeyboardInterrupt from None
        except StaleCode:  # a row of one code under the key of another would be a lie
            raise
        except (Exception, CancelledError) as error:  # no process to be had, a worker lost
            self.store.release(cell.key)
            if self.tries[cell.key] < MOST_TRIES:
                todo.append(cell)
                self.progress.put_back(cell)
                self.crew.size()  # raises if there is nobody to do it
                return
            self.lost[cell.key] = f"{type(error).__name__}: {error}"
            self.progress.given_up(cell, self.lost[cell.key])

    def _record(self, cell: Cell, outcome: Outcome) -> None:
        """Policy and details first, then the row: a row stands for a cell that is wholly done."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        row = Result(
            **{**cell.columns(), "clone": self.store.clone, "finished": now, **outcome.row}
        )
        if outcome.details is not None:
            details = dict(outcome.details)
            if policy := details.pop("policy", None):
                self.store.write_policy(cell.key, base64.b64decode(policy))
            self.store.write_details(cell.key, details)
        if not row.ok and outcome.log:
            self.store.write_log(cell.key, outcome.log)
        self.store.append(row)
        self.store.release(cell.key)
        self.progress.finished(cell, row)


@contextmanager
def _terminate_as_interrupt() -> Iterator[None]:
    """A polite request to end (SIGTERM) stops the run as Ctrl-C does."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
