"""SPI's walk from one root after the other on sparse beliefs, compiled.

The same decisions as the block walk of ``planners.spi``, for problems whose beliefs stay local.  At
a belief b the cheapest blind step is found without scoring every one: a blind step that is followed
by a look costs at least what it would if the state were told before that look,

    b [C(a) + α T(a) Q_V(a')]  >=  b R(a),    R(a) = C(a) + α T(a) min_a' Q_V(a'),

so once the action with the least ``b R(a)`` is scored, all with a larger bound are left out.

A blind belief spreads over ever more states whose weights are next to nothing: after 200 steps on a
lake 33,000, of which 3,000 hold all but a millionth of what is not over yet.  So weights of at most
``least`` are dropped.  A weight w that is missing changes no cost by more than w ``most``; a plan
must beat the reference by that as well.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

KEPT, LOOKS, BLIND = 0, 1, 2
"""What a walk found: nothing better, a plan that ends in a look, a plan that is blind for good."""


class WalkTables(NamedTuple):
    """What a walk reads.

    starts (A, S + 1), columns, probabilities : all T(a), stacked
    scores (S, 4A + 2) : look now, repeat for good, one step, told before the next look (A each),
        all seen for free, what counts as a tie
    blind (S, A, A) : one step, then a look with each action
    look (S, A) : the sensing cost; last (S, A + 1) : what decides the look after ``max_steps``,
        and its ties; V (S,) : values of the reference; terminal (S,)
    least : weights of a belief up to this are dropped; most : what a walk of weight 1 can cost
    """

    starts: np.ndarray
    columns: np.ndarray
    probabilities: np.ndarray
    scores: np.ndarray
    blind: np.ndarray
    look: np.ndarray
    last: np.ndarray
    V: np.ndarray
    terminal: np.ndarray
    discount: float
    max_steps: int
    tolerance: float
    least: float
    most: float


class Walked(NamedTuple):
    """What the walks from n roots found, one after the other.

    found (n,) : KEPT, LOOKS or BLIND; costs (n,) : up to and with the look
    plan_ends, row_ends (n + 1,) : root i's actions and landing are ``[ends[i]:ends[i + 1]]``
    """

    found: np.ndarray
    costs: np.ndarray
    plan_ends: np.ndarray
    actions: np.ndarray
    row_ends: np.ndarray
    states: np.ndarray
    chances: np.ndarray


@njit(cache=True, nogil=True)
def _move(t, a, states, weights, n, dense, touched):
    """One blind step into ``dense`` (S,), zero before; returns the number of states touched."""
    count = 0
    for i in range(n):
        s = states[i]
        for at in range(t.starts[a, s], t.starts[a, s + 1]):
            more = weights[i] * t.probabilities[at]
            if more == 0.0:  # underflow: it would enter its state twice
                continue
            c = t.columns[at]
            if dense[c] == 0.0:
                touched[count] = c
                count += 1
            dense[c] += more
    return count


@njit(cache=True, nogil=True)
def _kept(t, dense, touched, count, states, weights):
    """Take the belief out of ``dense`` without what is next to nothing; returns the number of its
    states, and the weight that was dropped."""
    n, dropped = 0, 0.0
    for i in range(count):
        s = touched[i]
        weight, dense[s] = dense[s], 0.0
        if weight > t.least:
            states[n], weights[n] = s, weight
            n += 1
        else:
            dropped += weight
    return n, dropped


# Sums in any order: their rounding is far below the ties that are kept.
@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def _scored(table, states, weights, n, total):
    """``total`` = Σ weight · table[state], four states at a time."""
    width = table.shape[1]
    total[:width] = 0.0
    whole = n - n % 4
    for i in range(0, whole, 4):
        p, q, r, s = (
            table[states[i]],
            table[states[i + 1]],
            table[states[i + 2]],
            table[states[i + 3]],
        )
        x, y, z, w = weights[i], weights[i + 1], weights[i + 2], weights[i + 3]
        for c in range(width):
            total[c] += (x * p[c] + y * q[c]) + (z * r[c] + w * s[c])
    for i in range(whole, n):
        p, x = table[states[i]], weights[i]
        for c in range(width):
            total[c] += x * p[c]


@njit(cache=True, nogil=True)
def _first_within(scores, tie):
    """The first index within ``tie`` of the least."""
    level = scores.min() + tie
    for c in range(len(scores)):
        if scores[c] <= level:
            return c
    return 0


@njit(cache=True, nogil=True)
def _blind_steps(t, total, states, weights, n, scratch, blind):
    """Cost of every blind step that is followed by a look, into ``blind`` (A,); +inf where it is
    provably not the least."""
    told, tie = total[3 * len(blind) : 4 * len(blind)], total[-1]
    blind[:] = np.inf
    first = np.argmin(told)
    _scored(t.blind[:, first], states, weights, n, scratch)
    blind[first] = scratch.min()
    for a in range(len(blind)):
        if a != first and told[a] <= blind[first] + tie:
            _scored(t.blind[:, a], states, weights, n, scratch)
            blind[a] = scratch.min()


@njit(cache=True, nogil=True)
def _grown(array, size):
    """The same array with room for at least ``size`` numbers."""
    if size <= len(array):
        return array
    larger = np.empty(max(2 * len(array), size), array.dtype)
    larger[: len(array)] = array
    return larger


@njit(cache=True, nogil=True)
def walk_roots(roots, t):
    """Walk each of these roots (n,) to its end; see :class:`Walked`."""
    S, A, n_roots = len(t.V), t.look.shape[1], len(roots)
    alpha = t.discount
    dense, touched = np.zeros(S), np.empty(S, np.int32)
    states, weights = np.empty(S, np.int32), np.empty(S)
    total, blind, scratch = np.empty(4 * A + 2), np.empty(A), np.empty(A)
    string = np.empty(t.max_steps + 2, np.int32)
    found, costs = np.zeros(n_roots, np.int8), np.zeros(n_roots)
    plan_ends, row_ends = np.zeros(n_roots + 1, np.int64), np.zeros(n_roots + 1, np.int64)
    actions, landed, chances = np.empty(64, np.int32), np.empty(64, np.int32), np.empty(64)
    for k in range(n_roots):
        root = roots[k]
        states[0], weights[0], n, Z = root, 1.0, 1, 0.0
        bar = t.V[root] - t.scores[root, 4 * A + 1]
        length, row, missing = 0, 0, 0.0
        for m in range(t.max_steps + 2):
            gone = alpha**m
            _scored(t.scores, states, weights, n, total)
            now, for_good, free = total[:A], total[A : 2 * A], total[4 * A]
            tie = total[4 * A + 1]
            if gone * (for_good.min() - free) <= t.tolerance:
                string[m] = _first_within(for_good, tie)
                costs[k] = Z + gone * for_good.min()
                if costs[k] < bar - missing * t.most:
                    found[k], length = BLIND, m + 1
                break
            look = True
            if m > t.max_steps:  # line 7: the walk is over and the initial policy looks
                _scored(t.last, states, weights, n, total)
                string[m] = _first_within(total[:A], total[A])
            else:
                string[m] = _first_within(now, tie)
                if now.min() > total[3 * A : 4 * A].min() + tie:
                    _blind_steps(t, total, states, weights, n, scratch, blind)
                    if now.min() > blind.min() + tie:
                        string[m], look = _first_within(blind, tie), False
            a = string[m]
            step, price = 0.0, 0.0
            for i in range(n):
                step += weights[i] * t.scores[states[i], 2 * A + a]
                price += weights[i] * t.look[states[i], a]
            count = _move(t, a, states, weights, n, dense, touched)
            if not look:
                Z += gone * step
                n, dropped = _kept(t, dense, touched, count, states, weights)
                missing += dropped
                continue
            costs[k] = Z + gone * (step + price)
            after, first = costs[k], row_ends[k]
            landed, chances = _grown(landed, first + count), _grown(chances, first + count)
            for i in range(count):
                s = touched[i]
                if not t.terminal[s]:
                    chance = gone * alpha * dense[s]
                    after += chance * t.V[s]
                    landed[first + row], chances[first + row] = s, chance
                    row += 1
                dense[s] = 0.0
            if after < bar - missing * t.most:
                found[k], length = LOOKS, m + 1
            break
        if found[k] != LOOKS:
            row = 0
        actions = _grown(actions, plan_ends[k] + length)
        actions[plan_ends[k] : plan_ends[k] + length] = string[:length]
        plan_ends[k + 1], row_ends[k + 1] = plan_ends[k] + length, row_ends[k] + row
    return (
        found,
        costs,
        plan_ends,
        actions[: plan_ends[-1]].copy(),
        row_ends,
        landed[: row_ends[-1]].copy(),
        chances[: row_ends[-1]].copy(),
    )
