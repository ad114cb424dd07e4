"""The worker process: Julia inside Python, one problem, one planner, then the end.

    python -m pomdp_bridge.julia.worker FOLDER

FOLDER holds ``request.json`` and, if there is a problem, ``request.npz``; the answer is written
beside them.  Stages are announced on a pipe (see :mod:`pomdp_bridge.process.child`).
juliacall comes first: Julia brings its own libraries, which must not find others already loaded.
"""

from __future__ import annotations

import json
import sys
import traceback
from pathlib import Path

from pomdp_bridge.julia.errors import ANSWER, COMPILE, EXPORT, SOLVE
from pomdp_bridge.process.child import Announcer, die_with_parent
from pomdp_bridge.process.status import FAILED, MEMORY


def main(folder: Path) -> int:
    """Serve the request in the folder; the exit code is 0 if it could be answered."""
    die_with_parent()
    announce = Announcer.from_environment()
    try:
        request = json.loads((folder / "request.json").read_text(encoding="utf-8"))
        import juliacall

        Main = juliacall.Main
        Main.seval("using SensingPOMDPs")
        answer = serve(Main.SensingPOMDPs, request, folder, announce)
        answer["julia"] = str(Main.VERSION)
        (folder / "answer.json").write_text(json.dumps(answer), encoding="utf-8")
        announce(done=True)
        return 0
    except Exception as error:
        traceback.print_exc()
        reason = str(error).strip().splitlines() or [type(error).__name__]
        out = "OutOfMemoryError" in reason[0]
        announce(error=reason[0][:500], kind=MEMORY if out else FAILED)
        return 1


def serve(package, request: dict, folder: Path, announce: Announcer) -> dict:
    """Hand over the problem, warm up, plan, and write what was found.

    Only numbers, text and addresses of buffers cross: see ``julia/src/handover.jl``.
    """
    import numpy as np

    planner, options = request["planner"], request["options"]
    announce(phase=EXPORT)
    with np.load(folder / "request.npz") as file:
        flat = {key: np.ascontiguousarray(file[key]) for key in file.files}
    S, A = flat["rewards"].shape[0], len(flat["indptr"])
    problem = package.from_addresses(
        S,
        A,
        *(flat[key].ctypes.data for key in ("indptr", "indices", "data", "rewards", "start")),
        flat["discount"].item(),
        flat["terminal"].ctypes.data,
    )
    announce(phase=COMPILE)
    package.warm_up(planner, options, A)
    announce(phase=SOLVE)
    found = package.request(problem, planner, options)
    announce(phase=ANSWER)
    n, bounds = (int(size) for size in str(package.sizes(found)).split())
    if planner == "pomcp":
        arrays = {"returns": np.empty(n)}
        package.copy_out(found, arrays["returns"].ctypes.data, 0, 0)
        numbers = ("steps", "looks", "decisions", "truncation", "seconds")
    else:
        arrays = {
            "alphas": np.empty((n, S)),
            "actions": np.empty(n, np.int64),
            "upper": np.empty(bounds),
        }
        package.copy_out(found, *(array.ctypes.data for array in arrays.values()))
        numbers = ("root_lower", "root_upper", "iterations", "nodes", "seconds")
    np.savez(folder / "answer.npz", **arrays)
    lines = str(package.settings_text(found)).splitlines()
    settings = dict(line.split("\t") for line in lines)
    return {
        **{name: float(getattr(found, name)) for name in numbers},
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
    sys.exit(main(Path(sys.argv[1])))
