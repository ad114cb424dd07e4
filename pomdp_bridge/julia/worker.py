"""The worker process: Julia inside Python, one problem, one solver file, then the end.

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
from pomdp_bridge.process.child import Announcer, die_with_parent, peak_memory_mb
from pomdp_bridge.process.status import FAILED, MEMORY

NUMBERS = (
    *("seconds", "root_lower", "root_upper", "iterations", "nodes"),
    *("steps", "looks", "decisions", "truncation"),
)
"""What ``numbers`` in ``julia/src/handover.jl`` gives, in its order."""


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
        answer["peak_memory_mb"] = peak_memory_mb()
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

    source, options = request["source"], request["options"]
    budget, seed, random = float(request["budget"]), request["seed"], request["random"]
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
    sys.exit(main(Path(sys.argv[1])))
