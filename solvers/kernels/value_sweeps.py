"""Sweeps over all states in place: each state sees what the sweep has changed before it.

News then crosses many states in one sweep, where a sweep from a copy carries it by one.  Every
other sweep goes backward, so that it crosses in both directions.  Where each update is monotone and
the numbers begin above (or below) its fixed point, they stay there in any order of updates.

transitions are stacked: row starts (A, S + 1) into shared columns and probabilities
"""

from __future__ import annotations

import numpy as np
from numba import njit

EVERY = 8
"""Of so many sweeps for the least cost two look at all actions."""


def row_slip(starts: np.ndarray) -> float:
    """More than the sum over a transition row may be off by, as a share of it."""
    return 2 * (int(np.diff(starts, axis=1).max(initial=0)) + 4) * 2.0**-53


# The signatures make numba compile when the module is loaded: no planning time pays for it.
@njit(
    "i8(i8[:,::1], i4[::1], f8[::1], f8[:,:], b1[:], f8, f8, f8[::1], i8[::1], i8, i8)",
    cache=True,
    nogil=True,
)
def sweep_least(
    starts, columns, probabilities, costs, terminal, alpha, tie, V, policy, first, sweeps
):
    """``V(s) = min_a C(s, a) + α T(a)(s, ·) V`` for every live s, so many times, with the actions
    that attain it in ``policy``; an action stays while none is better by a share of ``tie``.

    Of EVERY sweeps all but two follow the policy at hand.  A state's return to itself is summed in
    closed form.  first : sweeps made before; returns the changes of actions in the last sweep that
    looked for better ones.
    """
    A, S = costs.shape[1], len(V)
    changes = 0
    for sweep in range(first, first + sweeps):
        improve = sweep % EVERY < 2
        changes = 0 if improve else changes
        for i in range(S):
            s = i if sweep % 2 == 0 else S - 1 - i
            if terminal[s]:
                V[s] = 0.0
                continue
            least, best, kept = np.inf, policy[s], np.inf
            for b in range(A if improve else 1):
                a = b if improve else policy[s]
                ahead, again = 0.0, 0.0
                for e in range(starts[a, s], starts[a, s + 1]):
                    if columns[e] == s:
                        again += alpha * probabilities[e]
                    else:
                        ahead += probabilities[e] * V[columns[e]]
                if again >= 1.0:
                    ahead, again = ahead + V[s], 0.0
                q = (costs[s, a] + alpha * ahead) / (1.0 - again)
                if q < least:
                    least, best = q, a
                if a == policy[s]:
                    kept = q
            V[s] = least
            if kept - least > tie * abs(least):
                policy[s] = best
                changes += 1
    return changes


@njit("void(i4[::1], i4[::1], f8[::1], f8[::1], f8[::1], i8, i8)", cache=True, nogil=True)
def sweep_in_place(indptr, indices, data, g, x, first, sweeps):
    """``x = g + P x``, row by row, so many times; first : sweeps made before."""
    S = len(g)
    for sweep in range(first, first + sweeps):
        for i in range(S):
            s = i if sweep % 2 == 0 else S - 1 - i
            total, again = g[s], 0.0
            for e in range(indptr[s], indptr[s + 1]):
                if indices[e] == s:
                    again += data[e]
                else:
                    total += data[e] * x[indices[e]]
            x[s] = total / (1.0 - again) if again < 1.0 else total + again * x[s]


@njit(
    "i8(i8[:,::1], i4[::1], f8[::1], f8[:,:], b1[:], f8, f8, f8[::1], f8, i8)",
    cache=True,
    nogil=True,
)
def sweep_most(
    starts, columns, probabilities, gains, terminal, alpha, slack, total, enough, sweeps
):
    """``total(s) = max_a g(s, a) + α T(a)(s, ·) total``, raised by the share ``slack`` for what
    rounding may take, where that is less than it was: from above it stays above.

    Ends before ``sweeps`` once no state has fallen by more than the share ``enough`` of itself;
    returns the sweeps made.
    """
    A, S = gains.shape[1], len(total)
    for sweep in range(sweeps):
        fell = False
        for i in range(S):
            s = i if sweep % 2 == 0 else S - 1 - i
            if terminal[s]:
                total[s] = 0.0
                continue
            most = 0.0
            for a in range(A):
                ahead = 0.0
                for e in range(starts[a, s], starts[a, s + 1]):
                    ahead += probabilities[e] * total[columns[e]]
                most = max(most, gains[s, a] + alpha * ahead)
            most *= 1.0 + slack
            if most < total[s]:
                fell = fell or most < (1.0 - enough) * total[s]
                total[s] = most
        if not fell:
            return sweep + 1
    return sweeps


@njit("i8(i8[:,::1], i4[::1], i8[::1], i8[:,::1], i8[::1], i8[::1])", cache=True, nogil=True)
def number_rows(starts, columns, bits, row_of, first, last):
    """Give equal transition rows one number, in the order in which they are met.

    bits : the probabilities as whole numbers; row_of (S, A) : filled with the numbers; first, last
    (S A,) : filled with where row r lies; returns how many there are.
    """
    A, S = len(starts), starts.shape[1] - 1
    size = 1
    while size < 2 * A * S:
        size *= 2
    table = np.full(size, -1, np.int64)
    count = 0
    for a in range(A):
        for s in range(S):
            begin, end = starts[a, s], starts[a, s + 1]
            mark = np.int64(1469598103934665603)
            for e in range(begin, end):
                mark = (mark ^ columns[e]) * np.int64(1099511628211)
                mark = (mark ^ bits[e]) * np.int64(1099511628211)
                mark ^= (mark >> 29) & 0x7FFFFFFFF
            place = mark & (size - 1)
            while True:
                r = table[place]
                if r < 0:
                    table[place], r = count, count
                    first[r], last[r] = begin, end
                    count += 1
                    break
                same = last[r] - first[r] == end - begin
                at = first[r]
                for e in range(begin, end):
                    same = same and columns[at] == columns[e] and bits[at] == bits[e]
                    at += 1
                    if not same:
                        break
                if same:
                    break
                place = (place + 1) & (size - 1)
            row_of[s, a] = r
    return count
