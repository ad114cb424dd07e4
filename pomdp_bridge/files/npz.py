"""A sensing-cost MDP as one ``.npz`` file: nothing lost, nothing computed.

    format          1
    indptr          (A, S + 1) int64   CSR of T(a), each row counted from 0 within its own action
    indices         (nnz,) int64       next states, the actions one after the other
    data            (nnz,) float64     their probabilities
    costs           (S, A) float64     C(s, a), without the sensing cost
    sensing_cost    () or (A,) or (S, A) float64
    discount        () float64
    start           (S,) float64
    terminal        (S,) bool
    names           (n,) uint8         JSON text in UTF-8: name, state_names, action_names

Everything is a number, because readers outside Python (NPZ.jl, cnpy) know no others.
"""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import numpy as np
from scipy import sparse

from pomdp_bridge.export import linear_sensing_costs
from solvers.core.model import SensingMDP
from solvers.core.validation import ModelError

FORMAT = 1
REQUIRED = ("indptr", "indices", "data", "costs", "sensing_cost", "discount", "start", "terminal")


def write_npz(problem: SensingMDP, path: str | Path) -> None:
    """Write a problem; a sensing cost that is a function of the belief is refused."""
    linear_sensing_costs(problem)
    T = problem.transitions
    names = {
        "name": problem.name,
        "state_names": problem.state_names,
        "action_names": problem.action_names,
    }
    with open(path, "wb") as file:  # a file object: numpy would add a suffix to a bare name
        np.savez_compressed(
            file,
            format=np.int64(FORMAT),
            indptr=np.stack([matrix.indptr for matrix in T]).astype(np.int64),
            indices=np.concatenate([matrix.indices for matrix in T]).astype(np.int64),
            data=np.concatenate([matrix.data for matrix in T]),
            costs=problem.costs,
            sensing_cost=np.asarray(problem.sensing_cost, float),
            discount=np.float64(problem.discount),
            start=problem.start,
            terminal=problem.terminal,
            names=np.frombuffer(json.dumps(names, ensure_ascii=False).encode(), np.uint8),
        )


def read_npz(path: str | Path) -> SensingMDP:
    """Read a problem that :func:`write_npz` wrote, checking it like any other."""
    path = Path(path)
    try:
        with np.load(path, allow_pickle=False) as file:
            stored = {key: file[key] for key in file.files}
    except FileNotFoundError:
        raise ModelError(f"no such file: {path}") from None
    except (OSError, ValueError, zipfile.BadZipFile) as error:
        raise ModelError(f"{path} is not an .npz file of plain arrays: {error}") from None
    missing = [key for key in REQUIRED if key not in stored]
    if missing:
        raise ModelError(
            f"{path} has no array {', '.join(missing)}: it is not a problem file; "
            "`sensebench export PROBLEM --format npz` writes one"
        )
    if int(stored.get("format", FORMAT)) != FORMAT:
        raise ModelError(
            f"{path} has format {int(stored['format'])}; this version reads format {FORMAT}"
        )
    names = json.loads(stored["names"].tobytes().decode()) if "names" in stored else {}
    sensing_cost = stored["sensing_cost"]
    return SensingMDP.from_arrays(
        _transitions(stored, path),
        stored["costs"],
        float(stored["discount"]),
        float(sensing_cost) if sensing_cost.ndim == 0 else sensing_cost,
        start=stored["start"],
        terminal=stored["terminal"].astype(bool),
        name=names.get("name", path.stem),
        state_names=names.get("state_names"),
        action_names=names.get("action_names"),
    )


def _transitions(stored: dict[str, np.ndarray], path: Path) -> list[sparse.csr_array]:
    indptr, indices, data = stored["indptr"], stored["indices"], stored["data"]
    if indptr.ndim != 2 or indptr[:, -1].sum() != len(data) or len(indices) != len(data):
        raise ModelError(
            f"{path}: indptr {indptr.shape}, indices {indices.shape} and data {data.shape} do not "
            "belong together; expected (A, S + 1), (nnz,) and (nnz,)"
        )
    S = indptr.shape[1] - 1
    if len(indices) and not 0 <= indices.min() <= indices.max() < S:
        raise ModelError(f"{path}: indices hold a state outside 0 to {S - 1}")
    ends = np.concatenate([[0], np.cumsum(indptr[:, -1])])
    return [
        sparse.csr_array(
            (data[ends[a] : ends[a + 1]], indices[ends[a] : ends[a + 1]], indptr[a]), shape=(S, S)
        )
        for a in range(len(indptr))
    ]
