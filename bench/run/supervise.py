"""A cell's own process: hard limits on time and memory, peak memory, no survivors.

The process runs ``python -m bench.run.cell`` in a session of its own, takes its cell as JSON on
standard input and announces which phase it enters, and at the end its outcome.  Each phase has its
own wall-clock limit:

    starting    START_SECONDS                  imports, problem, compiling: not planning time
    planning    budget × OVERRUN + GRACE       a method may overrun its budget, within reason;
                                               plus the solver's own ``overhead_seconds``, if it
                                               starts another engine while it plans
    evaluating  EVALUATION_SECONDS             the same exact evaluator for everyone
    verifying   MAKING_AND_CHECKING            proving again what the row claims: making the
                                               proof, and VERIFICATION_SECONDS for the checker; a
                                               claim that takes longer stays a claim

Memory is that of the process and all its children, and of the Julia worker that the run lends it
(:mod:`pomdp_bridge.julia.shared`): while that one works the process only waits, so the worker is
watched in its place.  The watching itself is :mod:`pomdp_bridge.process.supervise`, shared with the
Julia bridge.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from typing import Any

from bench.run.outcome import Outcome, StaleCode
from bench.store.status import TIMEOUT
from bench.suites.cell import Cell
from pomdp_bridge.julia.shared import Lending, Workers
from pomdp_bridge.process.supervise import ProcessFailure, Stopped, Watch, Watched, supervise

__all__ = ["Stopped", "planning_limit", "run_limited"]

START_SECONDS = 600.0
OVERRUN = 1.25
GRACE = 5.0
EVALUATION_SECONDS = 120.0
VERIFICATION_SECONDS = 120.0
MAKING_AND_CHECKING = 5 * VERIFICATION_SECONDS
LOG_BYTES = 16_384
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
STARTING, PLANNING, EVALUATING, VERIFYING = "starting", "planning", "evaluating", "verifying"


def planning_limit(budget: float) -> float:
    """Wall-clock seconds after which planning with this budget is stopped."""
    return budget * OVERRUN + GRACE


def run_limited(
    spec: Mapping[str, Any],
    stop: threading.Event | None = None,
    workers: Workers | None = None,
) -> Outcome:
    """Run one cell, given as :meth:`Cell.as_json` gives it, in its own process.

    stop : when set, the process is killed and :class:`Stopped` raised
    workers : the Julia workers of the run; without them the cell starts its own
    """
    cell = Cell.from_json(spec)
    began = time.monotonic()
    reported: list[dict[str, Any]] = []

    def limit(phase: Mapping[str, Any]) -> float:
        if phase["phase"] == PLANNING:
            return planning_limit(cell.budget) + phase.get("overhead", 0.0)
        limits = {STARTING: START_SECONDS, VERIFYING: MAKING_AND_CHECKING}
        return limits.get(phase["phase"], EVALUATION_SECONDS)

    def take(message: dict[str, Any]) -> bool:
        if "stale" in message:
            raise StaleCode(message["stale"])
        if lending.serves(message):
            return False
        reported.append(message)
        return not message.get("provisional")

    watch = Watch(STARTING, limit, take, cell.memory_mb, stop)
    command = [sys.executable, "-m", "bench.run.cell"]
    first = (json.dumps({**cell.as_json(), "began": began}) + "\n").encode()
    with tempfile.TemporaryFile() as log, Lending(workers, cell.memory_mb, stop) as lending:
        environment = {**_environment(cell.threads), **lending.environment}
        try:
            seen = supervise(command, log, environment, watch, first, lending.files)
            outcome = Outcome(reported[-1]["row"], reported[-1]["details"])
        except ProcessFailure as failure:
            seen, outcome = failure.seen, _after_failure(failure, cell, reported)
        log.seek(max(0, os.fstat(log.fileno()).st_size - LOG_BYTES))
        outcome.log = log.read().decode("utf-8", "replace")
    outcome.row["wall_seconds"] = time.monotonic() - began
    outcome.row["peak_memory_mb"] = _peak(outcome, seen, lending)
    return outcome


def _after_failure(failure: ProcessFailure, cell: Cell, reported: list[dict[str, Any]]) -> Outcome:
    """The outcome of a process that did not come to its end.

    One that fails while it verifies has already reported its row, which then counts as it is.
    """
    if reported:
        return Outcome(reported[-1]["row"], reported[-1]["details"])
    reason = failure.reason
    if failure.status == TIMEOUT and failure.phase == PLANNING:
        reason = reason.replace("timeout:", f"timeout {cell.budget:g} s:", 1)
    return Outcome.failed(failure.status, reason)


def _peak(outcome: Outcome, seen: Watched, lending: Lending) -> float:
    own = outcome.row.get("peak_memory_mb") or 0.0
    return round(max(seen.peak_memory_mb, own, lending.peak_memory_mb), 1)


def _environment(threads: int) -> dict[str, str]:
    fixed = {name: str(threads) for name in THREAD_VARIABLES}
    return {**os.environ, **fixed, "PYTHONHASHSEED": "0"}
