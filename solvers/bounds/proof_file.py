"""Reading and writing proof files: names, shapes and ranges, no mathematics.

A proof file is an ``.npz`` of plain arrays.  The problem, as in problem files (file-formats.md):

    indptr (A, S + 1), indices, data   CSR of each T(a)      costs (S, A)      discount ()
    sensing_cost () or (A,) or (S, A)  start (S,)            terminal (S,)     names (JSON text)

and the proof (docs/proofs.md):

    lower, upper (S,)        claimed bounds on the optimal cost at each root
    claim (2,)               the same under start: what the file is about
    plan_actions (total,)    the plans of all roots one after the other; root j's are
    plan_ends (S + 1,)         plan_actions[plan_ends[j]:plan_ends[j + 1]]
    plan_senses (S,)         whether plan j ends in a look; else its last action goes on for ever
    potential, steps (S,)    witnesses
    tails (S, A)             upper bounds on the cost of repeating one action for ever
    sweeps (n,)              sweeps of the delayed-information bound at depths 1 … n
    digest (32,)             SHA-256 of all the other arrays
"""

from __future__ import annotations

import hashlib
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from solvers.core.array_file import REAL, TEXT, TRUTH, WHOLE, Array, read_arrays, write_arrays

LEAST, MOST = 1e-60, 1e100
"""Probabilities below LEAST and any numbers above MOST are refused: nothing under- or overflows."""
DEEPEST = 64
"""Most depths of the delayed-information bound."""
PER_STATE = ("start", "terminal", "lower", "upper", "potential", "steps", "plan_senses")
ARRAYS = {
    **{name: Array(REAL, (1,)) for name in (*PER_STATE, "data", "claim")},
    **{name: Array(WHOLE, (1,)) for name in ("indices", "plan_actions", "plan_ends", "sweeps")},
    **{name: Array(TRUTH, (1,)) for name in ("terminal", "plan_senses")},
    **{name: Array(TEXT, (1,)) for name in ("names", "digest")},
    **{name: Array(REAL, (2,)) for name in ("costs", "tails")},
    "indptr": Array(WHOLE, (2,)),
    "sensing_cost": Array(REAL, (0, 1, 2)),
    "discount": Array(REAL, (0,)),
}
WHAT = "a proof file, as `sensebench solve … --proof FILE` writes it"


class Refused(ValueError):
    """A proof does not hold; the message says where."""


class Unfinished(Refused):
    """A proof may hold, but not within the limit."""


def require(holds: Any, reason: str, kind: type[Refused] = Refused) -> None:
    """Refuse unless all of it holds; a comparison with NaN never does."""
    if not np.all(holds):
        raise kind(reason)


class Proof(NamedTuple):
    """The content of a file, every shape and range checked and nothing else.

    T : (A·S, S), T(a)(s, ·) is row a·S + s; rows : (R, S) its distinct rows; row_of : (S, A)
        which of them T(a)(s, ·) is
    C, k, tails : (S, A); start, lower, upper, potential, steps : (S,); terminal, senses : (S,) bool
    plans : S tuples of actions; sweeps : tuple of n numbers; claim : (lower, upper)
    """

    T: sparse.csr_array
    rows: sparse.csr_array
    row_of: np.ndarray
    C: np.ndarray
    k: np.ndarray
    alpha: float
    start: np.ndarray
    terminal: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    claim: tuple[float, float]
    plans: tuple[tuple[int, ...], ...]
    senses: np.ndarray
    potential: np.ndarray
    steps: np.ndarray
    tails: np.ndarray
    sweeps: tuple[int, ...]


def digest(stored: dict[str, np.ndarray]) -> np.ndarray:
    """SHA-256 (32,) of all arrays but itself: against accidents, no part of the argument."""
    total = hashlib.sha256()
    for name in sorted(set(stored) - {"digest"}):
        array = np.ascontiguousarray(stored[name])
        total.update(f"{name} {array.dtype.str} {array.shape}".encode())
        total.update(array.tobytes())
    return np.frombuffer(total.digest(), np.uint8)


def exact_mean(start: np.ndarray, values: np.ndarray) -> Fraction:
    """``start · values`` without rounding."""
    pairs = zip(start.tolist(), values.tolist(), strict=True)
    return sum((Fraction(p) * Fraction(x) for p, x in pairs), Fraction(0))


def save(path: str | Path, stored: dict[str, np.ndarray]) -> None:
    """Write the arrays of a proof."""
    write_arrays(path, **stored)


def load(path: str | Path) -> dict[str, np.ndarray]:
    """The arrays of a file: the right names, kinds and numbers of dimensions, nothing else."""
    try:
        return read_arrays(path, ARRAYS, WHAT)
    except ValueError as error:
        raise Refused(str(error)) from None


