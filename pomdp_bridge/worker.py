"""The worker process: Julia inside Python, one problem, one planner, then the end.

    python -m pomdp_bridge.worker FOLDER

FOLDER holds ``request.json`` and, if there is a problem, ``request.npz``; the answer is written
beside them.  Stages are announced on a pipe (see :mod:`pomdp_bridge.supervise`).  juliacall comes
first: Julia brings its own libraries, which must not find others already loaded.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
import time
import traceback
from pathlib import Path

from pomdp_bridge.errors import COMPILE, EXPORT, FAILED, MEMORY, SOLVE

PIPE = "SENSEBENCH_PIPE"
PR_SET_PDEATHSIG = 1


def main(folder: Path) -> int:
    """Serve the request in the folder; the exit code is 0 if it could be answered."""
    die_with_parent()
    announce = Announcer(int(os.environ[PIPE]))
    try:
        request = json.loads((folder / "request.json").read_text(encoding="utf-8"))
        import juliacall

        Main = juliacall.Main
        Main.seval("using SensingPOMDPs")
        answer = serve(Main.SensingPOMDPs, Main, request, folder, announce)
        answer["julia"] = str(Main.VERSION)
        (folder / "answer.json").write_text(json.dumps(answer), encoding="utf-8")
        announce("done")
        return 0
    except Exception as error:
        traceback.print_exc()
        reason = str(error).strip().splitlines() or [type(error).__name__]
        out = "OutOfMemoryError" in reason[0]
        announce("error", reason=reason[0][:500], kind=MEMORY if out else FAILED)
        return 1


def serve(package, Main, request: dict, folder: Path, announce: Announcer) -> dict:
    """Hand over the problem, warm up, plan, and write what was found."""
    import numpy as np

    planner, options = request["planner"], julia_dict(Main, request["options"])
    announce(EXPORT)
    began = time.perf_counter()
    with np.load(folder / "request.npz") as file:
        flat = {key: file[key] for key in file.files}
    problem = package.SensingPOMDP(
        flat["indptr"],
        flat["indices"],
        flat["data"],
        flat["rewards"],
        flat["start"],
        float(flat["discount"]),
        flat["terminal"],
    )
    times = {"export_seconds": time.perf_counter() - began}
    announce(COMPILE)
    began = time.perf_counter()
    package.warm_up(planner, options)
    times["compile_seconds"] = time.perf_counter() - began
    announce(SOLVE)
    if planner == "pomcp":
        found = package.simulate_pomcp(
            problem,
            options,
            episodes=request["episodes"],
            seed=request["seed"],
            max_seconds=float(request["max_seconds"]),
        )
        arrays = {"returns": np.array(found.returns)}
        numbers = ("steps", "looks", "decisions", "truncation", "seconds")
    else:
        found = package.plan(problem, planner, options)
        arrays = {
            "alphas": np.array(found.alphas).T,
            "actions": np.array(found.actions) - 1,
            "upper": np.array(found.upper),
        }
        numbers = ("root_lower", "root_upper", "iterations", "nodes", "seconds")
    np.savez(folder / "answer.npz", **arrays)
    settings = {str(key): plain(found.settings[key]) for key in found.settings}
    return {**{n: plain(getattr(found, n)) for n in numbers}, "settings": settings, **times}


def julia_dict(Main, options: dict):
    """Options by name as a Julia Dict{String,Any}."""
    made = Main.seval("() -> Dict{String,Any}()")()
    for key, value in options.items():
        made[key] = value
    return made


def plain(value):
    """A Julia value as JSON takes it."""
    if isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if abs(value) < float("inf") else str(value)
    return str(value)


class Announcer:
    """Writes stages to the supervisor's pipe."""

    def __init__(self, pipe: int) -> None:
        self.pipe = pipe

    def __call__(self, stage: str, **more: object) -> None:
        sys.stdout.flush()
        os.write(self.pipe, (json.dumps({"stage": stage, **more}) + "\n").encode())


def die_with_parent() -> None:
    """Ask Linux to end this process with its parent, which may be killed without warning."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
