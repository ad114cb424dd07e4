"""What runs in a cell's own process: load, warm up, plan, evaluate, report.

The clock of a cell counts planning alone.  Apart from it are kept: start (from the birth of the
process until it is ready), compile (the solver's ``warm_up``), export (building the problem, and
handing it to another engine) and evaluate (the exact evaluator, the same for everyone).  A solver
that does such things itself reports them in ``Solution.info`` under ``start_seconds``,
``compile_seconds``, ``export_seconds``.

The solver gets a copy of the problem; what judges it keeps its own.
"""

from __future__ import annotations

import faulthandler
import json
import os
import random
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from bench.problems import load_problem
from bench.run.cell_result import InvalidResult, checked, detail, figures, package_versions
from bench.run.code_hash import code_hash
from bench.run.model_hash import model_hash
from bench.run.outcome import Outcome, StaleCode, Times
from bench.run.supervise import (
    EVALUATING,
    LOG_BYTES,
    PLANNING,
    VERIFICATION_SECONDS,
    VERIFYING,
)
from bench.run.verification import claims, verified
from bench.store import status
from bench.suites.cell import Cell
from bench.suites.extension import join_file
from pomdp_bridge.julia.errors import BridgeError
from pomdp_bridge.julia.shared import borrow
from pomdp_bridge.process.child import (
    Announcer,
    die_with_parent,
    first_line,
    peak_memory_mb,
)
from solvers import Budget, PolicyError, SensingMDP, Solution, Solver, make_solver
from solvers.core.solver import complete


class Skip(Exception):
    """The solver cannot take this cell: why, and a note for the row."""

    def __init__(self, reason: str, note: str = "") -> None:
        super().__init__(reason)
        self.note = note


def run_cell(
    cell: Cell, began: float, enter: Callable[..., None] = lambda **phase: None
) -> Outcome:
    """The outcome of one cell; :class:`StaleCode` if its code or model is not the run's.

    began : when the process was asked for, on the monotonic clock
    enter : told of each phase
    """
    times = Times()
    try:
        outcome = _plan_and_judge(cell, began, times, enter)
    except Skip as skip:
        outcome = Outcome.failed(status.SKIPPED, f"skipped: {skip}", note=skip.note)
    except (InvalidResult, PolicyError) as error:
        outcome = Outcome.failed(status.INVALID, f"invalid: {error}")
    except MemoryError as error:
        outcome = Outcome.failed(status.MEMORY, f"out of memory: {error}")
    except BridgeError as error:
        _print_end(error.log)
        outcome = Outcome.failed(error.kind, f"{error.reason}, while {error.stage}")
    except StaleCode:
        raise
    except (Exception, SystemExit) as error:  # whatever a solver does is its row, not our crash
        traceback.print_exc()
        reason = f"failed: {type(error).__name__}: {error}"
        outcome = Outcome.failed(status.FAILED, reason)
    row = outcome.row
    row["versions"] = {**package_versions(), **row.get("versions", {})}
    row["peak_memory_mb"] = peak_memory_mb()
    row.update(times.seconds)
    return outcome


def _plan_and_judge(cell: Cell, began: float, times: Times, enter: Callable[..., None]) -> Outcome:
    """The outcome of a cell that goes well; ``times`` is filled on the way."""
    solver, problem, model = _prepare(cell, began, times)
    given = copied(problem)
    enter(phase=PLANNING, overhead=getattr(solver, "overhead_seconds", 0.0))
    clock = Budget(cell.budget)
    found = checked(solver.solve(given, clock), problem)
    seconds = found.seconds or clock.spent()
    times.add("solve", seconds)
    enter(phase=EVALUATING)
    if model_hash(given) != model:
        raise InvalidResult("the solver changed the problem it was given")
    solution = complete(found, problem, solver.name, seconds)
    times.add("evaluate", solution.evaluation_seconds)
    for name in ("start", "compile", "export"):
        times.add(name, float(solution.info.get(f"{name}_seconds", 0.0)))
    row = {"status": status.OK, **figures(solution), "verified": status.NONE}
    outcome = Outcome(row, detail(cell, problem, solution))
    if claims(solution):
        _verify(outcome, problem, solution, times, enter)
    return outcome


