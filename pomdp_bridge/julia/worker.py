"""The worker process: Julia inside Python, which serves one job after another.

    python -m pomdp_bridge.julia.worker

Each line on standard input is a job: ``{"folder": …, "log": …}``.  The folder holds
``request.json`` and ``request.npz``; the answer is written beside them, and what is printed goes to
the log.  Stages are announced on a pipe (see :mod:`pomdp_bridge.process.child`).  Between two jobs
all that the first one loaded is dropped; after an error the worker ends.
juliacall comes first: Julia brings its own libraries, which must not find others already loaded.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import traceback
from pathlib import Path
from typing import BinaryIO

from pomdp_bridge.julia.errors import ANSWER, COMPILE, EXPORT, SOLVE
from pomdp_bridge.process.child import (
    Announcer,
    die_with_parent,
    forget_peak_memory,
    peak_memory_mb,
)
from pomdp_bridge.process.status import FAILED, MEMORY

NUMBERS = (
    *("seconds", "root_lower", "root_upper", "iterations", "nodes"),
    *("steps", "looks", "decisions", "truncation"),
)
"""What ``numbers`` in ``julia/src/handover.jl`` gives, in its order."""


def main() -> int:
    """Serve jobs until there are none, or one fails, which is exit code 1."""
    die_with_parent()
    announce = Announcer.from_environment()
    jobs = own_input()
    try:
        import juliacall

        Main = juliacall.Main
        Main.seval("using SensingPOMDPs")
        while line := jobs.readline():
            job = json.loads(line)
            print_to(job["log"])
            os.environ["TMPDIR"] = job["folder"]  # so what a planner leaves there is removed
            forget_peak_memory()
            with contextlib.chdir(job["folder"]):  # pomdp-solve leaves files where it runs
                answer = serve(Main.SensingPOMDPs, Path(job["folder"]), announce)
            answer["julia"] = str(Main.VERSION)
            answer["peak_memory_mb"] = peak_memory_mb()
            Path(job["folder"], "answer.json").write_text(json.dumps(answer), encoding="utf-8")
            announce(done=True)
            Main.SensingPOMDPs.forget()
        return 0
    except Exception as error:
        traceback.print_exc()
        reason = str(error).strip().splitlines() or [type(error).__name__]
        out = "OutOfMemoryError" in reason[0]
        announce(error=reason[0][:500], kind=MEMORY if out else FAILED)
        return 1


def own_input() -> BinaryIO:
    """Standard input under another number: Julia would change how reading from it works."""
    jobs = os.fdopen(os.dup(0), "rb", buffering=0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return jobs


def print_to(log: str) -> None:
    """Let all that this process prints, Julia included, go to a file."""
    sys.stdout.flush()
    sys.stderr.flush()
    file = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.dup2(file, 1)
    os.dup2(file, 2)
    os.close(file)


def serve(package, folder: Path, announce: Announcer) -> dict:
    """Hand over the problem, warm up, plan, and write what was found.

    Only numbers, text and addresses of buffers cross: see ``julia/src/handover.jl``.
    """
    import numpy as np

    announce(phase=EXPORT)
    request = json.loads((folder / "request.json").read_text(encoding="utf-8"))
    source, options = request["source"], request["options"]
    budget, seed, random = float(request["budget"]), request["seed"], request["random"]
    with np.load(folder / "request.npz") as file:
        flat = {key: np.ascontiguousarray(file[key]) for key in file.files}
    S, A = flat["rewards"].shape[0], len(flat["indptr"])
    problem = package.from_addresses(
        S,
        A,
        *(flat[key].ctypes.data for key in ("indptr", "indices", "data", "rewards", "start")),
        flat["discount"].item(),
        flat["terminal"].ctypes.data,
        bool(flat["end_is_seen"].item()),
    )
    announce(phase=COMPILE)
    package.warm_up(source, budget, seed, random, options, A)
    announce(phase=SOLVE)
    found = package.request(problem, source, budget, seed, random, request["episodes"], options)
    announce(phase=ANSWER)
    vectors, bounds, plans, actions, returns = map(int, str(package.sizes(found)).split())
    arrays = {
        "alphas": np.empty((vectors, S)),
        "actions": np.empty(vectors, np.int64),
        "upper": np.empty(bounds),
        "plan_lengths": np.empty(plans, np.int64),
        "plan_actions": np.empty(actions, np.int64),
        "plan_looks": np.empty(plans, np.uint8),
        "returns": np.empty(returns),
    }
    package.copy_out(found, *(array.ctypes.data for array in arrays.values()))
    np.savez(folder / "answer.npz", **arrays)
    lines = str(package.settings_text(found)).splitlines()
    settings = dict(line.split("\t", 1) for line in lines)
    return {
        **dict(zip(NUMBERS, map(float, str(package.numbers(found)).split()), strict=True)),
        "settings": {name: plain(text) for name, text in settings.items()},
    }


def plain(text: str) -> bool | int | float | str:
    """A setting as Julia prints it."""
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


if __name__ == "__main__":
    sys.exit(main())
