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
def mix_least(indptr, indices, data, of, X, Y, group):
    """Least of the mixtures of X and of Y over each ``group`` of columns: -> (R, B·w / group)."""
    R, B, w = len(indptr) - 1, of.shape[1], X.shape[1]
    chunk = max(CHUNK // group, 1) * group
    out = np.empty((R, B * w // group))
    sums, others = np.empty(min(chunk, w)), np.empty(min(chunk, w))
    for r in range(R):
        for b in range(B):
            for first in range(0, w, chunk):
                size = min(chunk, w - first)
                sums[:size], others[:size] = 0.0, 0.0
                for e in range(indptr[r], indptr[r + 1]):
                    q, p = of[indices[e], b], data[e]
                    x, y = X[q, first : first + size], Y[q, first : first + size]
                    for c in range(size):
                        sums[c] += p * x[c]
                    for c in range(size):
                        others[c] += p * y[c]
                at = (b * w + first) // group
                for g in range(size // group):
                    least = np.inf
                    for c in range(g * group, (g + 1) * group):
                        least = min(least, sums[c], others[c])
                    out[r, at + g] = least
    return out
