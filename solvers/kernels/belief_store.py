"""Sparse beliefs of one search, kept in a pool and found again by what they hold, compiled.

A belief is a run of the pool: states (distinct, in any order) and positive weights.  All weights
are sums of products of probabilities, without a difference, so a computed weight is off by a tiny
share of itself, never by a share of the largest.  Two beliefs count as *one* if they have the same
states and no weight differs by more than the share ``SAME``.

The hash of a belief is a sum over its entries, so that their order does not matter, of weights
rounded to multiples of 2⁻⁴⁰.  Two versions of one belief that fall on two sides of a rounding
border are not recognised; that costs time, never a proof.
"""

from __future__ import annotations

import numpy as np
from numba import njit

SAME = 1e-13
"""Weights that differ by a smaller share of themselves are the same."""
MANY = 4
"""A belief over more than one in so many states is stepped as if it held all of them."""
FIRST_SLOTS = 64
"""Places of an empty hash table; it doubles when half full."""


@njit(cache=True, nogil=True)
def step_belief(dense, touched, rows, a, states, weights):
    """One blind step of a sparse belief into ``dense`` (S,), zero before; returns the support's
    size, its states in ``touched``."""
    if MANY * len(states) > len(dense):  # no need to ask which states are new
        for i in range(len(states)):
            r, x = rows.row_of[states[i], a], weights[i]
            of = slice(rows.indptr[r], rows.indptr[r + 1])
            to, chances = rows.indices[of], rows.data[of]
            for e in range(len(to)):
                dense[to[e]] += x * chances[e]
        return _support(dense, touched)
    count = 0
    for i in range(len(states)):
        r, x = rows.row_of[states[i], a], weights[i]
        of = slice(rows.indptr[r], rows.indptr[r + 1])
        to, chances = rows.indices[of], rows.data[of]
        for e in range(len(to)):
            more = x * chances[e]
            if more == 0.0:  # underflow: it would enter its state twice
                continue
            if dense[to[e]] == 0.0:
                touched[count] = to[e]
                count += 1
            dense[to[e]] += more
    return count


@njit(cache=True, nogil=True)
def _support(dense, touched):
    """The number of states with a positive weight, listed in ``touched``."""
    count = 0
    for s in range(len(dense)):
        if dense[s] > 0.0:
            touched[count] = s
            count += 1
    return count


@njit(cache=True, nogil=True)
def hash_belief(states, weights):
    """A number that is equal for equal beliefs, whatever the order of their entries."""
    total = np.uint64(0)
    for i in range(len(states)):
        x = np.uint64(states[i]) * np.uint64(0x9E3779B97F4A7C15)
        x ^= np.uint64(np.int64(weights[i] * 2.0**40 + 0.5)) * np.uint64(0xC2B2AE3D27D4EB4F)
        x ^= x >> np.uint64(29)
        x *= np.uint64(0xBF58476D1CE4E5B9)
        x ^= x >> np.uint64(32)
        total += x
    return total


@njit(cache=True, nogil=True)
def same_belief(dense, states, weights, other_states, other_weights):
    """Whether two beliefs are one; ``dense`` (S,) is scratch, zero before and after."""
    if len(states) != len(other_states):
        return False
    for i in range(len(states)):
        dense[states[i]] = weights[i]
    same = True
    for i in range(len(other_states)):
        w = dense[other_states[i]]
        if abs(w - other_weights[i]) > SAME * w:
            same = False
            break
    for i in range(len(states)):
        dense[states[i]] = 0.0
    return same


@njit(cache=True, nogil=True)
def place_of(slots, keys, key):
    """Where a key stands in an open hash table, or the empty place where it belongs."""
    mask = np.uint64(len(slots) - 1)
    at = key & mask
    while slots[at] >= 0 and keys[slots[at]] != key:
        at = (at + np.uint64(1)) & mask
    return at


@njit(cache=True, nogil=True)
def doubled(slots, keys):
    """The same table with twice the places."""
    larger = np.full(2 * len(slots), -1, np.int32)
    for i in range(len(slots)):
        if slots[i] >= 0:
            larger[place_of(larger, keys, keys[slots[i]])] = slots[i]
    return larger
