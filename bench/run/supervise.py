"""A cell's own process: hard limits on time and memory, peak memory, no survivors.

The process runs ``python -m bench.run.cell`` in a session of its own, takes its cell as JSON on
standard input and reports over a pipe, one JSON message per line: which phase it enters, and at
the end its outcome.  Each phase has its own wall-clock limit:

    starting    START_SECONDS                  imports, problem, compiling: not planning time
    planning    budget × OVERRUN + GRACE       a method may overrun its budget, within reason;
                                               plus the solver's own ``overhead_seconds``, if it
                                               starts another engine while it plans
    evaluating  EVALUATION_SECONDS             the same exact evaluator for everyone

Memory is that of the process and all its children.  The process dies with its parent (the kernel
sees to it on Linux, the end of its standard input elsewhere), so a killed run leaves nothing.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from typing import Any

import psutil

from bench.store import rows

START_SECONDS = 600.0
OVERRUN = 1.25
GRACE = 5.0
EVALUATION_SECONDS = 120.0
POLL_SECONDS = 0.05
CHILDREN_SECONDS = 0.5
"""How often memory is measured, and how often new children are looked for."""
LOG_BYTES = 16_384
MIB = 2**20
THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "JULIA_NUM_THREADS",
)
STARTING, PLANNING, EVALUATING = "starting", "planning", "evaluating"


class Stopped(Exception):
    """The run was stopped while the cell was running; there is no outcome."""


class StaleCode(RuntimeError):
    """The cell's code is not the run's: it changed meanwhile, or a worker has another version."""


def planning_limit(budget: float) -> float:
    """Wall-clock seconds after which planning with this budget is stopped."""
    return budget * OVERRUN + GRACE


def run_limited(
    spec: Mapping[str, Any],
    stop: threading.Event | None = None,
) -> dict[str, Any]:
    """Run one cell in its own process.

    Parameters
    ----------
    spec : what :mod:`bench.run.cell` takes, with ``budget``, ``threads`` and ``memory_mb``
    stop : when set, the process is killed and :class:`Stopped` raised

    Returns
    -------
    ``{"row": {column: value, …}, "details": {…} or None, "log": str}``
    """
    began = time.time()
    read_end, write_end = os.pipe()
    with tempfile.TemporaryFile() as log, open(read_end, "rb") as messages:
        process = subprocess.Popen(
            [sys.executable, "-m", "bench.run.cell", str(write_end)],
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
            pass_fds=[write_end],
            env=_environment(int(spec["threads"])),
            start_new_session=True,
        )
        os.close(write_end)
        watch = _Watch(process, messages, spec, stop)
        with process.stdin:  # kept open: its end tells the cell that nobody waits any more
            with contextlib.suppress(BrokenPipeError):
                process.stdin.write((json.dumps({**spec, "began": began}) + "\n").encode())
                process.stdin.flush()
            outcome = watch.run()
        log.seek(max(0, os.fstat(log.fileno()).st_size - LOG_BYTES))
        outcome["log"] = log.read().decode("utf-8", "replace")
    row = outcome["row"]
    row["wall_seconds"] = time.time() - began
    row["peak_memory_mb"] = round(max(watch.peak, row.get("peak_memory_mb") or 0.0), 1)
    return outcome


class _Watch:
    """Follows one cell process to its end."""

    def __init__(self, process, messages, spec, stop) -> None:
        self.process = process
        self.messages = messages
        self.budget = float(spec["budget"])
        self.memory_mb = int(spec["memory_mb"])
        self.stop = stop
        self.peak = 0.0
        self.phase = STARTING
        self.overhead = 0.0
        self.entered = time.monotonic()
        self.family: dict[int, psutil.Process] = {}
        self.next_search = 0.0
        self.pending = b""

    def run(self) -> dict[str, Any]:
        try:
            return self._follow()
        finally:
            self._kill()

    def _follow(self) -> dict[str, Any]:
        with selectors.DefaultSelector() as selector:
            os.set_blocking(self.messages.fileno(), False)
            selector.register(self.messages, selectors.EVENT_READ)
            while True:
                if self.stop is not None and self.stop.is_set():
                    raise Stopped
                self._measure()
                if self.peak > self.memory_mb:
                    reason = f"out of memory: more than {self.memory_mb} MiB"
                    return _failure(rows.MEMORY, reason)
                limit = self._limit()
                if time.monotonic() - self.entered > limit:
                    return _failure(rows.TIMEOUT, self._timeout_reason(limit))
                if selector.select(POLL_SECONDS):
                    data = self.messages.read()
                    if data == b"":  # the cell closed its end: it is over
                        return _death(self.process.wait())
                    outcome = self._take(data or b"")
                    if outcome is not None:
                        return outcome

    def _take(self, data: bytes) -> dict[str, Any] | None:
        *lines, self.pending = (self.pending + data).split(b"\n")
        for line in lines:
            message = json.loads(line)
            if "stale" in message:
                raise StaleCode(message["stale"])
            if "phase" not in message:
                return message
            self.phase = message["phase"]
            self.overhead = message.get("overhead", 0.0)
            self.entered = time.monotonic()
        return None

    def _limit(self) -> float:
        if self.phase == PLANNING:
            return planning_limit(self.budget) + self.overhead
        return START_SECONDS if self.phase == STARTING else EVALUATION_SECONDS

    def _timeout_reason(self, limit: float) -> str:
        if self.phase == PLANNING:
            return f"timeout {self.budget:g} s: still planning after {limit:g} s"
        return f"timeout: still {self.phase} after {limit:g} s"

    def _measure(self) -> None:
        """Add up the memory of the process and its children; remember who they are."""
        now = time.monotonic()
        with contextlib.suppress(psutil.Error):
            if now >= self.next_search:  # finding children means reading all processes there are
                self.next_search = now + CHILDREN_SECONDS
                me = psutil.Process(self.process.pid)
                for member in (me, *me.children(recursive=True)):
                    self.family.setdefault(member.pid, member)
        total = 0
        for member in self.family.values():
            with contextlib.suppress(psutil.Error):
                total += member.memory_info().rss
        self.peak = max(self.peak, total / MIB)

    def _kill(self) -> None:
        """End the process and everything it started."""
        self.next_search = 0.0
        self._measure()
        if self.process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
        for member in self.family.values():
            with contextlib.suppress(psutil.Error):
                if member.is_running():  # not a stranger that got the same number
                    member.kill()
        self.process.wait()


def _environment(threads: int) -> dict[str, str]:
    fixed = {name: str(threads) for name in THREAD_VARIABLES}
    return {**os.environ, **fixed, "PYTHONHASHSEED": "0"}


def _failure(status: str, reason: str) -> dict[str, Any]:
    return {"row": {"status": status, "reason": reason}, "details": None}


def _death(code: int) -> dict[str, Any]:
    """The outcome of a process that ended without one."""
    if code == -signal.SIGSEGV:
        reason = "segmentation fault"
    elif code == -signal.SIGKILL:
        reason = "killed from outside, perhaps by the system for want of memory"
    elif code < 0:
        reason = f"killed by signal {-code} ({signal.Signals(-code).name})"
    else:
        reason = f"ended with exit code {code} and no result"
    return _failure(rows.CRASHED, reason)
