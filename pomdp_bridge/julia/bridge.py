"""From a problem to a POMDPs.jl planner and back, through a worker process.

The problem crosses once, as flat arrays; plain arrays come back.  Every call starts its own Julia,
so a planner can neither outlive its limits nor spoil the next one.  Start-up, hand-over, warm-up
and planning are timed apart.
"""

from __future__ import annotations

import json
import math
import os
import sys
import tempfile
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from pomdp_bridge.export import flatten
from pomdp_bridge.julia import environment
from pomdp_bridge.julia.errors import ANSWER, COMPILE, EXPORT, FIND, SOLVE, START, BridgeError
from pomdp_bridge.julia.supervise import supervise
from solvers.core.model import SensingMDP

LOG_FOLDER = "SENSEBENCH_JULIA_LOGS"
"""Environment variable: where worker logs go; the system's temporary folder when unset."""
LIMITS = {START: 900.0, EXPORT: 300.0, COMPILE: 600.0, ANSWER: 120.0}
"""Seconds; a first start may have to compile all packages."""
KEPT_LOGS = 200


@dataclass(frozen=True)
class Answer:
    """What came back from Julia: arrays, numbers, and where the time went.

    start_seconds : until Julia and the packages were loaded
    export_seconds : handing over the problem, both sides
    compile_seconds : the warm-up on a tiny problem
    """

    arrays: dict[str, np.ndarray]
    numbers: dict[str, Any]
    start_seconds: float
    export_seconds: float
    compile_seconds: float
    peak_memory_mb: float
    log: Path

    def info(self) -> dict[str, Any]:
        """What is worth keeping with a result."""
        return {
            "start_seconds": self.start_seconds,
            "export_seconds": self.export_seconds,
            "compile_seconds": self.compile_seconds,
            "peak_memory_mb": self.peak_memory_mb,
            "settings": self.numbers["settings"],
            "julia": self.numbers["julia"],
            "log": str(self.log),
        }


def call_julia(
    problem: SensingMDP,
    planner: str,
    options: dict[str, Any],
    *,
    limit: float = math.inf,
    memory_gb: float = 4.0,
    reward_scale: float = 1.0,
) -> Answer:
    """Run one planner on one problem in a fresh Julia.

    Parameters
    ----------
    planner : a name that ``SensingPOMDPs.plan`` knows, or "pomcp"
    options : the Julia solver's own options, by name; for "pomcp" also episodes, seed, max_seconds
    limit : wall-clock seconds after which planning is stopped hard
    memory_gb : resident GiB at which the worker is stopped hard
    """
    env, finding = environment.check()
    if finding is not None:
        raise BridgeError(FIND, str(finding))
    log = new_log(planner, problem.name)
    with tempfile.TemporaryDirectory(prefix="sensebench-julia-") as name:
        folder = Path(name)
        began = time.perf_counter()
        flat = flatten(problem, reward_scale)
        np.savez(folder / "request.npz", terminal=problem.terminal, **vars(flat))
        lines = "\n".join(f"{name}\t{_julia_number(value)}" for name, value in options.items())
        (folder / "request.json").write_text(
            json.dumps({"planner": planner, "options": lines}), encoding="utf-8"
        )
        written = time.perf_counter() - began
        seen = supervise(
            [sys.executable, "-m", "pomdp_bridge.julia.worker", str(folder)],
            log,
            first_stage=START,
            limits={**LIMITS, SOLVE: limit},
            memory_mb=memory_gb * 1024,
            environment=worker_environment(env),
        )
        try:
            numbers = json.loads((folder / "answer.json").read_text(encoding="utf-8"))
            with np.load(folder / "answer.npz") as file:
                arrays = {key: file[key] for key in file.files}
        except (OSError, ValueError) as error:
            raise BridgeError(ANSWER, f"the answer cannot be read: {error}", log) from None
    return Answer(
        arrays=arrays,
        numbers=numbers,
        start_seconds=seen.seconds[START],
        export_seconds=written + seen.seconds[EXPORT],
        compile_seconds=seen.seconds[COMPILE],
        peak_memory_mb=seen.peak_memory_mb,
        log=log,
    )


def _julia_number(value: Any) -> str:
    """A number or truth value as Julia reads it."""
    if isinstance(value, bool | np.bool_):
        return str(bool(value)).lower()
    if isinstance(value, int | np.integer):
        return str(int(value))
    return repr(float(value)).replace("inf", "Inf")


def worker_environment(env: environment.JuliaEnvironment) -> dict[str, str]:
    """Environment of a worker: this Julia, this project, one thread, nothing downloaded."""
    return {
        **os.environ,
        environment.EXE: env.executable,
        environment.PROJECT: env.project,
        "PYTHON_JULIACALL_THREADS": "1",
        "PYTHON_JULIACALL_STARTUP_FILE": "no",
        # Julia's handlers turn a stack overflow in a planner into an error instead of a crash.
        "PYTHON_JULIACALL_HANDLE_SIGNALS": "yes",
        "PYTHON_JULIACALL_AUTOLOAD_IPYTHON_EXTENSION": "no",
        "JULIA_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "JULIA_CONDAPKG_BACKEND": "Null",
    }


def new_log(planner: str, problem: str) -> Path:
    """A fresh log file; old ones are removed when they are many."""
    chosen = os.environ.get(LOG_FOLDER)
    folder = Path(chosen) if chosen else Path(tempfile.gettempdir(), "sensebench-julia-logs")
    folder.mkdir(parents=True, exist_ok=True)
    for old in sorted(folder.glob("*.log"), key=lambda p: p.name)[:-KEPT_LOGS]:
        old.unlink(missing_ok=True)
    now = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    safe = "".join(c if c.isalnum() or c in "-." else "-" for c in problem)
    handle, path = tempfile.mkstemp(".log", f"{now}-{planner}-{safe}-", folder)
    os.close(handle)
    return Path(path)
