"""Compiled products of transition rows with blocks of columns: all that delayed information does.

A block ``X`` (Q, w) holds w numbers for each of Q things; ``of`` (S, B) says which thing stands for
state s in the b-th block.  The mixture of row r over block b is ``Σ_s rows(r, s) X[of[s, b]]``.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from scipy import sparse

from solvers.model import SensingMDP

CHUNK = 1024
"""Columns summed at once, so that the sums stay in the nearest cache."""


def distinct_rows(problem: SensingMDP) -> tuple[sparse.csr_array, np.ndarray]:
    """The distinct rows of all T(a), (R, S), and which one T(a)(s, ·) is, (S, A)."""
    S, A = problem.num_states, problem.num_actions
    number: dict[bytes, int] = {}
    row_of = np.empty((S, A), np.int64)
    first: list[int] = []
    for a, T in enumerate(problem.transitions):
        T.sort_indices()
        for s in range(S):
            of = slice(T.indptr[s], T.indptr[s + 1])
            key = T.indices[of].tobytes() + T.data[of].tobytes()
            r = row_of[s, a] = number.setdefault(key, len(first))
            if r == len(first):
                first.append(a * S + s)
    rows = sparse.vstack(problem.transitions, format="csr")[first]
    rows.indptr, rows.indices = rows.indptr.astype(np.int64), rows.indices.astype(np.int64)
    return rows, row_of


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def mix(indptr, indices, data, of, X):
    """Every mixture: (R, S) rows, (S, B), (Q, w) -> (R, B·w)."""
    R, B, w = len(indptr) - 1, of.shape[1], X.shape[1]
    out = np.zeros((R, B * w))
    for r in range(R):
        for b in range(B):
            for first in range(0, w, CHUNK):
                end = min(first + CHUNK, w)
                total = out[r, b * w + first : b * w + end]
                for e in range(indptr[r], indptr[r + 1]):
                    x, p = X[of[indices[e], b], first:end], data[e]
                    for c in range(end - first):
                        total[c] += p * x[c]
    return out


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def raise_by_mixtures(indptr, indices, data, of, ahead, looks, W):
    """Raise W (R, B·w / A) in place to the least, over each run of A columns, of the mixtures of
    ``ahead`` and of ``looks``, both (Q, w)."""
    R, B, w = W.shape[0], of.shape[1], ahead.shape[1]
    A = B * w // W.shape[1]
    chunk = max(CHUNK // A, 1) * A
    blind, look = np.empty(min(chunk, w)), np.empty(min(chunk, w))
    for r in range(R):
        for b in range(B):
            for first in range(0, w, chunk):
                size = min(chunk, w - first)
                blind[:size], look[:size] = 0.0, 0.0
                for e in range(indptr[r], indptr[r + 1]):
                    q, p = of[indices[e], b], data[e]
                    x, y = ahead[q, first : first + size], looks[q, first : first + size]
                    for c in range(size):
                        blind[c] += p * x[c]
                    for c in range(size):
                        look[c] += p * y[c]
                _raise(W[r], (b * w + first) // A, blind, look, size, A)


@njit(cache=True, nogil=True)
def raise_from_below(stage, below, looks, alpha, W):
    """Raise W (R, w / A) in place to the least of ``stage + alpha below`` and ``looks`` (R, w)."""
    R, w = stage.shape
    blind = np.empty(w)
    for r in range(R):
        for c in range(w):
            blind[c] = stage[r, c] + alpha * below[r, c]
        _raise(W[r], 0, blind, looks[r], w, w // W.shape[1])


@njit(cache=True, nogil=True)
def _raise(W, at, blind, look, size, A):
    for c in range(size):
        blind[c] = min(blind[c], look[c])
    for g in range(size // A):
        least = blind[g * A]
        for c in range(g * A + 1, (g + 1) * A):
            least = min(least, blind[c])
        W[at + g] = max(W[at + g], least)
