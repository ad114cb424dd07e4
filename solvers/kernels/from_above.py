"""Numbers that are surely at least the solution of ``x = g + P x``, with P >= 0 dying out.

Claim: if ``e >= 0`` and ``e >= rest + P e``, and ``x`` is short of its own image by at most
``rest``, ``g + P x - x <= rest``, then the solution is at most ``x + e``.
Proof.  ``g + P (x + e) <= x + rest + P e <= x + e``: what is above its own image is above the fixed
point, since P has no negative entry and its powers die out.  ∎

Such an e is easy to begin with: one number for all states, if every row of P sums to less than 1,
or else a multiple of the number of steps until the end.  A sweep ``e <- rest + P e`` then only
lowers it and keeps the property, so it may stop at any time; and each state falls towards its own
share of the rest, however large the rest is elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import breadth_first_order

from solvers.kernels.value_sweeps import sweep_most

UNIT = 2.0**-53
"""Half a unit in the last place of 1."""
TINY = 1e-290
"""Stands for zero where something must be positive."""
SWEEPS, SWEEPS_AT_ONCE = 512, 64
"""Sweeps made at most, and before it is asked whether the result is small enough: more make bounds
of small values tighter where an iteration left much at large ones."""
SETTLED = 1e-3
"""Sweeps end once no state falls by more than this share of itself."""
FLOOR = 1e-9
"""Share of the largest rest that is added everywhere for an iterative solver, which does not see
what is smaller than that."""

Solve = Callable[[np.ndarray], np.ndarray]
"""x of ``x = g + P x`` from g, (S,) to (S,), nearly."""


def least_above(
    P: sparse.csr_array,
    rest: np.ndarray,
    solve: Solve,
    enough: np.ndarray | float = 0.0,
    rho: np.ndarray | float = 0.0,
) -> np.ndarray:
    """A small e (S,) with ``e >= rest + (1 + rho) P e``; infinite where none was found.

    rest : (S,) >= 0; solve : need not be exact, its answers are checked; enough : (S,), no smaller
    e is asked for; rho : (S,), by what share the rows of P may be larger
    """
    touched = leads_to(P, rest > 0)
    if not touched.any():
        return np.zeros(len(rest))
    rounding = rounding_of(P)
    rest = np.where(touched, rest * (1 + rounding) + TINY, 0.0)
    more = np.repeat(np.broadcast_to(rho, len(rest)), np.diff(P.indptr))
    P = sparse.csr_array((P.data * (1 + more), P.indices, P.indptr), shape=P.shape)
    e = np.where(touched, _first(P, float(rest.max()), solve, rounding), 0.0)
    if (e <= enough).all() or not np.isfinite(e).all():
        return e
    starts, columns = P.indptr.astype(np.int64)[None, :], P.indices.astype(np.int32)
    model = (starts, columns, P.data, rest[:, None], ~touched, 1.0, rounding)
    sweep_most(*model, e, SETTLED, SWEEPS_AT_ONCE)
    if (e <= enough).all():
        return e
    other = solve(1.02 * rest + FLOOR * rest.max() * touched)
    if (other >= 0).all() and (other >= (rest + P @ other) * (1 + rounding)).all():
        e = np.where(touched, np.minimum(e, other), 0.0)
    for _ in range(0, SWEEPS, SWEEPS_AT_ONCE):
        made = sweep_most(*model, e, SETTLED, SWEEPS_AT_ONCE)
        if made < SWEEPS_AT_ONCE or (e <= enough).all():
            break
    return e


def rounding_of(P: sparse.csr_array) -> float:
    """More than the sum over a row, of numbers that are not negative, may be off by as a share."""
    return 4 * (int(np.diff(P.indptr).max(initial=0)) + 8) * UNIT


def leads_to(P: sparse.csr_array, states: np.ndarray) -> np.ndarray:
    """From where P leads to these states (S,), sooner or later, themselves included: (S,) bool."""
    if states.all() or not states.any():
        return states.copy()
    S = len(states)
    chosen = sparse.csr_array(states[None, :].astype(float))
    back = sparse.vstack([sparse.csr_array(P.T), chosen], format="csr")
    back = sparse.csr_array((np.ones(back.nnz), back.indices, back.indptr), shape=(S + 1, S + 1))
    found = breadth_first_order(back, S, return_predecessors=False)
    reached = np.zeros(S + 1, bool)
    reached[found] = True
    return reached[:S]


def _first(P: sparse.csr_array, most: float, solve: Solve, rounding: float) -> np.ndarray:
    """An e (S,) with ``e >= most + P e``, made without looking at single states if possible."""
    S = P.shape[0]
    widest = float(P.sum(axis=1).max()) * (1 + rounding)
    if widest < 1 - 1e-9:
        return np.full(S, 1.001 * most / (1 - widest))
    steps = 1.02 * solve(np.ones(S))
    sure = np.isfinite(steps) & (steps > 0) & (steps >= (1 + P @ steps) * (1 + rounding))
    if sure.all():
        return 1.001 * most * steps
    return np.full(S, np.inf)
