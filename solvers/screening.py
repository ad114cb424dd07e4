"""The least of many columns at many beliefs, without forming most of the products.

Wanted: ``min over j in group(a) of b X[:, j]`` for every belief b and action a.  Blind beliefs grow
alike: with p = b / (live mass), and p0 the mean of all p, a column j cannot be the least at b when

    p0 (X_j - X_ref)  >  |p - p0|_1 / 2 * range(X_j - X_ref)

because the right side bounds what moving from p0 to p can change (p - p0 sums to zero).  The test
is exact: what it screens out is never the minimum.  Beliefs near p0 are scored on the columns that
are left, often a single one; the few far ones on all of them.
"""

from __future__ import annotations

import numpy as np

FEWEST_BELIEFS = 32
FEWEST_COLUMNS = 64
NEAR_SHARE = 0.9
"""Share of beliefs, by distance from the mean, that are scored on the screened columns."""


class ScreenedColumns:
    """Columns X (S, A, A'), of which the least over A' is asked at beliefs.

    live : (S,) bool, states in which columns may differ; they are equal in all others
    tie : differences at a belief up to this count as ties and are not screened out
    """

    def __init__(self, X: np.ndarray, live: np.ndarray, tie: float) -> None:
        self.X = X
        self.flat = X.reshape(len(X), -1)
        self.live = np.flatnonzero(live)
        self.tie = tie
        others = self.flat[~live]
        self.usable = self.flat.shape[1] >= FEWEST_COLUMNS and bool(
            (others.max(axis=1) - others.min(axis=1) <= tie).all() if len(others) else True
        )

    def least(self, beliefs: np.ndarray) -> np.ndarray:
        """The least over A' at each belief: (n, S) -> (n, A); +inf where provably not the least."""
        n, (_, A, rest) = len(beliefs), self.X.shape
        if not self.usable or n < FEWEST_BELIEFS:
            return (beliefs @ self.flat).reshape(n, A, rest).min(axis=2)
        near, keep = self._screen(beliefs)
        table = np.full((n, A * rest), np.inf)
        table[np.ix_(near, keep)] = beliefs[near] @ self.flat[:, keep]
        table[~near] = beliefs[~near] @ self.flat
        return table.reshape(n, A, rest).min(axis=2)

    def _screen(self, beliefs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Which beliefs are near (n,) bool, and the columns that may be least at any of them."""
        alive = beliefs[:, self.live]
        mass = alive.sum(axis=1)
        if mass.min() <= 0:
            return np.zeros(len(beliefs), bool), np.arange(self.flat.shape[1])
        p = alive / mass[:, None]
        p0 = p.mean(axis=0)
        distance = np.abs(p - p0).sum(axis=1)
        radius = np.quantile(distance, NEAR_SHARE)
        near = distance <= radius
        X = self.flat[self.live]
        at_mean = p0 @ X
        reference = X[:, int(at_mean.argmin())]
        difference = X - reference[:, None]
        spread = difference.max(axis=0) - difference.min(axis=0)
        slack = p0 @ difference - radius / 2 * spread
        return near, np.flatnonzero(slack * mass.min() <= self.tie)
