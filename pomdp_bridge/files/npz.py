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
    end_is_seen     () bool            true if the agent notices the end for free; may be left out
    names           (n,) uint8         JSON text in UTF-8: name, state_names, action_names

Everything is a number, because readers outside Python (NPZ.jl, cnpy) know no others.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from pomdp_bridge.export import linear_sensing_costs
from solvers.core.array_file import (
    REAL,
    TEXT,
    TRUTH,
    WHOLE,
    Array,
    json_bytes,
    read_arrays,
    scalar,
    text,
    write_arrays,
)
from solvers.core.model import SensingMDP
from solvers.core.validation import ModelError

FORMAT = 1
ARRAYS = {
    "format": Array(WHOLE, (0,), optional=True),
    "indptr": Array(WHOLE, (2,)),
    "indices": Array(WHOLE, (1,)),
    "data": Array(REAL, (1,)),
    "costs": Array(REAL, (2,)),
    "sensing_cost": Array(REAL, (0, 1, 2)),
    "discount": Array(REAL, (0,)),
    "start": Array(REAL, (1,)),
    "terminal": Array(TRUTH, (1,)),
    "end_is_seen": Array(TRUTH, (0,), optional=True),
    "names": Array(TEXT, (1,), optional=True),
}
WHAT = "a problem file, as `sensebench export PROBLEM --format npz` writes it"


def write_npz(problem: SensingMDP, path: str | Path) -> None:
    """Write a problem; a sensing cost that is a function of the belief is refused."""
    linear_sensing_costs(problem)
    T = problem.transitions
    names = {
        "name": problem.name,
        "state_names": problem.state_names,
        "action_names": problem.action_names,
    }
    write_arrays(
        path,
        format=np.int64(FORMAT),
        indptr=np.stack([matrix.indptr for matrix in T]).astype(np.int64),
        indices=np.concatenate([matrix.indices for matrix in T]).astype(np.int64),
        data=np.concatenate([matrix.data for matrix in T]),
        costs=problem.costs,
        sensing_cost=np.asarray(problem.sensing_cost, float),
        discount=np.float64(problem.discount),
        start=problem.start,
        terminal=problem.terminal,
        end_is_seen=np.bool_(problem.end_is_seen),
        names=json_bytes(names),
    )


def read_npz(path: str | Path) -> SensingMDP:
    """Read a problem that :func:`write_npz` wrote, trusting nothing in the file."""
    path = Path(path)
    stored = read_arrays(path, ARRAYS, WHAT)
    if "format" in stored and scalar(stored["format"]) != FORMAT:
        raise ModelError(
            f"{path} has format {scalar(stored['format'])}; this version reads format {FORMAT}"
        )
    names = _names(path, stored)
    transitions = _transitions(stored, path)
    k = stored["sensing_cost"]
    try:
        return SensingMDP.from_arrays(
            transitions,
            _costs(stored["costs"], transitions),
            scalar(stored["discount"]),
            scalar(k) if k.ndim == 0 else k,
            start=stored["start"],
            terminal=stored["terminal"],
            end_is_seen=bool(scalar(stored["end_is_seen"])) if "end_is_seen" in stored else False,
            **names,
        )
    except ModelError as error:
        raise ModelError(f"{path}: {error}") from None


def _names(path: Path, stored: dict[str, np.ndarray]) -> dict[str, Any]:
    """The names in the file; its own name stands for a missing one."""
    given = text(path, "names", stored["names"]) if "names" in stored else {}
    found = {"name": path.stem, "state_names": None, "action_names": None, **given}
    unknown = [key for key in found if key not in ("name", "state_names", "action_names")]
    if unknown:
        raise ModelError(
            f"{path}: names holds {unknown[0]!r:.60}; expected name, state_names, action_names"
        )
    if not isinstance(found["name"], str):
        raise ModelError(f"{path}: the name is {found['name']!r:.60}; expected a text")
    for key in ("state_names", "action_names"):
        listed = found[key]
        right = isinstance(listed, list) and all(isinstance(x, str) for x in listed)
        if listed is not None and not right:
            raise ModelError(f"{path}: {key} is {listed!r:.60}; expected a list of texts")
    return found


def _costs(costs: np.ndarray, transitions: list[sparse.csr_array]) -> np.ndarray:
    expected = transitions[0].shape[0], len(transitions)
    if costs.shape != expected:
        raise ModelError(f"costs have shape {costs.shape}; expected (S, A) = {expected}")
    return costs


def _transitions(stored: dict[str, np.ndarray], path: Path) -> list[sparse.csr_array]:
    """T(a) for each action; scipy checks little of what it is given, so we check all of it."""
    indptr, indices, data = stored["indptr"], stored["indices"], stored["data"]
    A, S = indptr.shape[0], indptr.shape[1] - 1
    if A < 1 or S < 1:
        raise ModelError(f"{path}: indptr has shape {indptr.shape}; expected (A, S + 1)")
    if indptr[:, -1].sum() != len(data) or len(indices) != len(data):
        raise ModelError(
            f"{path}: indptr {indptr.shape}, indices {indices.shape} and data {data.shape} do not "
            "belong together; expected (A, S + 1), (nnz,) and (nnz,)"
        )
    wrong = (indptr[:, 0] != 0) | (np.diff(indptr, axis=1) < 0).any(axis=1)
    wrong |= indptr[:, -1] > len(data)
    if wrong.any():
        a = int(np.flatnonzero(wrong)[0])
        raise ModelError(f"{path}: indptr of action {a} {_fault(indptr[a], len(data))}")
    if len(indices) and not 0 <= indices.min() <= indices.max() < S:
        raise ModelError(f"{path}: indices hold a state outside 0 to {S - 1}")
    ends = np.concatenate([[0], np.cumsum(indptr[:, -1])])
    rows = np.concatenate([a * S + np.repeat(np.arange(S), np.diff(indptr[a])) for a in range(A)])
    if len(np.unique(rows * S + indices)) != len(indices):
        raise ModelError(f"{path}: indices hold a next state twice in one row")
    return [
        sparse.csr_array(
            (data[ends[a] : ends[a + 1]], indices[ends[a] : ends[a + 1]], indptr[a]), shape=(S, S)
        )
        for a in range(A)
    ]


def _fault(pointers: np.ndarray, entries: int) -> str:
    """What is wrong with the row of indptr of one action, where the file has so many entries."""
    if pointers[0] != 0:
        return f"begins with {pointers[0]}; expected 0"
    falls = np.flatnonzero(np.diff(pointers) < 0)
    if len(falls):
        s = int(falls[0])
        return f"falls from {pointers[s]} to {pointers[s + 1]} at state {s}; it may only grow"
    return f"ends with {pointers[-1]}, and data has only {entries} entries"