def unpack(stored: dict[str, np.ndarray]) -> Proof:
    """Check digest, shapes and ranges, and lay the arrays out for the checker."""
    same = np.array_equal(stored["digest"], digest(stored))
    require(same, "the digest differs: a number of the file was changed")
    for name, array in stored.items():
        if array.dtype.kind == "f":
            require(np.abs(array) < MOST, f"{name} holds a number that is not below {MOST:g}")
    C, alpha, k = stored["costs"], float(stored["discount"]), stored["sensing_cost"]
    require(C.size, "there is no state or no action")
    S, A = C.shape
    for name in PER_STATE:
        require(stored[name].shape == (S,), f"{name} does not have one entry per state")
    require(k.shape in ((), (A,), (S, A)), "sensing_cost has a wrong shape")
    require(k >= 0, "a sensing cost is negative")
    require(1e-6 <= alpha <= 1, "the discount is not between 1e-6 and 1")
    start, claim = stored["start"], stored["claim"]
    require(start >= 0, "a start probability is negative")
    require(claim.shape == (2,), "claim does not have two numbers")
    for side, number, sign in (("lower", claim[0], 1), ("upper", claim[1], -1)):
        mean = exact_mean(start, stored[side])
        within = sign * Fraction(float(number)) <= sign * mean
        require(within, f"the claimed {side} bound is beyond the mean of {side} under start")
    require(stored["tails"].shape == (S, A), "tails do not have shape (S, A)")
    actions, ends = stored["plan_actions"], stored["plan_ends"]
    require(ends.shape == (S + 1,) and ends[0] == 0, "there is not one plan per root")
    require((ends[-1] == len(actions)) & (np.diff(ends) >= 0), "plan_ends do not cut plan_actions")
    require((actions >= 0) & (actions < A), "a plan holds what is not an action")
    sweeps = stored["sweeps"]
    require(0 < len(sweeps) <= DEEPEST, f"there are not between 1 and {DEEPEST} numbers of sweeps")
    require(sweeps >= 0, "a number of sweeps is negative")
    T, rows, row_of = _transitions(stored, S, A)
    for sums in (T.sum(axis=1), start.sum()):
        require(np.abs(sums - 1) <= 1e-8, "probabilities do not sum to 1")
    every, cuts = actions.tolist(), ends.tolist()
    plans = tuple(tuple(every[i:j]) for i, j in pairwise(cuts))
    return Proof(
        T=T,
        rows=rows,
        row_of=row_of,
        C=C,
        k=np.array(np.broadcast_to(k, C.shape)),
        alpha=alpha,
        plans=plans,
        senses=stored["plan_senses"],
        claim=(float(claim[0]), float(claim[1])),
        sweeps=tuple(sweeps.tolist()),
        **{name: stored[name] for name in ("tails", *PER_STATE) if name != "plan_senses"},
    )


def _transitions(
    stored: dict[str, np.ndarray], S: int, A: int
) -> tuple[sparse.csr_array, sparse.csr_array, np.ndarray]:
    data, indices, local = stored["data"], stored["indices"], stored["indptr"]
    require(local.shape == (A, S + 1), "transitions and costs do not belong together")
    require(local[:, 0] == 0, "a row of transitions does not begin at 0")
    require((local >= 0) & (local <= len(data)), "a row of transitions ends nowhere")
    require(np.diff(local) >= 0, "rows of transitions overlap")
    require(local[:, -1].sum() == len(data) == len(indices), "transitions are cut short")
    require((indices >= 0) & (indices < S), "a transition leads nowhere")
    require((data >= LEAST) & (data <= 1), f"a probability is not between {LEAST:g} and 1")
    before = np.concatenate([[0], np.cumsum(local[:, -1])])
    ends = np.concatenate([[0], (local[:, 1:] + before[:-1, None]).ravel()])
    place = np.repeat(np.arange(A * S), np.diff(ends)) * S + indices
    require(np.diff(place) > 0, "a row of transitions leads to a state twice, or is not in order")
    number: dict[bytes, int] = {}
    firsts: list[int] = []
    which = np.empty(A * S, np.int64)
    for i in range(A * S):
        part = slice(ends[i], ends[i + 1])
        key = indices[part].tobytes() + data[part].tobytes()
        which[i] = number.setdefault(key, len(firsts))
        if which[i] == len(firsts):
            firsts.append(i)
    T = sparse.csr_array((data, indices, ends), shape=(A * S, S))
    return T, T[firsts], np.ascontiguousarray(which.reshape(A, S).T)
