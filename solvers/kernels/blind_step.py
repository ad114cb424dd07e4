"""One blind step of many beliefs, each under its own action, with dense or sparse transitions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic
from scipy import sparse

SMALL_STATES = 128
"""Up to this many states a dense product beats a sparse one whatever the density."""
DENSE_SHARE = 0.03
"""Share of non-zero transitions above which dense products win."""
STEP_SHARE = 0.2
"""The same for one step of many beliefs, whose sparse product is made for it."""
DENSE_ENTRIES = 2**25
"""Most entries of T kept dense (256 MiB)."""
LANES = 16
"""Beliefs that are gathered together; fewer would wait for each other's sums, more would not be
held close to the processor."""


def dense_is_faster(transitions: tuple[sparse.csr_array, ...]) -> bool:
    """Whether dense products are the faster ones, and T (A, S, S) is not too large for them."""
    A, S = len(transitions), transitions[0].shape[0]
    return A * S * S <= DENSE_ENTRIES and (S <= SMALL_STATES or filled(transitions) >= DENSE_SHARE)


def made_dense(transitions: tuple[sparse.csr_array, ...]) -> np.ndarray:
    """T as (A, S, S)."""
    A, S = len(transitions), transitions[0].shape[0]
    dense = np.zeros((A, S, S))
    for a, T in enumerate(transitions):
        T.toarray(out=dense[a])
    return dense


def filled(transitions: tuple[sparse.csr_array, ...]) -> float:
    """The share of transitions that are not zero."""
    return sum(T.nnz for T in transitions) / (len(transitions) * transitions[0].shape[0] ** 2)


def steps_dense(transitions: tuple[sparse.csr_array, ...]) -> bool:
    """Whether one blind step of many beliefs is faster with dense transitions."""
    return transitions[0].shape[0] <= SMALL_STATES or filled(transitions) >= STEP_SHARE


def by_action(beliefs: Any, actions: np.ndarray, matrices: np.ndarray) -> np.ndarray:
    """``beliefs[i] @ matrices[actions[i]]``: (n, S), also sparse, (n,), (A, S, m) -> (n, m)."""
    used, counts = np.unique(actions, return_counts=True)
    after = np.empty((len(actions), matrices.shape[2]))
    if 2 * counts.max(initial=0) > len(actions):
        # Most share an action: cheaper to multiply all than to copy those out and back.
        most = counts.argmax()
        after = beliefs @ matrices[used[most]]
        used = np.delete(used, most)
    for a in used:
        rows = np.flatnonzero(actions == a)
        after[rows] = beliefs[rows] @ matrices[a]
    return after


def stack_transitions(
    transitions: tuple[sparse.csr_array, ...],
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """All T(a) in one: row starts (A, S + 1) into shared columns and probabilities."""
    offsets = np.cumsum([0] + [T.nnz for T in transitions[:-1]])
    starts = np.stack(
        [T.indptr.astype(np.int64) + o for T, o in zip(transitions, offsets, strict=True)]
    )
    columns = np.concatenate([T.indices.astype(np.int32) for T in transitions])
    return starts, columns, np.concatenate([T.data for T in transitions])


def stack_transposes(
    transitions: tuple[sparse.csr_array, ...],
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """All transposes in one, for ``gathered_steps``: as ``stack_transitions``."""
    return stack_transitions(tuple(sparse.csr_array(T.T) for T in transitions))


def sparse_steps(
    move: Callable[..., None],
    beliefs: np.ndarray,
    actions: np.ndarray,
    stacked: tuple[np.ndarray, np.ndarray, np.ndarray],
) -> np.ndarray:
    """One blind step of each belief (n, S) under its own action (n,), made by one of the two loops
    below from what it reads: ``stack_transitions`` or ``stack_transposes``."""
    after, beliefs = np.empty(beliefs.shape), np.ascontiguousarray(beliefs, float)
    actions = np.ascontiguousarray(actions, np.int64)
    move(beliefs, actions, np.argsort(actions, kind="stable"), *stacked, after)
    return after


# The signature makes numba compile when the module is loaded, so that no planning time pays for it.
@njit("void(f8[:,::1], i8[::1], i8, i8, f8[:,::1], i8)", cache=True, nogil=True)
def _read_eight(beliefs, order, i, end, x, t):
    """Beliefs ``order[i : i + 8]`` as columns ``t : t + 8`` of x (S, ·); the last one before
    ``end`` stands for those from there on."""
    last = end - 1
    b0, b1 = beliefs[order[i]], beliefs[order[min(i + 1, last)]]
    b2, b3 = beliefs[order[min(i + 2, last)]], beliefs[order[min(i + 3, last)]]
    b4, b5 = beliefs[order[min(i + 4, last)]], beliefs[order[min(i + 5, last)]]
    b6, b7 = beliefs[order[min(i + 6, last)]], beliefs[order[min(i + 7, last)]]
    for s in range(len(x)):
        row = x[s]
        row[t], row[t + 1], row[t + 2], row[t + 3] = b0[s], b1[s], b2[s], b3[s]
        row[t + 4], row[t + 5], row[t + 6], row[t + 7] = b4[s], b5[s], b6[s], b7[s]


@njit("void(f8[:,::1], i8, i8[::1], i8, i8, f8[:,::1])", cache=True, nogil=True)
def _write_eight(y, t, order, i, end, after):
    """Columns ``t : t + 8`` of y (S, ·) as rows ``order[i : i + 8]``, those before ``end``."""
    if i + 8 > end:
        for j in range(i, end):
            row = after[order[j]]
            for s in range(len(y)):
                row[s] = y[s, t + j - i]
        return
    a0, a1, a2, a3 = after[order[i]], after[order[i + 1]], after[order[i + 2]], after[order[i + 3]]
    i += 4
    a4, a5, a6, a7 = after[order[i]], after[order[i + 1]], after[order[i + 2]], after[order[i + 3]]
    for s in range(len(y)):
        row = y[s]
        a0[s], a1[s], a2[s], a3[s] = row[t], row[t + 1], row[t + 2], row[t + 3]
        a4[s], a5[s], a6[s], a7[s] = row[t + 4], row[t + 5], row[t + 6], row[t + 7]


@njit(
    "void(f8[:,::1], i8[::1], i8[::1], i8[:,::1], i4[::1], f8[::1], f8[:,::1])",
    cache=True,
    nogil=True,
)
def blind_steps(beliefs, actions, order, starts, columns, probabilities, after):
    """``after[i] = beliefs[i] @ T(actions[i])``: (n, S), (n,) -> (n, S).

    order : (n,), the numbers of the rows, sorted by action.  Eight rows with the same action are
    moved together, so each transition is read once for all eight; states where all eight are zero
    are left out.
    """
    n, S = beliefs.shape
    x, y = np.zeros((S, 8)), np.empty((S, 8))
    i = 0
    while i < n:
        a, m = actions[order[i]], 1
        while m < 8 and i + m < n and actions[order[i + m]] == a:
            m += 1
        _read_eight(beliefs, order, i, i + m, x, 0)
        y[:] = 0.0
        for s in range(S):
            x0, x1, x2, x3 = x[s, 0], x[s, 1], x[s, 2], x[s, 3]
            x4, x5, x6, x7 = x[s, 4], x[s, 5], x[s, 6], x[s, 7]
            if max(max(x0, x1, x2, x3), max(x4, x5, x6, x7)) == 0.0:
                continue
            for at in range(starts[a, s], starts[a, s + 1]):
                c, p = columns[at], probabilities[at]
                y[c, 0] += p * x0
                y[c, 1] += p * x1
                y[c, 2] += p * x2
                y[c, 3] += p * x3
                y[c, 4] += p * x4
                y[c, 5] += p * x5
                y[c, 6] += p * x6
                y[c, 7] += p * x7
        _write_eight(y, 0, order, i, i + m, after)
        i += m


@intrinsic
def _gather(typing_context, y, c, x, rows, probabilities, first, end):
    """``y[c] = sum over e from first to end of probabilities[e] * x[rows[e]]``; rows of LANES.

    The sums stay in vector registers, which numba does not do of itself.  No product is fused with
    a sum, so that the result is that of ``blind_steps`` to the last bit.
    """

    def generate(context, builder, signature, arguments):
        lanes = ir.VectorType(ir.DoubleType(), LANES)
        index, nothing = ir.IntType(64), ir.Constant(lanes, ir.Undefined)
        everywhere = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)

        def data(i):
            return context.make_array(signature.args[i])(context, builder, arguments[i]).data

        rows_at, probabilities_at = data(3), data(4)
        x_at, y_at = (builder.bitcast(data(i), lanes.as_pointer()) for i in (2, 0))
        target, one = builder.gep(y_at, [arguments[1]]), ir.Constant(index, 1)
        total = cgutils.alloca_once_value(builder, ir.Constant(lanes, [0.0] * LANES))
        with cgutils.for_range_slice(builder, *arguments[5:], one, index) as (e, _):
            row = builder.sext(builder.load(builder.gep(rows_at, [e])), index)
            p = builder.load(builder.gep(probabilities_at, [e]))
            p = builder.insert_element(nothing, p, ir.Constant(ir.IntType(32), 0))
            p = builder.shuffle_vector(p, nothing, everywhere)
            term = builder.fmul(p, builder.load(builder.gep(x_at, [row]), align=8))
            builder.store(builder.fadd(builder.load(total), term), total)
        builder.store(builder.load(total), target, align=8)
        return context.get_dummy_value()

    return types.void(y, c, x, rows, probabilities, first, end), generate


@njit(
    "void(f8[:,::1], i8[::1], i8[::1], i8[:,::1], i4[::1], f8[::1], f8[:,::1])",
    cache=True,
    nogil=True,
)
def gathered_steps(beliefs, actions, order, starts, rows, probabilities, after):
    """The same as ``blind_steps`` from the transposes of T(a), for T with many transitions.

    starts, rows, probabilities : as ``stack_transposes`` gives them
    """
    n, S = beliefs.shape
    x, y = np.zeros((S, LANES)), np.empty((S, LANES))
    i = 0
    while i < n:
        a, m = actions[order[i]], 1
        while m < LANES and i + m < n and actions[order[i + m]] == a:
            m += 1
        for t in range(0, m, 8):
            _read_eight(beliefs, order, i + t, i + m, x, t)
        for c in range(S):
            _gather(y, c, x, rows, probabilities, starts[a, c], starts[a, c + 1])
        for t in range(0, m, 8):
            _write_eight(y, t, order, i + t, i + m, after)
        i += m


def picked_rows(
    starts: np.ndarray,
    columns: np.ndarray,
    probabilities: np.ndarray,
    policy: np.ndarray,
    live: np.ndarray,
) -> sparse.csr_array:
    """Row s is that of T(policy[s]), empty where not live, from stacked transitions: (S, S)."""
    every = np.arange(len(policy))
    first, end = starts[policy, every], starts[policy, every + 1]
    counts = np.where(live, end - first, 0)
    indptr = np.concatenate([[0], np.cumsum(counts)])
    at = np.repeat(first - indptr[:-1], counts) + np.arange(indptr[-1])
    shape = (len(policy), len(policy))
    return sparse.csr_array((probabilities[at], columns[at], indptr), shape=shape)
