"""Compiled products of transition rows with blocks of columns: all that delayed information does.

A block ``X`` (Q, w) holds w numbers for each of Q things; ``of`` (S, B) says which thing stands for
state s in the b-th block.  The mixture of row r over block b is ``Σ_s rows(r, s) X[of[s, b]]``.

A whole climb is one compiled call: on a small problem a sweep takes microseconds, and every numpy
call between two sweeps would take as long again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from solvers.core.model import SensingMDP

CHUNK = 1024
"""Columns summed at once, so that the sums stay in the nearest cache."""
WIDE = 4096
"""Up to this many columns the blocks are laid side by side first: longer runs, faster sums."""


class Rows(NamedTuple):
    """The R distinct rows of all T(a), as a CSR matrix (R, S).

    row_of : (S, A) which of them T(a)(s, ·) is; itself : (S, 1) every state stands for itself
    """

    indptr: np.ndarray
    indices: np.ndarray
    data: np.ndarray
    row_of: np.ndarray
    itself: np.ndarray


class Levels(NamedTuple):
    """The numbers of one depth n, the levels m = 1…n flat and one after the other.

    offset (n+2,) : level m is ``[offset[m]:offset[m + 1]]``, of shape (R, A^(m-1))
    W : the bound; stages : B(s, σ) C(a) for |σ| = m − 1, from m = 2 on (level 1 is not used)
    looks : scratch, the same for the costs of looking; level 1 holds the mixtures of W0
    """

    offset: np.ndarray
    W: np.ndarray
    stages: np.ndarray
    looks: np.ndarray


def distinct_rows(problem: SensingMDP) -> Rows:
    """Every distinct row of all T(a), kept once."""
    S, A = problem.num_states, problem.num_actions
    number: dict[bytes, int] = {}
    row_of = np.empty((S, A), np.int64)
    indices, data = [], []
    for a, T in enumerate(problem.transitions):
        T.sort_indices()
        ends = T.indptr.tolist()
        for s in range(S):
            of = slice(ends[s], ends[s + 1])
            key = T.indices[of].tobytes() + T.data[of].tobytes()
            r = row_of[s, a] = number.setdefault(key, len(data))
            if r == len(data):
                indices.append(T.indices[of])
                data.append(T.data[of])
    return Rows(
        indptr=np.cumsum([0] + [len(row) for row in data]),
        indices=np.concatenate(indices).astype(np.int64),
        data=np.concatenate(data),
        row_of=row_of,
        itself=np.arange(S)[:, None],
    )


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def mix(rows, of, X, out):
    """Every mixture: (S, B), (Q, w) -> ``out`` (R, B·w)."""
    B, w = of.shape[1], X.shape[1]
    out[:] = 0.0
    for r in range(len(out)):
        for b in range(B):
            for first in range(0, w, CHUNK):
                end = min(first + CHUNK, w)
                total = out[r, b * w + first : b * w + end]
                for e in range(rows.indptr[r], rows.indptr[r + 1]):
                    x, p = X[of[rows.indices[e], b], first:end], rows.data[e]
                    for c in range(end - first):
                        total[c] += p * x[c]


@njit(cache=True, nogil=True)
def action_values(rows, look_costs, alpha, V, ahead, Q):
    """``look_costs + α T(a) V`` into Q (S, A), by way of the mixtures of V (S,), ``ahead`` (R,)."""
    mix(rows, rows.itself, V.reshape(-1, 1), ahead.reshape(-1, 1))
    S, A = Q.shape
    for s in range(S):
        for a in range(A):
            Q[s, a] = look_costs[s, a] + alpha * ahead[rows.row_of[s, a]]


@njit(cache=True, nogil=True)
def climb(rows, costs, look_costs, terminal, alpha, W0, levels, enough, most):
    """Back up everything until no root W0 (S,) rises by more than ``enough``, ``most`` times at
    most; returns the number of sweeps and the last rise."""
    S, A = costs.shape
    offset, stages, looks, W = levels.offset, levels.stages, levels.looks, levels.W
    n, R = len(offset) - 2, len(rows.indptr) - 1
    Q, rise = np.empty((S, A)), 0.0
    for sweep in range(most):
        action_values(rows, look_costs, alpha, W0, looks[:R], Q)
        for m in range(1, n):
            out = looks[offset[m + 1] : offset[m + 2]].reshape(R, -1)
            if m == 1:
                mix(rows, rows.itself, Q, out)
            else:
                mix(rows, rows.row_of, looks[offset[m] : offset[m + 1]].reshape(R, -1), out)
        _back_up_last(rows, costs, alpha, offset, stages, looks, W, Q)
        for m in range(n - 1, 0, -1):
            below = slice(offset[m + 1], offset[m + 2])
            raise_from_below(A, stages[below], W[below], looks[below], alpha, W[offset[m] :])
        rise = 0.0
        for s in range(S):
            if terminal[s]:
                continue
            least = np.inf
            for a in range(A):
                least = min(least, costs[s, a] + alpha * W[rows.row_of[s, a]], Q[s, a])
            rise = max(rise, least - W0[s])
            W0[s] = max(W0[s], least)
        if rise <= enough:
            return sweep + 1, rise
    return most, rise


@njit(cache=True, nogil=True)
def _back_up_last(rows, costs, alpha, offset, stages, looks, W, Q):
    """Level n, where the oldest state is revealed."""
    S, A = costs.shape
    n, R = len(offset) - 2, len(rows.indptr) - 1
    last = W[offset[n] : offset[n + 1]]
    if n == 1:
        ahead = np.empty((S, A))
        for s in range(S):
            for a in range(A):
                ahead[s, a] = costs[s, a] + alpha * last[rows.row_of[s, a]]
        raise_by_mixtures(rows, rows.itself, ahead, Q, A, last.reshape(R, -1))
        return
    look = looks[offset[n] : offset[n + 1]].reshape(R, -1)
    ahead = (stages[offset[n] : offset[n + 1]] + alpha * last).reshape(R, -1)
    if A * ahead.shape[1] > WIDE:
        raise_by_mixtures(rows, rows.row_of, ahead, look, A, last.reshape(R, -1))
        return
    ahead, look = _side_by_side(rows.row_of, ahead), _side_by_side(rows.row_of, look)
    raise_by_mixtures(rows, rows.itself, ahead, look, A, last.reshape(R, -1))


@njit(cache=True, nogil=True)
def _side_by_side(of, X):
    """The blocks of each state in one run: (S, B), (Q, w) -> (S, B·w)."""
    (S, B), w = of.shape, X.shape[1]
    out = np.empty((S, B * w))
    for s in range(S):
        for b in range(B):
            out[s, b * w : (b + 1) * w] = X[of[s, b]]
    return out


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def raise_by_mixtures(rows, of, ahead, looks, A, W):
    """Raise W (R, B·w / A) in place to the least, over each run of A columns, of the mixtures of
    ``ahead`` and of ``looks``, both (Q, w)."""
    B, w = of.shape[1], ahead.shape[1]
    chunk = max(CHUNK // A, 1) * A
    blind, look = np.empty(min(chunk, w)), np.empty(min(chunk, w))
    for r in range(len(W)):
        for b in range(B):
            for first in range(0, w, chunk):
                size = min(chunk, w - first)
                blind[:size], look[:size] = 0.0, 0.0
                for e in range(rows.indptr[r], rows.indptr[r + 1]):
                    q, p = of[rows.indices[e], b], rows.data[e]
                    x, y = ahead[q, first : first + size], looks[q, first : first + size]
                    for c in range(size):
                        blind[c] += p * x[c]
                    for c in range(size):
                        look[c] += p * y[c]
                _raise(W[r, (b * w + first) // A :], blind, look, size, A)


@njit(cache=True, nogil=True)
def raise_from_below(A, stage, below, looks, alpha, W):
    """Raise W in place to the least of ``stage + α below`` and ``looks``, over runs of A."""
    for g in range(len(stage) // A):
        least = np.inf
        for c in range(g * A, (g + 1) * A):
            least = min(least, stage[c] + alpha * below[c], looks[c])
        W[g] = max(W[g], least)


@njit(cache=True, nogil=True)
def _raise(W, blind, look, size, A):
    for c in range(size):
        blind[c] = min(blind[c], look[c])
    for g in range(size // A):
        least = blind[g * A]
        for c in range(g * A + 1, (g + 1) * A):
            least = min(least, blind[c])
        W[g] = max(W[g], least)


@njit(cache=True)
def repetitions(rows, alpha, a, alive, negligible):
    """How often action ``a`` can be repeated before the discounted chance to be in a state that
    counts, from any of them, is negligible; ``alive`` (S,) is 1 in these states and 0 elsewhere."""
    steps, discount = 0, 1.0
    while discount * alive.max() > negligible:
        ahead = np.zeros(len(alive))
        for s in range(len(alive)):
            r = rows.row_of[s, a]
            for e in range(rows.indptr[r], rows.indptr[r + 1]):
                ahead[s] += rows.data[e] * alive[rows.indices[e]]
        alive, steps, discount = ahead, steps + 1, discount * alpha
    return steps
