"""Compiled products of transition rows with blocks of columns: all that delayed information does.

``X`` (Q, w) is a matrix whose rows belong to states or to transition rows; ``of`` (S, B) says which
of its rows stands for state s in the b-th block.  The mixture of transition row r over block b is
the weighted sum ``Σ_s rows(r, s) X[of[s, b]]``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from scipy import sparse

from solvers.kernels.blind_step import stack_transitions
from solvers.kernels.value_sweeps import number_rows

CHUNK = 1024
"""Columns summed at once, so that the sums stay in the nearest cache."""
UNCAPPED = np.empty(0)
"""No cap: see :func:`_raise`."""


class Rows(NamedTuple):
    """The R distinct rows of all T(a), as a CSR matrix (R, S).

    row_of : (S, A) which of them T(a)(s, ·) is; itself : (S, 1) every state stands for itself
    """

    indptr: np.ndarray
    indices: np.ndarray
    data: np.ndarray
    row_of: np.ndarray
    itself: np.ndarray


class Constants(NamedTuple):
    """What a sweep reads of a problem.

    costs, look_costs (S, A) : of acting blind, and of acting and looking
    price (A,) : the most that looking costs with each action; terminal (S,)
    gains (S,), row_gains (R,) : the most that can be earned from each state, and after each row
    rounding : what the sums of one step may be off by, as a share of the sum of absolute terms
    excess : by how much the chances in a row may add up to more than 1
    """

    costs: np.ndarray
    look_costs: np.ndarray
    price: np.ndarray
    terminal: np.ndarray
    discount: float
    gains: np.ndarray
    row_gains: np.ndarray
    rounding: float
    excess: float


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


def distinct_rows(transitions: tuple[sparse.csr_array, ...]) -> Rows:
    """Every distinct row of all T(a), kept once."""
    S, A = transitions[0].shape[0], len(transitions)
    for T in transitions:
        T.sort_indices()
    starts, columns, probabilities = stack_transitions(transitions)
    row_of, first, last = np.empty((S, A), np.int64), np.empty(S * A, int), np.empty(S * A, int)
    R = number_rows(starts, columns, probabilities.view(np.int64), row_of, first, last)
    sizes = last[:R] - first[:R]
    indptr = np.concatenate([[0], np.cumsum(sizes)])
    at = np.repeat(first[:R] - indptr[:-1], sizes) + np.arange(indptr[-1])
    return Rows(
        indptr=indptr,
        indices=columns[at].astype(np.int64),
        data=probabilities[at],
        row_of=row_of,
        itself=np.arange(S)[:, None],
    )


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def _add_up(total, rows, r, of, b, X, first):
    """One mixture, of transition row r over block b, from column ``first`` on, into ``total``.

    Four terms at once: what is summed so far is read and written a quarter as often.
    """
    total[:] = 0.0
    e, end, last = rows.indptr[r], rows.indptr[r + 1], first + len(total)
    while e + 4 <= end:
        w = X[of[rows.indices[e], b], first:last]
        x = X[of[rows.indices[e + 1], b], first:last]
        y = X[of[rows.indices[e + 2], b], first:last]
        z = X[of[rows.indices[e + 3], b], first:last]
        p, q, s, t = rows.data[e], rows.data[e + 1], rows.data[e + 2], rows.data[e + 3]
        for c in range(len(total)):
            total[c] += p * w[c] + q * x[c] + s * y[c] + t * z[c]
        e += 4
    while e < end:
        x, p = X[of[rows.indices[e], b], first:last], rows.data[e]
        for c in range(len(total)):
            total[c] += p * x[c]
        e += 1


@njit(cache=True, nogil=True)
def mix(rows, of, X, out, stop):
    """Every mixture: (S, B), (Q, w) -> ``out`` (R, B·w), or a part of them once ``stop[0]`` is
    set."""
    B, w = of.shape[1], X.shape[1]
    for b in range(B):
        for r in range(len(out)):
            if stop[0]:
                return
            for first in range(0, w, CHUNK):
                end = min(first + CHUNK, w)
                _add_up(out[r, b * w + first : b * w + end], rows, r, of, b, X, first)


@njit(cache=True, nogil=True)
def action_values(rows, look_costs, alpha, V, ahead, Q):
    """``look_costs + α T(a) V`` into Q (S, A), by way of the mixtures of V (S,), ``ahead`` (R,)."""
    for r in range(len(ahead)):
        ahead[r] = 0.0
        for e in range(rows.indptr[r], rows.indptr[r + 1]):
            ahead[r] += rows.data[e] * V[rows.indices[e]]
    S, A = Q.shape
    for s in range(S):
        for a in range(A):
            Q[s, a] = look_costs[s, a] + alpha * ahead[rows.row_of[s, a]]


@njit(cache=True, nogil=True)
def _tiled(price):
    """The price of looking with each action, again and again, up to about CHUNK numbers."""
    A = len(price)
    tiled = np.empty(max(CHUNK // A, 1) * A)
    for c in range(len(tiled)):
        tiled[c] = price[c % A]
    return tiled


@njit(cache=True, nogil=True)
def raise_by_mixtures(rows, of, ahead, looks, price, margin, W, cap, stop):
    """Raise W (R, B·w / A) in place to the least, over each run of A columns, of going on blind
    (mixtures of ``ahead``) and of looking (of ``looks``), both (Q, w), and of ``cap``, flat; see
    :func:`_raise`."""
    B, w, A = of.shape[1], ahead.shape[1], len(price)
    tiled = _tiled(price)
    chunk = len(tiled)
    blind, look = np.empty(min(chunk, w)), np.empty(min(chunk, w))
    for b in range(B):
        for r in range(len(W)):
            if stop[0]:
                return
            for first in range(0, w, chunk):
                size = min(chunk, w - first)
                _add_up(blind[:size], rows, r, of, b, ahead, first)
                _add_up(look[:size], rows, r, of, b, looks, first)
                at = (b * w + first) // A
                least = cap[r * W.shape[1] + at :] if len(cap) else cap
                terms = blind[:size], look[:size], tiled, A, least
                _raise(W[r, at:], *terms, margin[0], 2 * margin[1][r])


@njit(cache=True, nogil=True)
def raise_from_below(price, margin, stage, below, looks, alpha, W, cap):
    """Raise W in place to the least of going on blind, ``stage + α below``, of looking and of
    ``cap``, over runs of A; the rows of W, as many as ``margin[1]`` has, follow each other."""
    A, R = len(price), len(margin[1])
    tiled = _tiled(price)
    chunk, w = len(tiled), len(stage) // R
    blind = np.empty(min(chunk, w))
    for r in range(R):
        for first in range(r * w, (r + 1) * w, chunk):
            size = min(chunk, (r + 1) * w - first)
            for c in range(size):
                blind[c] = stage[first + c] + alpha * below[first + c]
            least = cap[first // A :] if len(cap) else cap
            terms = blind[:size], looks[first : first + size], tiled, A, least
            _raise(W[first // A :], *terms, margin[0], 2 * margin[1][r])


@njit(cache=True, nogil=True)
def _raise(W, blind, look, tiled, A, cap, share, gain):
    """Raise W to the least over each run of A columns, less its rounding; at most to ``cap``, what
    the actions that have no column cost, unless that is empty.

    Going on blind costs at least what a look costs less its price, ``look − tiled``: the agent may
    be told the state for free.  Rounding is a ``share`` of the sum of all absolute terms, and that
    is at most ``|least| + gain`` with ``gain`` twice what can be earned from there on.
    """
    for c in range(len(blind)):
        blind[c] = min(max(blind[c], look[c] - tiled[c]), look[c])
    for g in range(len(blind) // A):
        least = blind[g * A]
        for c in range(g * A + 1, (g + 1) * A):
            least = min(least, blind[c])
        if len(cap):
            least = min(least, cap[g])
        W[g] = max(W[g], least - share * (abs(least) + gain))
