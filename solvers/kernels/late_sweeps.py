"""Sweeps of the delayed-information bound, compiled; what they prove stands in ``bounds``.

A whole climb is one compiled call: on a small problem a sweep takes microseconds, and every numpy
call between two sweeps would take as long again.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from solvers.kernels.mixtures import (
    UNCAPPED,
    action_values,
    mix,
    raise_by_mixtures,
    raise_from_below,
)

WIDE = 4096
"""Up to this many columns the blocks are laid side by side first: longer runs, faster sums."""


@njit(cache=True, nogil=True)
def price_after(problem, n):
    """The most that a look's price can have become in sums over up to n blind steps: (A,).

    It is taken off looks that were summed with it, and may be far larger than all else in them; so
    its own rounding is counted, and that of the chances it was multiplied with.
    """
    return problem.price * (1 + 2 * (n + 2) * (problem.rounding + problem.excess))


@njit(cache=True, nogil=True)
def climb(rows, problem, W0, levels, counts, unit, enough, most, stop):
    """Back up everything until no root W0 (S,) that counts (S,) rises by more than ``enough`` of
    its ``unit`` (S,), ``most`` times at most or until ``stop[0]`` is set; returns the number of
    sweeps and the largest rise of the last one, in units.

    Every number only rises, and each by itself to a proven bound, so a sweep may stop anywhere.
    """
    costs, alpha = problem.costs, problem.discount
    S, A = costs.shape
    offset, stages, looks, W = levels.offset, levels.stages, levels.looks, levels.W
    n, R = len(offset) - 2, len(rows.indptr) - 1
    price = price_after(problem, n)
    Q, rise = np.empty((S, A)), 0.0
    for sweep in range(most):
        action_values(rows, problem.look_costs, alpha, W0, looks[:R], Q)
        for m in range(1, n):
            out = looks[offset[m + 1] : offset[m + 2]].reshape(R, -1)
            if m == 1:
                mix(rows, rows.itself, Q, out, stop)
            else:
                mix(rows, rows.row_of, looks[offset[m] : offset[m + 1]].reshape(R, -1), out, stop)
        if stop[0]:
            return sweep, np.inf
        _back_up_last(rows, problem, levels, Q, stop)
        for m in range(n - 1, 0, -1):
            below = slice(offset[m + 1], offset[m + 2])
            margin = problem.rounding * (n + 2), alpha ** (1 - m) * problem.row_gains
            ahead = stages[below], W[below], looks[below], alpha
            raise_from_below(price, margin, *ahead, W[offset[m] :], UNCAPPED)
        rise = 0.0
        for s in range(S):
            if problem.terminal[s]:
                continue
            least = np.inf
            for a in range(A):
                blind = max(costs[s, a] + alpha * W[rows.row_of[s, a]], Q[s, a] - price[a])
                least = min(least, blind, Q[s, a])
            least -= problem.rounding * (abs(least) + 2 * problem.gains[s])
            rise = max(rise, (least - W0[s]) / unit[s]) if counts[s] else rise
            W0[s] = max(W0[s], least)
        if rise <= enough:
            return sweep + 1, rise
    return most, rise


@njit(cache=True, nogil=True)
def _back_up_last(rows, problem, levels, Q, stop):
    """Level n, where the oldest state is revealed."""
    costs, alpha = problem.costs, problem.discount
    offset, stages, looks, W = levels.offset, levels.stages, levels.looks, levels.W
    S, A = costs.shape
    n, R = len(offset) - 2, len(rows.indptr) - 1
    price = price_after(problem, n)
    margin = problem.rounding * (n + 2), alpha ** (1 - n) * problem.row_gains
    last = W[offset[n] : offset[n + 1]]
    if n == 1:
        ahead = np.empty((S, A))
        for s in range(S):
            for a in range(A):
                ahead[s, a] = costs[s, a] + alpha * last[rows.row_of[s, a]]
        last = last.reshape(R, -1)
        raise_by_mixtures(rows, rows.itself, ahead, Q, price, margin, last, UNCAPPED, stop)
        return
    look = looks[offset[n] : offset[n + 1]].reshape(R, -1)
    ahead = (stages[offset[n] : offset[n + 1]] + alpha * last).reshape(R, -1)
    last = last.reshape(R, -1)
    if A * ahead.shape[1] > WIDE:
        raise_by_mixtures(rows, rows.row_of, ahead, look, price, margin, last, UNCAPPED, stop)
        return
    ahead, look = _side_by_side(rows.row_of, ahead), _side_by_side(rows.row_of, look)
    raise_by_mixtures(rows, rows.itself, ahead, look, price, margin, last, UNCAPPED, stop)


@njit(cache=True, nogil=True)
def _side_by_side(of, X):
    """The blocks of each state in one run: (S, B), (Q, w) -> (S, B·w)."""
    (S, B), w = of.shape, X.shape[1]
    out = np.empty((S, B * w))
    for s in range(S):
        for b in range(B):
            out[s, b * w : (b + 1) * w] = X[of[s, b]]
    return out
