"""From a problem to a POMDPs.jl planner and back, through a worker process.

The problem crosses once, as flat arrays; plain arrays come back.  A call starts its own Julia; in a
run, one that served another cell may take it (:mod:`pomdp_bridge.julia.shared`).  Either way a
planner can neither outlive its limits nor spoil the next one.  Start-up, hand-over, warm-up and
planning are timed apart.
"""

from __future__ import annotations

import json
import math
import os
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from pomdp_bridge.export import flatten
from pomdp_bridge.julia import environment, shared
from pomdp_bridge.julia.errors import ANSWER, COMPILE, EXPORT, FIND, SOLVE, START, BridgeError
from pomdp_bridge.julia.projects import project_for
from pomdp_bridge.julia.solver_file import SolverFile
from pomdp_bridge.julia.supervise import Job
from pomdp_bridge.julia.sysimage import built_image
from solvers.core.model import SensingMDP

LOG_FOLDER = "SENSEBENCH_JULIA_LOGS"
"""Environment variable: where worker logs go; the system's temporary folder when unset."""
LIMITS = {START: 900.0, EXPORT: 300.0, COMPILE: 600.0, ANSWER: 120.0}
"""Seconds; a first start may have to compile all packages."""
KEPT_LOGS = 200
HEAP_SHARE = 0.7
"""Share of the memory limit at which Julia begins to collect garbage in earnest."""


@dataclass(frozen=True)
class Answer:
    """What came back from Julia: arrays, numbers, and where the time went.

    start_seconds : until Julia and the packages were loaded; near 0 if they were already
    export_seconds : handing over the problem, both sides
    compile_seconds : the warm-up on a tiny problem
    packages : versions of the packages that the solver file names, in the project it ran in
    """

    arrays: dict[str, np.ndarray]
    numbers: dict[str, Any]
    start_seconds: float
    export_seconds: float
    compile_seconds: float
    peak_memory_mb: float
    packages: dict[str, str]
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
            "julia_packages": self.packages,
            "log": str(self.log),
        }


@dataclass(frozen=True)
class Call:
    """What to run: a solver file, its planning seconds and options, and the worker's limits.

    seed, episodes : of a policy that is simulated
    memory_gb : resident GiB at which the worker is stopped hard
    """

    file: SolverFile
    budget: float = math.inf
    options: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0
    episodes: int = 100
    reward_scale: float = 1.0
    memory_gb: float = 4.0

    @property
    def limit(self) -> float:
        """Wall-clock seconds after which planning is stopped hard."""
        return 1.25 * self.budget + 5

    def request(self) -> dict[str, Any]:
        """As the worker takes it."""
        return {
            "source": self.file.source,
            "budget": self.budget,
            "seed": self.seed,
            "random": self.file.random,
            "episodes": self.episodes,
            "options": "\n".join(f"{name}\t{julia_text(x)}" for name, x in self.options.items()),
        }


def call_julia(problem: SensingMDP, call: Call) -> Answer:
    """Run one solver file on one problem in a Julia worker."""
    env, finding = project_for(call.file)
    if finding is not None:
        raise BridgeError(FIND, str(finding))
    log = new_log(Path(call.file.source).stem, problem.name)
    with tempfile.TemporaryDirectory(prefix="sensebench-julia-") as name:
        folder = Path(name)
        began = time.perf_counter()
        flat = flatten(problem, call.reward_scale)
        np.savez(
            folder / "request.npz",
            terminal=problem.terminal,
            end_is_seen=problem.end_is_seen,
            **vars(flat),
        )
        (folder / "request.json").write_text(json.dumps(call.request()), encoding="utf-8")
        written = time.perf_counter() - began
        seen = shared.do(
            Job(
                folder=name,
                log=str(log),
                limits={**LIMITS, SOLVE: call.limit},
                memory_mb=call.memory_gb * 1024,
                environment=worker_environment(env, call.memory_gb),
                kin=kin(call.file),
            )
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
        peak_memory_mb=max(seen.peak_memory_mb, numbers["peak_memory_mb"] or 0.0),
        packages=named_versions(env, call.file),
        log=log,
    )


def named_versions(env: environment.JuliaEnvironment, file: SolverFile) -> dict[str, str]:
    """The versions a project has of the packages that a solver file names."""
    found = environment.manifest_versions(env)
    return {package.name: found.get(package.name, "") for package in file.packages}


def kin(file: SolverFile) -> str:
    """Solver files of the same kin may share a worker: all shipped ones, any other with itself."""
    shipped = Path(file.source).parent == environment.JULIA_PACKAGE / "solvers"
    return "shipped" if shipped else file.source


def julia_text(value: Any) -> str:
    """A number, truth value or word as Julia reads it."""
    if isinstance(value, bool | np.bool_):
        return str(bool(value)).lower()
    if isinstance(value, int | np.integer):
        return str(int(value))
    if isinstance(value, str):
        return " ".join(value.split())
    return repr(float(value)).replace("inf", "Inf").replace("nan", "NaN")


def worker_environment(env: environment.JuliaEnvironment, memory_gb: float) -> dict[str, str]:
    """Environment of a worker: this Julia, this project, one thread, nothing downloaded.

    Left to itself, Julia may collect garbage only when it is past the memory limit, so it is told
    the limit.
    """
    return {
        **os.environ,
        environment.EXE: env.executable,
        environment.PROJECT: env.project,
        "PYTHON_JULIACALL_THREADS": "1",
        "PYTHON_JULIACALL_HEAP_SIZE_HINT": f"{int(HEAP_SHARE * memory_gb * 1024)}M",
        "PYTHON_JULIACALL_STARTUP_FILE": "no",
        # Julia's handlers turn a stack overflow in a planner into an error instead of a crash.
        "PYTHON_JULIACALL_HANDLE_SIGNALS": "yes",
        "PYTHON_JULIACALL_AUTOLOAD_IPYTHON_EXTENSION": "no",
        "JULIA_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "JULIA_CONDAPKG_BACKEND": "Null",
        **quick_start(env),
    }


def quick_start(env: environment.JuliaEnvironment) -> dict[str, str]:
    """What spares a worker time at its start: the system image, and looking for Julia's library."""
    found = {}
    if (image := built_image(env)) is not None:
        found["PYTHON_JULIACALL_SYSIMAGE"] = str(image)
    home = Path(env.executable).resolve().parent
    name = "libjulia.dylib" if sys.platform == "darwin" else "libjulia.so"
    library = home.parent / "lib" / name
    if library.is_file():  # else juliacall starts a Julia to ask for it
        found |= {"PYTHON_JULIACALL_LIB": str(library), "PYTHON_JULIACALL_BINDIR": str(home)}
    return found


def new_log(solver: str, problem: str) -> Path:
    """A fresh log file; old ones are removed when they are many."""
    chosen = os.environ.get(LOG_FOLDER)
    folder = Path(chosen) if chosen else Path(tempfile.gettempdir(), "sensebench-julia-logs")
    folder.mkdir(parents=True, exist_ok=True)
    for old in sorted(folder.glob("*.log"), key=lambda p: p.name)[:-KEPT_LOGS]:
        old.unlink(missing_ok=True)
    now = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    safe = "".join(c if c.isalnum() or c in "-." else "-" for c in problem)
    handle, path = tempfile.mkstemp(".log", f"{now}-{solver}-{safe}-", folder)
    os.close(handle)
    return Path(path)
