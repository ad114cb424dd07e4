"""The least of many columns at many beliefs, without forming most of the products.

Wanted: ``min over j in group(a) of b X[:, j]`` for every belief b and action a.  Blind beliefs grow
alike: with p = b / (live mass), and p0 the mean of all p of a group, a column j cannot be the least
at b when

    p0 (X_j - X_ref)  >  |p - p0|_1 / 2 * range(X_j - X_ref)

because the right side bounds what moving from p0 to p can change (p - p0 sums to zero).  The test
is exact: what it screens out is never the minimum.  Beliefs near their group's p0 are scored on the
columns that are left, often a single one; the few far ones on all of them.
"""

from __future__ import annotations

import numpy as np
from numba import njit

FEWEST_BELIEFS = 32
FEWEST_COLUMNS = 64
NEAR_SHARES = (0.5, 0.75, 0.9, 0.95, 0.98, 1.0)
"""Shares of a group, by distance from its mean, that may count as near; the cheapest is taken."""


class ScreenedColumns:
    """Columns X (S, A, A'), of which the least over A' is asked at beliefs.

    live : (S,) bool, states in which columns may differ; they are equal in all others
    tie : differences at a belief up to this count as ties and are not screened out
    """

    def __init__(self, X: np.ndarray, live: np.ndarray, tie: float) -> None:
        self.X = X
        self.flat = X.reshape(len(X), -1)
        self.live = np.flatnonzero(live)
        self.weight = live.astype(float)
        self.spreads: dict[int, np.ndarray] = {}
        self.tie = tie
        others = self.flat[~live]
        self.usable = self.flat.shape[1] >= FEWEST_COLUMNS and bool(
            (others.max(axis=1) - others.min(axis=1) <= tie).all() if len(others) else True
        )

    def least(self, beliefs: np.ndarray, groups: np.ndarray) -> np.ndarray:
        """The least over A' at each belief: (n, S) -> (n, A); +inf where provably not the least.

        groups : (n,), equal for beliefs that may be alike; any grouping gives the same answer
        """
        n, (_, A, rest) = len(beliefs), self.X.shape
        if not self.usable or n < FEWEST_BELIEFS:
            return (beliefs @ self.flat).reshape(n, A, rest).min(axis=2)
        near, keep = self._screen(np.ascontiguousarray(beliefs), groups)
        if 2 * len(keep) > self.flat.shape[1]:  # little is screened out: one product for all
            return (beliefs @ self.flat).reshape(n, A, rest).min(axis=2)
        least = np.full((n, A), np.inf)
        least[~near] = (beliefs[~near] @ self.flat).reshape(-1, A, rest).min(axis=2)
        scores = (beliefs @ self.flat[:, keep])[near]  # cheaper than to copy the near ones out
        actions, first = np.unique(keep // rest, return_index=True)
        least[np.ix_(near, actions)] = np.minimum.reduceat(scores, first, axis=1)
        return least

    def _screen(self, beliefs: np.ndarray, groups: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Which beliefs are near their group (n,) bool, and the columns that may be least there."""
        near = np.zeros(len(beliefs), bool)
        keep = np.zeros(self.flat.shape[1], bool)
        for group in np.unique(groups):
            rows = np.flatnonzero(groups == group)
            if len(rows) < FEWEST_BELIEFS:
                continue
            mass, p0, distance = _spread_out(beliefs, rows, self.weight)
            if mass.min() <= 0:
                continue
            at_mean = p0 @ self.flat
            reference = int(at_mean.argmin())
            above, spread = at_mean - at_mean[reference], self._spread(reference)
            tie = self.tie / mass.min()
            radii = np.quantile(distance, NEAR_SHARES)
            kept = [above - radius / 2 * spread <= tie for radius in radii]
            # near beliefs cost the columns kept, far ones all columns
            costs = [
                share * k.mean() + (1 - share) for share, k in zip(NEAR_SHARES, kept, strict=True)
            ]
            cheapest = int(np.argmin(costs))
            near[rows] = distance <= radii[cheapest]
            keep |= kept[cheapest]
        return near, np.flatnonzero(keep)

    def _spread(self, reference: int) -> np.ndarray:
        """The range of every column's difference from the reference column; the few that ever are
        reference are kept."""
        if reference not in self.spreads:
            alive = self.flat[self.live]
            difference = alive - alive[:, [reference]]
            self.spreads[reference] = difference.max(axis=0) - difference.min(axis=0)
        return self.spreads[reference]


# Sums in any order: their rounding is far below the ties that are kept.
@njit("Tuple((f8[::1], f8[::1], f8[::1]))(f8[:,::1], i8[::1], f8[::1])", cache=True, fastmath=True)
def _spread_out(beliefs, rows, live):
    """Of these rows (m,): live mass (m,), mean of the live shares p0 (S,), |p - p0|_1 (m,)."""
    n, S = len(rows), beliefs.shape[1]
    mass, mean, distance = np.zeros(n), np.zeros(S), np.zeros(n)
    for i in range(n):
        total = 0.0
        for s in range(S):
            total += beliefs[rows[i], s] * live[s]
        mass[i] = total
        if total > 0:
            scale = 1 / (total * n)
            for s in range(S):
                mean[s] += beliefs[rows[i], s] * live[s] * scale
    for i in range(n):
        if mass[i] > 0:
            scale, total = 1 / mass[i], 0.0
            for s in range(S):
                total += abs(beliefs[rows[i], s] * live[s] * scale - mean[s])
            distance[i] = total
    return mass, mean, distance
