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


LARGEST = 1e100
"""Costs beyond this leave no room for sums and products of them."""


def numbers(given: Any, what: str) -> np.ndarray:
    """An array of real numbers, a copy; refused with the reason if it is not one.

    True and False count as 1 and 0 here, as in any array that marks some states.
    """
    if isinstance(given, np.ma.MaskedArray):
        raise ModelError(f"{what}: a masked array hides some numbers; fill them in first")
    try:
        array = np.asarray(given)
    except ValueError:
        raise ModelError(f"{what}: the rows differ in length; expected an array") from None
    if array.dtype.kind == "c":
        raise ModelError(f"{what}: complex numbers; expected real ones")
    if array.dtype.kind not in "biuf":
        found = "text" if array.dtype.kind in "US" else type(given).__name__
        raise ModelError(f"{what}: found {found}; expected numbers")
    return np.array(array, float)


def transition_matrices(transitions: Any) -> tuple[sparse.csr_array, ...]:
    if isinstance(transitions, str) or not hasattr(transitions, "__iter__"):
        found = type(transitions).__name__
        raise ModelError(f"transitions: found {found}; expected an array (A, S, S)")
    if isinstance(transitions, np.ndarray) and transitions.ndim != 3:
        raise ModelError(f"transitions have shape {transitions.shape}; expected (A, S, S)")
    matrices: list[sparse.csr_array] = []
    for a, given in enumerate(transitions):
        matrix = _sparse_matrix(given, f"transitions of action {a}")
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
            raise ModelError(f"action {a}, row {row} sums to {_off_one(sums[row])}; expected 1")
        sums[off <= ROUNDING] = 1.0
        matrix.data /= np.repeat(sums, np.diff(matrix.indptr))
        matrix.eliminate_zeros()
        matrices.append(matrix)
    if not matrices or not matrices[0].shape[0]:
        raise ModelError("transitions are empty: at least one action and one state are needed")
    return tuple(matrices)


def _sparse_matrix(given: Any, what: str) -> sparse.csr_array:
    if sparse.issparse(given):
        if given.dtype.kind == "c":
            raise ModelError(f"{what}: complex numbers; expected real ones")
        return sparse.csr_array(given, dtype=float, copy=True)
    array = numbers(given, what)
    if array.ndim != 2:
        raise ModelError(f"{what}: shape {array.shape}; expected (S, S)")
    return sparse.csr_array(array)


def _off_one(total: float) -> str:
    """A sum that is not 1, so that one can see by how much."""
    return f"{total:.6g}" if f"{total:.6g}" != "1" else f"1 {total - 1:+.2g}"


def costs(given: Any, S: int, A: int) -> np.ndarray:
    C = numbers(given, "costs")
    if C.shape == (S,):
        C = np.repeat(C[:, None], A, axis=1)
    if C.shape != (S, A):
        raise ModelError(f"costs have shape {C.shape}; expected (S, A) = ({S}, {A})")
    wrong = ~(np.abs(C) <= LARGEST)
    if wrong.any():
        s, a = np.argwhere(wrong)[0]
        raise ModelError(
            f"cost of action {a} in state {s} is {C[s, a]}; expected a finite number, at most "
            f"{LARGEST:g} in size"
        )
    return C


def discount(
    given: Any, T: tuple[sparse.csr_array, ...], terminal: np.ndarray, states: tuple[str, ...]
) -> float:
    number = isinstance(given, int | float | np.floating) and not isinstance(given, bool)
    if not (number and 0 < given <= 1):
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


def index(given: Any, n: int, names: tuple[str, ...], kind: str) -> int:
    if isinstance(given, str):
        if given in names:
            return names.index(given)
        some = ", ".join(names[:8]) + (", …" if n > 8 else "")
        raise ModelError(f"unknown {kind} {given!r}; the {kind}s are: {some}")
    if isinstance(given, bool) or not isinstance(given, int | np.integer):
        raise ModelError(f"{kind} {given!r} is neither a number of one nor a name")
    if not 0 <= int(given) < n:
        raise ModelError(f"{kind} {given} does not exist; there are {n}, counted from 0")
    return int(given)


def terminal_mask(terminal: Any, S: int, states: tuple[str, ...]) -> np.ndarray:
    mask = np.zeros(S, bool)
    if terminal is None:
        return mask
    if isinstance(terminal, int | str | np.integer):
        terminal = [terminal]
    try:
        given = np.asarray(terminal)
    except ValueError:
        given = np.asarray(0)
    if given.ndim != 1:
        raise ModelError(f"terminal is {terminal!r}; expected a mask (S,), indices or names")
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
        point = np.zeros(S)
        point[index(given, S, states, "state")] = 1.0
        return point
    p = numbers(given, "start")
    if p.shape != (S,):
        raise ModelError(f"start has shape {p.shape}; expected ({S},)")
    if not np.isfinite(p).all() or (p < 0).any():
        s = int(np.flatnonzero(~(p >= 0) | ~np.isfinite(p))[0])
        raise ModelError(f"start probability of state {s} is {p[s]}; expected a number >= 0")
    if abs(p.sum() - 1) > ROW_SUM_TOLERANCE:
        raise ModelError(f"start sums to {_off_one(p.sum())}; expected 1")
    return p if abs(p.sum() - 1) <= ROUNDING else p / p.sum()


def terminals(
    T: tuple[sparse.csr_array, ...],
    C: np.ndarray,
    terminal: np.ndarray,
    states: tuple[str, ...],
    actions: tuple[str, ...],
) -> tuple[sparse.csr_array, ...]:
    """T with terminal states exactly absorbing; refused if they are not, or cost something."""
    if not terminal.any():
        return T
    end = np.flatnonzero(terminal)
    left = np.stack([1 - matrix.diagonal()[end] for matrix in T], axis=1)  # (ends, A)
    wrong = np.argwhere((left > ROW_SUM_TOLERANCE) | (C[end] != 0))
    if len(wrong):
        i, a = (int(x) for x in wrong[0])
        s = int(end[i])
        if left[i, a] > ROW_SUM_TOLERANCE:
            raise ModelError(
                f"terminal state {s} ({states[s]}) is left with probability {left[i, a]:.6g} "
                f"under action {a} ({actions[a]}); a terminal state must be absorbing"
            )
        raise ModelError(
            f"terminal state {s} ({states[s]}) has cost {C[s, a]} under action {a} "
            f"({actions[a]}); a terminal state must be free"
        )
    return tuple(_absorbing(matrix, terminal) for matrix in T)


def _absorbing(matrix: sparse.csr_array, terminal: np.ndarray) -> sparse.csr_array:
    if (matrix.diagonal()[terminal] == 1).all() and not np.diff(matrix.indptr)[terminal].max() > 1:
        return matrix
    live = sparse.diags_array((~terminal).astype(float))
    exact = sparse.csr_array(live @ matrix + sparse.diags_array(terminal.astype(float)))
    exact.eliminate_zeros()
    exact.sort_indices()
    return exact
