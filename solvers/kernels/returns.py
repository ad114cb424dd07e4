"""Systems ``x = g + P x`` with P >= 0 whose powers die out, and a proven error of the solution.

P is a discounted transition matrix: where plans land, or one action repeated for good.  Let x be a
computed solution, ``r = g + P x - x`` its residual, and let the true data differ from the given
ones by at most ``g_error`` (componentwise) and by the share ``rho`` of each row of P.

Claim: if e > 0 and  ``e >= |r| + g_error + rho P|x| + (1 + rho) P e``,  then the true solution
differs from x by at most e, componentwise.

Proof.  Write P' for the true matrix, ``P' <= (1 + rho) P``, and b for the first three terms, made
positive.  ``P'e <= e - b < e`` with e > 0 makes the powers of P' die out, so the true solution
exists, and its distance d from x obeys ``d <= b + P'd``.  Hence ``e - d >= P'(e - d)``, and by
repeating this ``e - d >= 0``.  ∎

The residual is summed in twice the working precision, so x is refined until e is about what the
data allow.  An error is relative to its own component: nothing here knows the largest number.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numba import njit
from scipy import sparse
from scipy.linalg import lu_factor, lu_solve
from scipy.sparse.linalg import LinearOperator, bicgstab, splu

from solvers.kernels.from_above import TINY as TINY
from solvers.kernels.from_above import UNIT as UNIT
from solvers.kernels.from_above import least_above, rounding_of
from solvers.kernels.value_sweeps import sweep_in_place

Rows = np.ndarray | sparse.csr_array
"""Many rows (n, S), dense or sparse."""
Number = TypeVar("Number", float, np.ndarray)
SPARSE_STATES, SPARSE_ENTRIES = 30_000, 12
"""Up to this many states, and entries a row, the system is factored as a sparse matrix: the factors
of a drone with four coordinates (40,657 states, 10 entries a row) fill gigabytes."""
DENSE_STATES, FEW_STATES = 2000, 100
"""Else, up to this many states, as a dense one, as are the smallest; above that it is iterated."""
ITERATED = 1e-12
"""Share of the right-hand side that an iteration may leave."""
ROUGH = 1e-6
"""The same where what is solved for is a correction."""
CLOSE = 1e-10
"""Share of its own value by which a proven bound of a state may exceed an iterate: smaller takes
more sweeps."""
MOST_ITERATIONS, MOST_RESTARTS, SWEEPS_AT_ONCE = 2000, 8, 32


class ReturnSystem:
    """``I - P`` made ready to be solved many times; P (S, S) is sparse."""

    def __init__(self, P: sparse.csr_array) -> None:
        S = P.shape[0]
        self.P = P
        self._dense = self._sparse = None
        if not P.nnz:
            return
        thin = P.nnz <= SPARSE_ENTRIES * S
        if S <= FEW_STATES or (S <= DENSE_STATES and not thin):
            system = -P.toarray()
            system[np.arange(S), np.arange(S)] += 1.0
            # Rows of a C array are columns to LAPACK: factored transposed, nothing is copied.
            self._dense = lu_factor(system.T, overwrite_a=True, check_finite=False)
        elif thin and S <= SPARSE_STATES:
            self._sparse = splu(sparse.csc_array(sparse.eye_array(S) - P))

    @property
    def factored(self) -> bool:
        return self._dense is not None or self._sparse is not None

    def solve(
        self, g: np.ndarray, guess: np.ndarray | None = None, share: float = ITERATED
    ) -> np.ndarray:
        """x of ``x = g + P x``, up to rounding: (S,) or (S, n), a new array.

        guess : (S,), where an iteration begins; share : of g, what it may leave; factors need
        neither
        """
        if not self.P.nnz:
            return g.copy()
        if self._dense is not None:
            return lu_solve(self._dense, g, trans=1, check_finite=False)
        if self._sparse is not None:
            return self._sparse.solve(np.ascontiguousarray(g))
        if g.ndim == 1:
            return self._iterate(g, guess, share)
        return np.stack([self._iterate(column, None, share) for column in g.T], axis=1)

    def above(self, g: np.ndarray, guess: np.ndarray) -> np.ndarray:
        """Surely at least the x of ``x = g + P x``, from any guess (S,), and close to it if the
        guess is (:mod:`solvers.kernels.from_above`)."""
        r, slip = residual(self.P.indptr, self.P.indices, self.P.data, g, guess)
        rest = np.maximum(r, 0.0) + slip
        e = least_above(self.P, rest, self.solve, CLOSE * np.abs(guess))
        return np.where(e > 0, np.nextafter(guess + e, np.inf), guess)

    def solve_above(self, g: np.ndarray, guess: np.ndarray | None = None) -> np.ndarray:
        """x of ``x = g + P x``, up to rounding, if the system is factored; if it is iterated,
        surely at least that, at every state: (S,)."""
        x = self.solve(g, guess)
        if self.factored or not self.P.nnz:
            return x
        y = self.above(g, x)
        if (y - x <= CLOSE * np.abs(x)).all():
            return y
        # Costs differ so much that what is left at the large ones hides the small ones.
        return np.minimum(y, self.above(g, refined(self, g, x)[0]))

    def _iterate(self, g: np.ndarray, guess: np.ndarray | None, share: float) -> np.ndarray:
        """Sweeps in place first: they follow a drift, and where a chain is slow they soon show it.
        Then a Krylov iteration, begun again on what it leaves."""
        g = np.array(g, float)  # of one kind: rows of arrays and read-only ones are others
        x = g.copy() if guess is None or not np.isfinite(guess).all() else np.array(guess, float)
        allowed = share * float(np.abs(g).max())
        rest = self._sweep(g, x, allowed, MOST_ITERATIONS)
        if rest <= allowed:
            return x
        operator = LinearOperator(self.P.shape, lambda x: x - self.P @ x, dtype=float)
        for _ in range(MOST_RESTARTS):
            r = g + self.P @ x - x
            wanted = max(0.5 * allowed / rest, ITERATED)
            more, _ = bicgstab(operator, r, rtol=wanted, atol=0.0, maxiter=MOST_ITERATIONS)
            left = float(np.abs(g + self.P @ (x + more) - (x + more)).max())
            if not left < rest:
                break
            x, rest = x + more, left
            if rest <= allowed:
                return x
        self._sweep(g, x, allowed, MOST_ITERATIONS, patient=True)
        return x

    def _sweep(
        self, g: np.ndarray, x: np.ndarray, allowed: float, most: int, patient: bool = False
    ) -> float:
        """Sweep x (S,) in place until the residual is at most ``allowed``, ``most`` times at most;
        unless patient, only as long as that many are on the way to be enough.  Returns the
        residual."""
        P = self.P
        arrays = (P.indptr.astype(np.int32), P.indices.astype(np.int32), np.array(P.data), g)
        rest = np.inf
        for first in range(0, most, SWEEPS_AT_ONCE):
            sweep_in_place(*arrays, x, first, SWEEPS_AT_ONCE)
            before, rest = rest, float(np.abs(g + P @ x - x).max())
            if not rest > allowed:
                break
            rounds = np.log(rest / allowed) / max(np.log(before / rest), 1e-9)
            if not patient and first > 4 * SWEEPS_AT_ONCE and rounds * SWEEPS_AT_ONCE > most:
                break
        return rest


def solve_proven(
    P: sparse.csr_array,
    g: np.ndarray,
    g_error: np.ndarray | float = 0.0,
    rho: np.ndarray | float = 0.0,
) -> tuple[np.ndarray, np.ndarray, ReturnSystem]:
    """x (S,) of ``x = g + P x``, a proven bound (S,) on its error, and the system for more.

    g_error, rho : (S,), how far g and, as a share, each row of P may be from the true ones
    """
    system = ReturnSystem(P)
    x, rest = refined(system, g)
    rest = rest + g_error + rho * (P @ np.abs(x))
    return x, majorant(system, rest, rho), system


def refined(
    system: ReturnSystem, g: np.ndarray, x: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """x (S,) of ``x = g + P x``, refined while that helps, and a bound (S,) on its residual.

    x : what to begin with, if there is something already
    """
    P = system.P
    x = system.solve(g) if x is None else x
    r, slip = residual(P.indptr, P.indices, P.data, g, x)
    for _ in range(4):
        better = x + system.solve(r, share=ROUGH)
        r_better, slip_better = residual(P.indptr, P.indices, P.data, g, better)
        if not np.isfinite(better).all() or np.abs(r_better).sum() >= np.abs(r).sum():
            break
        x, r, slip = better, r_better, slip_better
    return x, np.abs(r) + slip


def majorant(system: ReturnSystem, rest: np.ndarray, rho: np.ndarray | float = 0.0) -> np.ndarray:
    """A small e (S,) with ``e >= rest + (1 + rho) P e``; infinite where none was found."""
    P = system.P
    if not rest.any():
        return np.zeros(len(rest))
    rounding = rounding_of(P)
    sure = (rest == 0) & (np.diff(P.indptr) == 0)  # what is given exactly and leads nowhere
    rest = rest * (1 + rounding) + TINY
    e = np.maximum(system.solve(rest), rest)
    for growth in (1.02, 1.1, 2.0, 10.0):
        e = system.solve(growth * rest + 8 * (rounding + rho) * e)
        # Without e > 0 the inequality proves nothing: a P that grows has solutions below 0.
        if (e > 0).all() and (e >= (rest + (1 + rho) * (P @ e)) * (1 + rounding)).all():
            return np.where(sure, 0.0, e)
        e = np.maximum(e, rest)
    return np.where(sure, 0.0, least_above(P, rest, system.solve, rho=rho))


def two_sum(a: Number, b: Number) -> tuple[Number, Number]:
    """a + b as a rounded sum and what rounding took."""
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


_two_sum = njit(two_sum, cache=True, inline="always")


@njit(cache=True, inline="always")
def _two_product(a, b):
    """a * b as a rounded product and what rounding took (Dekker)."""
    p = a * b
    t = 134217729.0 * a
    a1 = t - (t - a)
    a2 = a - a1
    t = 134217729.0 * b
    b1 = t - (t - b)
    b2 = b - b1
    return p, a2 * b2 - (((p - a1 * b1) - a2 * b1) - a1 * b2)


# The signature makes numba compile when the module is loaded: no planning time pays for it.
@njit(
    ["Tuple((f8[::1], f8[::1]))(i4[::1], i4[::1], f8[::1], f8[::1], f8[::1])"],
    cache=True,
    nogil=True,
)
def _residual(indptr, indices, data, g, x):
    n = len(g)
    r, slip = np.empty(n), np.empty(n)
    for j in range(n):
        total, rest = _two_sum(g[j], -x[j])
        size = abs(g[j]) + abs(x[j])
        for e in range(indptr[j], indptr[j + 1]):
            p, low = _two_product(data[e], x[indices[e]])
            total, high = _two_sum(total, p)
            rest += low + high
            size += abs(p)
        r[j] = total + rest
        u = (indptr[j + 1] - indptr[j] + 4) * 1.2e-16
        slip[j] = 2.3e-16 * abs(r[j]) + 2 * u * u * size + (1e-300 if size > 0.0 else 0.0)
    return r, slip


def residual(
    indptr: np.ndarray, indices: np.ndarray, data: np.ndarray, g: np.ndarray, x: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """``g + P x - x`` (S,), summed in twice the working precision, and a bound on its error."""
    return _residual(
        np.ascontiguousarray(indptr, np.int32),
        np.ascontiguousarray(indices, np.int32),
        np.ascontiguousarray(data, float),
        np.ascontiguousarray(g, float),
        np.ascontiguousarray(x, float),
    )