def _verify(
    outcome: Outcome,
    problem: SensingMDP,
    solution: Solution,
    times: Times,
    enter: Callable[..., None],
) -> None:
    """Prove the row's claim again; what is there already counts should this take too long."""
    outcome.row["verified"] = status.CLAIMED
    enter(
        provisional=True,
        row={**outcome.row, **times.seconds, "versions": package_versions()},
        details=outcome.details,
    )
    enter(phase=VERIFYING)
    start = time.perf_counter()
    found = verified(problem, solution, VERIFICATION_SECONDS)
    times.add("verify", time.perf_counter() - start)
    outcome.row["verified"] = found.word
    outcome.details["verification"] = {"lower": found.lower, "reason": found.reason}


def copied(problem: SensingMDP) -> SensingMDP:
    """The same problem in arrays of its own."""
    k = problem.sensing_cost
    return replace(
        problem,
        transitions=tuple(T.copy() for T in problem.transitions),
        costs=problem.costs.copy(),
        sensing_cost=k.copy() if isinstance(k, np.ndarray) else k,
        start=problem.start.copy(),
        terminal=problem.terminal.copy(),
    )


def _prepare(cell: Cell, began: float, times: Times) -> tuple[Solver, SensingMDP, str]:
    """Everything before the clock starts: the solver, the problem, and the problem's hash."""
    random.seed(cell.seed)
    np.random.seed(cell.seed % 2**32)  # noqa: NPY002 - for solvers that use the global generator
    for path in cell.files:
        join_file(path)
    _check_code(cell)
    solver = make_solver(cell.solver, **cell.options)
    if "seed" in solver.options():
        solver = replace(solver, seed=cell.seed)
    times.add("start", time.monotonic() - began)
    unavailable = solver.available()
    if unavailable:
        raise Skip(unavailable, status.UNAVAILABLE)
    start = time.perf_counter()
    problem = load_problem(cell.problem, cell.cost())
    model = model_hash(problem)
    times.add("export", time.perf_counter() - start)
    if cell.model and model != cell.model:
        raise StaleCode(
            f"the model of {cell.problem} is not the one the run began with ({model} instead of "
            f"{cell.model}): the problem is built differently each time, or the file or package it "
            "comes from has changed; draw its random numbers from a generator with a fixed seed"
        )
    unsuited = solver.supports(problem)
    if unsuited:
        raise Skip(unsuited)
    start = time.perf_counter()
    warm_up = getattr(solver, "warm_up", None)
    if warm_up is not None:
        warm_up()
    times.add("compile", time.perf_counter() - start)
    return solver, problem, model


def _check_code(cell: Cell) -> None:
    code = code_hash(cell.solver)
    if cell.code and code != cell.code:
        raise StaleCode(
            f"the code of {cell.solver} is not what the run began with ({code} instead of "
            f"{cell.code}): it was changed meanwhile, or a worker has another version; what is "
            "done is kept, run it again"
        )


def _print_end(log: Path | None) -> None:
    """Let the end of the other engine's log be kept with ours."""
    if log is not None and log.is_file():
        sys.stderr.write(log.read_text(encoding="utf-8", errors="replace")[-LOG_BYTES:])


def main() -> None:
    """Take a cell on standard input, announce phases and outcome to the supervisor."""
    faulthandler.enable()
    announce = Announcer.from_environment()
    spec = json.loads(first_line())
    began = spec.pop("began")
    die_with_parent(watch_input=True)
    borrow(announce)
    try:
        outcome = run_cell(Cell.from_json(spec), began, enter=announce)
        message: dict[str, Any] = {"row": outcome.row, "details": outcome.details}
    except StaleCode as error:
        message = {"stale": str(error)}
    announce(**message)
    sys.stdout.flush()
    os._exit(0)  # no thread or child of a solver may hold up the end


if __name__ == "__main__":
    main()
