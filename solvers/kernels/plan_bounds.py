"""What a search asks at a node: costs and bounds at a sparse belief, compiled."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from solvers.kernels.mixtures import Levels, Rows


class Tables(NamedTuple):
    """What the kernel reads of a problem and its delayed-information bound.

    costs (A, S); repeat (A, S) : cost of repeating one action for good
    W, offset (n+2,) : the bound; all levels flat, level m = 1…n from ``offset[m]``
    ahead : ``B C(a) + α W`` from level 2 on, see :func:`lay_ahead`
    number (A,), common_ahead, common_offset (N+2,) : which common action each is, or -1, and the
        same as ``ahead`` for strings of these (``bounds.common_strings``); (2,) if there are none
    look_price (A,) : the most that looking costs with each action
    floor : differences of costs up to this count as none
    fan : most states from which one action leads to one state, or to which it leads from one
    excess : by how much the chances in a row may add up to more than 1
    underflow : faint, fades, lost and FAINT_AFTER of ``core.underflow``
    """

    rows: Rows
    costs: np.ndarray
    repeat: np.ndarray
    W: np.ndarray
    ahead: np.ndarray
    offset: np.ndarray
    number: np.ndarray
    common_ahead: np.ndarray
    common_offset: np.ndarray
    look_price: np.ndarray
    discount: float
    floor: float
    fan: int
    excess: float
    underflow: tuple[float, float, float, float]


def lay_ahead(levels: Levels, discount: float, actions: int) -> None:
    """Leave ``B C(a) + α W`` in the scratch of the levels, from level 2 on.

    The rows of one string lie side by side, (A^(m-2), R, A), because a search reads many at once.
    """
    R = levels.offset[2] - levels.offset[1]
    for m in range(2, len(levels.offset) - 1):
        part = slice(levels.offset[m], levels.offset[m + 1])
        W, stages = (x[part].reshape(R, -1, actions).swapaxes(0, 1) for x in levels[1:3])
        ahead = levels.looks[part].reshape(-1, R, actions)
        np.multiply(W, discount, out=ahead)
        ahead += stages


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def blind_bounds(blind, t, states, weights, suffix, known):
    """``B C(a) + α W`` of every child: ``suffix`` are the last ``known`` actions, the belief is the
    one before them."""
    A = t.costs.shape[0]
    blind[:] = 0.0
    if known == 0:
        for i in range(len(states)):
            for a in range(A):
                ahead = t.costs[a, states[i]] + t.discount * t.W[t.rows.row_of[states[i], a]]
                blind[a] += weights[i] * ahead
        return
    column, R = 0, t.offset[2] - t.offset[1]
    for i in range(1, known):
        column = column * A + suffix[i]
    first = t.offset[known + 1] + column * R * A
    for i in range(len(states)):
        base = first + t.rows.row_of[states[i], suffix[0]] * A
        for a in range(A):
            blind[a] += weights[i] * t.ahead[base + a]


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def raise_common(blind, t, c, states, weights, suffix, scratch):
    """The same for children by a common action, after a longer suffix that is common but for its
    first action, where that is more."""
    scratch[:c] = 0.0
    column, R = 0, t.offset[2] - t.offset[1]
    for i in range(1, len(suffix)):
        column = column * c + t.number[suffix[i]]
    first = t.common_offset[len(suffix) + 1] + column * R * c
    for i in range(len(states)):
        base = first + t.rows.row_of[states[i], suffix[0]] * c
        for a in range(c):
            scratch[a] += weights[i] * t.common_ahead[base + a]
    for a in range(len(blind)):
        if t.number[a] >= 0:
            blind[a] = max(blind[a], scratch[t.number[a]])


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def score(total, scores, states, weights):
    """``total`` = Σ weight · scores[state]."""
    total[:] = 0.0
    for i in range(len(states)):
        row, x = scores[states[i]], weights[i]
        for c in range(len(total)):
            total[c] += x * row[c]


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def at_belief(column, states, weights):
    """A function of the state (S,) at a belief."""
    total = 0.0
    for i in range(len(states)):
        total += weights[i] * column[states[i]]
    return total
