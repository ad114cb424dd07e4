"""What runs in a cell's own process: load, warm up, plan, evaluate, check, report.

The clock of a cell counts planning alone.  Apart from it are kept: start (from the birth of the
process until it is ready), compile (the solver's ``warm_up``), export (building the problem, and
handing it to another engine) and evaluate (the exact evaluator, the same for everyone).  A solver
that does such things itself reports them in ``Solution.info`` under ``start_seconds``,
``compile_seconds``, ``export_seconds``.
"""

from __future__ import annotations

import ctypes
import faulthandler
import json
import os
import random
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from bench.problems import load_problem
from bench.run.cell_result import InvalidResult, checked, detail, figures, package_versions
from bench.run.keys import code_hash
from bench.run.supervise import EVALUATING, LOG_BYTES, PLANNING, StaleCode
from bench.store import rows
from bench.suites.extension import join_file
from pomdp_bridge.julia.errors import BridgeError
from solvers import Budget, PolicyError, SensingMDP, Solver, make_solver
from solvers.core.solver import complete

PR_SET_PDEATHSIG = 1


class Skip(Exception):
    """The solver cannot take this cell: why, and a note for the row."""

    def __init__(self, reason: str, note: str = "") -> None:
        super().__init__(reason)
        self.note = note


def run_cell(
    spec: dict[str, Any], enter: Callable[[dict[str, Any]], None] = lambda phase: None
) -> dict[str, Any]:
    """The outcome of one cell: ``{"row": {…}, "details": {…} or None}``, or ``{"stale": why}``."""
    times: dict[str, float] = {}
    details = None
    try:
        row, details = _plan_and_judge(spec, times, enter)
    except Skip as skip:
        row = {"status": rows.SKIPPED, "reason": f"skipped: {skip}", "note": skip.note}
    except (InvalidResult, PolicyError) as error:
        row = {"status": rows.INVALID, "reason": f"invalid: {error}"}
    except MemoryError as error:
        row = {"status": rows.MEMORY, "reason": f"out of memory: {error}"}
    except BridgeError as error:
        _print_end(error.log)
        row = {"status": error.kind, "reason": f"{error.reason}, while {error.stage}"}
    except StaleCode as error:
        return {"stale": str(error)}
    except Exception as error:  # whatever a solver raises is its row, not our crash
        traceback.print_exc()
        row = {"status": rows.FAILED, "reason": f"failed: {type(error).__name__}: {error}"}
    row["versions"] = {**package_versions(), **row.get("versions", {})}
    row["peak_memory_mb"] = peak_memory_mb()
    return {"row": {**row, **times}, "details": details}


def _plan_and_judge(
    spec: dict[str, Any], times: dict[str, float], enter: Callable[[dict[str, Any]], None]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Row and details of a cell that goes well; ``times`` is filled on the way."""
    solver, problem = _prepare(spec, times)
    enter({"phase": PLANNING, "overhead": getattr(solver, "overhead_seconds", 0.0)})
    clock = Budget(float(spec["budget"]))
    found = checked(solver.solve(problem, clock), problem)
    times["solve_seconds"] = found.seconds or clock.spent()
    enter({"phase": EVALUATING})
    solution = complete(found, problem, solver.name, times["solve_seconds"])
    times["evaluate_seconds"] = solution.evaluation_seconds
    for name in ("start_seconds", "compile_seconds", "export_seconds"):
        times[name] += float(solution.info.get(name, 0.0))
    return {"status": rows.OK, **figures(solution)}, detail(spec, problem, solution)


def _prepare(spec: dict[str, Any], times: dict[str, float]) -> tuple[Solver, SensingMDP]:
    """Everything before the clock starts."""
    random.seed(spec["seed"])
    np.random.seed(spec["seed"])  # noqa: NPY002 - for solvers that use the global generator
    for path in spec["files"]:
        join_file(path)
    code = code_hash(spec["solver"], spec["problem"])
    if spec["code"] and code != spec["code"]:
        raise StaleCode(
            f"the code of {spec['solver']} on {spec['problem']} is not what the run began with "
            f"({code} instead of {spec['code']}): it was changed meanwhile, or a worker has "
            "another version; what is done is kept, run it again"
        )
    solver = make_solver(spec["solver"], **spec["options"])
    if "seed" in solver.options():
        solver = replace(solver, seed=spec["seed"])
    times["start_seconds"] = time.time() - spec["began"]
    unavailable = solver.available()
    if unavailable:
        raise Skip(unavailable, rows.UNAVAILABLE)
    began = time.perf_counter()
    problem = load_problem(spec["problem"], _cost(spec["sensing_cost"]))
    times["export_seconds"] = time.perf_counter() - began
    unsuited = solver.supports(problem)
    if unsuited:
        raise Skip(unsuited)
    began = time.perf_counter()
    warm_up = getattr(solver, "warm_up", None)
    if warm_up is not None:
        warm_up()
    times["compile_seconds"] = time.perf_counter() - began
    return solver, problem


def _print_end(log: Path | None) -> None:
    """Let the end of the other engine's log be kept with ours."""
    if log is not None and log.is_file():
        sys.stderr.write(log.read_text(encoding="utf-8", errors="replace")[-LOG_BYTES:])


def _cost(k: Any) -> Any:
    return np.array(k, float) if isinstance(k, list) else float(k)


def peak_memory_mb() -> float | None:
    """The most memory this process has held, in MiB; None where the system does not say."""
    try:
        with open("/proc/self/status") as status:
            for line in status:
                if line.startswith("VmHWM:"):
                    return int(line.split()[1]) / 1024
    except OSError:
        pass
    return None


def die_with_parent() -> None:
    """See to it that this process does not outlive the run that started it."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)

    def wait_for_end() -> None:
        while os.read(0, 4096):
            pass
        os.killpg(0, signal.SIGKILL)

    threading.Thread(target=wait_for_end, daemon=True).start()


def main() -> None:
    """Take a cell on standard input, report on the file descriptor given as argument."""
    faulthandler.enable()
    with os.fdopen(int(sys.argv[1]), "w") as report:

        def send(message: dict[str, Any]) -> None:
            report.write(json.dumps(message, allow_nan=False) + "\n")
            report.flush()

        spec = json.loads(_read_line())
        die_with_parent()
        send(run_cell(spec, enter=send))
        sys.stdout.flush()
        os._exit(0)  # no thread or child of a solver may hold up the end


def _read_line() -> bytes:
    """One line from standard input, nothing past it: the watchdog reads the rest."""
    line = b""
    while not line.endswith(b"\n"):
        byte = os.read(0, 1)
        if not byte:
            sys.exit("bench.run.cell: expected a cell as one line of JSON on standard input")
        line += byte
    return line


if __name__ == "__main__":
    main()
