"""Checks of what a user hands to :class:`solvers.core.model.SensingMDP`.

Each function takes one argument of the model as given, returns it in the form the model keeps, or
raises a :class:`ModelError` that names the place and says what was expected.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from solvers.core.ending import endless_states

ROW_SUM_TOLERANCE = 1e-8
"""How far a row of T(a) may be from 1; what is closer is rescaled to 1."""
ROUNDING = 1e-14
"""A sum this near to 1 is taken for 1 and not rescaled, so that a model read back from a file is
the same to the last bit."""


class ModelError(ValueError):
    """The numbers handed in do not make a sensing-cost MDP; the message says where and why."""


def transition_matrices(transitions: Any) -> tuple[sparse.csr_array, ...]:
    if isinstance(transitions, np.ndarray) and transitions.ndim != 3:
        raise ModelError(f"transitions have shape {transitions.shape}; expected (A, S, S)")
    matrices = []
    for a, given in enumerate(transitions):
        matrix = sparse.csr_array(given, dtype=float, copy=True)
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
            raise ModelError(f"action {a}: transitions have shape {matrix.shape}; expected (S, S)")
        if matrices and matrix.shape != matrices[0].shape:
            raise ModelError(
                f"action {a}: transitions have shape {matrix.shape}, "
                f"those of action 0 {matrices[0].shape}"
            )
        matrix.sum_duplicates()
        for wrong, what in (
            (~np.isfinite(matrix.data), "is not a finite number"),
            (matrix.data < 0, "is negative"),
        ):
            if wrong.any():
                at = int(np.flatnonzero(wrong)[0])
                row = int(np.searchsorted(matrix.indptr, at, side="right")) - 1
                raise ModelError(
                    f"action {a}, row {row}, column {matrix.indices[at]}: "
                    f"probability {matrix.data[at]} {what}"
                )
        sums = np.asarray(matrix.sum(axis=1)).ravel()
        off = np.abs(sums - 1)
        if off.size and off.max() > ROW_SUM_TOLERANCE:
            row = int(off.argmax())
            raise ModelError(f"action {a}, row {row} sums to {sums[row]:.6g}; expected 1")
        sums[off <= ROUNDING] = 1.0
        matrix.data /= np.repeat(sums, np.diff(matrix.indptr))
        matrix.eliminate_zeros()
        matrices.append(matrix)
    if not matrices or not matrices[0].shape[0]:
        raise ModelError("transitions are empty: at least one action and one state are needed")
    return tuple(matrices)


def costs(given: Any, S: int, A: int) -> np.ndarray:
    C = np.array(given, float)
    if C.shape == (S,):
        C = np.repeat(C[:, None], A, axis=1)
    if C.shape != (S, A):
        raise ModelError(f"costs have shape {C.shape}; expected (S, A) = ({S}, {A})")
    if not np.isfinite(C).all():
        s, a = np.argwhere(~np.isfinite(C))[0]
        raise ModelError(f"cost of action {a} in state {s} is {C[s, a]}; expected a finite number")
    return C


def discount(
    given: Any, T: tuple[sparse.csr_array, ...], terminal: np.ndarray, states: tuple[str, ...]
) -> float:
    if not (isinstance(given, int | float | np.floating) and 0 < given <= 1):
        raise ModelError(f"discount is {given!r}; expected a number above 0 and at most 1")
    if given == 1:
        endless = endless_states(T, terminal)
        if endless.any():
            s = int(np.flatnonzero(endless)[0])
            raise ModelError(
                f"discount 1 needs an end that no way of acting avoids, but from state {s} "
                f"({states[s]}) one can go on for ever; give a horizon or a discount below 1"
            )
    return float(given)


def names(given: Sequence[str] | None, n: int, kind: str) -> tuple[str, ...]:
    if given is None:
        return tuple(str(i) for i in range(n))
    found = tuple(str(x) for x in given)
    if len(found) != n:
        raise ModelError(f"{len(found)} {kind} names for {n} {kind}s")
    if len(set(found)) != n:
        double = next(x for i, x in enumerate(found) if x in found[:i])
        raise ModelError(f"{kind} name {double!r} stands twice")
    return found


def index(given: int | str, n: int, names: tuple[str, ...], kind: str) -> int:
    if isinstance(given, str):
        if given in names:
            return names.index(given)
        some = ", ".join(names[:8]) + (", …" if n > 8 else "")
        raise ModelError(f"unknown {kind} {given!r}; the {kind}s are: {some}")
    if not 0 <= int(given) < n:
        raise ModelError(f"{kind} {given} does not exist; there are {n}, counted from 0")
    return int(given)


def terminal_mask(terminal: Any, S: int, states: tuple[str, ...]) -> np.ndarray:
    mask = np.zeros(S, bool)
    if terminal is None:
        return mask
    if isinstance(terminal, int | str | np.integer):
        terminal = [terminal]
    given = np.asarray(terminal)
    if given.dtype == bool:
        if given.shape != (S,):
            raise ModelError(f"terminal mask has shape {given.shape}; expected ({S},)")
        return given.copy()
    for state in terminal:
        mask[index(state, S, states, "state")] = True
    return mask


def start(given: Any, S: int, terminal: np.ndarray, states: tuple[str, ...]) -> np.ndarray:
    if given is None:
        if terminal.all():
            raise ModelError("every state is terminal: there is nothing to plan")
        return ~terminal / np.count_nonzero(~terminal)
    if isinstance(given, int | str | np.integer):
        return np.eye(S)[index(given, S, states, "state")]
    p = np.array(given, float)
    if p.shape != (S,):
        raise ModelError(f"start has shape {p.shape}; expected ({S},)")
    if not np.isfinite(p).all() or (p < 0).any():
        s = int(np.flatnonzero(~(p >= 0) | ~np.isfinite(p))[0])
        raise ModelError(f"start probability of state {s} is {p[s]}; expected a number >= 0")
    if abs(p.sum() - 1) > ROW_SUM_TOLERANCE:
        raise ModelError(f"start sums to {p.sum():.6g}; expected 1")
    return p if abs(p.sum() - 1) <= ROUNDING else p / p.sum()


def terminals(
    T: tuple[sparse.csr_array, ...],
    C: np.ndarray,
    terminal: np.ndarray,
    states: tuple[str, ...],
    actions: tuple[str, ...],
) -> None:
    for s in np.flatnonzero(terminal):
        for a, matrix in enumerate(T):
            if abs(matrix[s, s] - 1) > ROW_SUM_TOLERANCE:
                raise ModelError(
                    f"terminal state {s} ({states[s]}) is left with probability "
                    f"{1 - matrix[s, s]:.6g} under action {a} ({actions[a]}); "
                    "a terminal state must be absorbing"
                )
            if C[s, a] != 0:
                raise ModelError(
                    f"terminal state {s} ({states[s]}) has cost {C[s, a]} under action {a} "
                    f"({actions[a]}); a terminal state must be free"
                )
