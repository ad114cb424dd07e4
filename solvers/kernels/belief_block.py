"""Many beliefs walking blind side by side, at the price of the few directions they span.

Blind beliefs forget where they started: after some steps the block B (n, S) of n walks is, to
rounding, a product of weights (n, r) and a basis (r, S) with r far below n.  A step then moves r
rows instead of n.  A narrower basis is taken only when its error, measured, is at most ``EXACT``:

    max_i | B_i - (B V^T V)_i |_1  <=  EXACT,    V (q, S) orthonormal, spanning q random mixes of B

A blind step never lengthens an L1 distance, so all beliefs of a walk stay within EXACT times the
number of basis changes of the true ones.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

EXACT = 1e-12
"""What a change of basis may move a belief by, in L1."""
TRY_EVERY = 8
"""Steps between attempts to narrow the basis; one that has doubled is tried at once."""
NARROWEST = 16
"""Bases of fewer rows than twice this are left as they are."""
FEWEST_WALKS = 64
"""Blocks of fewer walks move as they are."""


Step = Callable[[np.ndarray, np.ndarray], np.ndarray]


class BeliefBlock:
    """Walks from ``roots`` (n,); ``beliefs`` (n, S) are where they stand, until the next step.

    step : one blind step of beliefs (n, S) under actions (n,); dense : T (A, S, S) where dense
    products are the faster ones, else None, and then the walks move as they are
    """

    def __init__(
        self, roots: np.ndarray, num_states: int, step: Step, dense: np.ndarray | None
    ) -> None:
        self._move, self._dense = step, dense
        self.beliefs = np.zeros((len(roots), num_states))
        self.beliefs[np.arange(len(roots)), roots] = 1.0
        self._weights: np.ndarray | None = None  # (n, r); None while the beliefs are the basis
        self._basis: np.ndarray | None = None  # (r, S)
        self._age = 0
        self._tried = len(roots)  # rows of the basis at the last attempt to narrow it

    def keep(self, on: np.ndarray) -> None:
        """Go on with these walks only: (n,) bool."""
        if on.all():
            return
        self.beliefs = self.beliefs[on]
        if self._basis is not None and len(self._basis) < len(self.beliefs):
            self._weights = self._weights[on]
        else:
            self._weights = self._basis = None

    def step(self, actions: np.ndarray) -> None:
        """One blind step of each walk under its own action (n,)."""
        if self._weights is None:
            self.beliefs = self._move(self.beliefs, actions)
        else:
            self._step_factors(actions)
        self._age += 1
        doubled = self._basis is not None and len(self._basis) >= 2 * self._tried
        if doubled or self._age % TRY_EVERY == 0:
            while self._narrowed():
                pass

    def _step_factors(self, actions: np.ndarray) -> None:
        """Move the basis; walks that share an action, but are fewer than its rows, join it."""
        T, bases, blocks = self._dense, [], []
        for a in np.unique(actions):
            rows = np.flatnonzero(actions == a)
            few = len(rows) <= len(self._basis)
            bases.append((self.beliefs[rows] if few else self._basis) @ T[a])
            blocks.append((rows, np.eye(len(rows)) if few else self._weights[rows]))
        self._basis = np.concatenate(bases)
        self._weights = np.zeros((len(actions), len(self._basis)))
        first = 0
        for rows, weights in blocks:
            last = first + weights.shape[1]
            self._weights[rows, first:last] = weights
            first = last
        np.matmul(self._weights, self._basis, out=self.beliefs)
        np.maximum(self.beliefs, 0.0, out=self.beliefs)

    def _narrowed(self) -> bool:
        """Halve the basis if that is exact; let go of one that has become too wide to be of use."""
        n = len(self.beliefs)
        useful = n // 4  # moving and unpacking a wider one costs as much as moving all
        q = useful if self._basis is None else min(len(self._basis) // 2, useful)
        if n < FEWEST_WALKS or q < NARROWEST or self._dense is None:
            return False
        mixes = np.random.default_rng(0).standard_normal((q, n)) @ self.beliefs
        V = np.linalg.qr(mixes.T)[0].T
        weights = self.beliefs @ V.T
        for rows in (slice(None, None, 16), slice(None)):  # what is not exact shows in a few
            missed = weights[rows] @ V
            missed -= self.beliefs[rows]
            if np.abs(missed, out=missed).sum(axis=1).max() > EXACT:
                if self._basis is not None and len(self._basis) > 2 * useful:
                    self._weights = self._basis = None
                self._tried = n if self._basis is None else len(self._basis)
                return False
        self._weights, self._basis, self._tried = weights, V, q
        return True
