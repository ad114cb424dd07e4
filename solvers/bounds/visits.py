"""Where to work: how often each root is landed on, and which roots hold the gap."""

from __future__ import annotations

import numpy as np
from numba import njit

from solvers.core.landings import Landings

VISIT_TERMS = 64
"""Looks ahead that are counted; visits only weigh roots against each other."""
NEGLIGIBLE = 1e-9
"""Looks that happen less often than this are not counted; a look after a long blind plan is rare,
and yet its landing may hold the gap that is left."""
COVERED = 0.99
"""Share of the weighted gap whose roots a round searches."""


def visits_along(rows: Landings, start: np.ndarray) -> np.ndarray:
    """How often each root is landed on (S,) when each goes on to its row of ``rows``."""
    P = rows.matrix()
    if not P.nnz:
        return start.copy()
    return _add_up(P.indptr, P.indices, P.data, start.copy())


@njit(cache=True)
def _add_up(
    indptr: np.ndarray, indices: np.ndarray, data: np.ndarray, now: np.ndarray
) -> np.ndarray:
    total = np.zeros(len(now))
    for _ in range(VISIT_TERMS):
        total += now
        ahead = np.zeros(len(now))
        for j in range(len(now)):
            for e in range(indptr[j], indptr[j + 1]):
                ahead[indices[e]] += now[j] * data[e]
        now = ahead
        if now.sum() < NEGLIGIBLE:
            break
    return total


def draw_roots(weighted: np.ndarray, chance: np.random.Generator) -> np.ndarray:
    """The fewest roots that hold nearly all of the weighted gap (S,), in random order.

    Each next one is drawn among those left with chances proportional to its weighted gap: sorting
    log weights plus Gumbel noise does that.
    """
    order = np.argsort(-weighted, kind="stable")
    within = np.cumsum(weighted[order]) <= COVERED * weighted.sum()
    roots = order[: int(within.sum()) + 1]
    keys = np.log(np.maximum(weighted[roots], 1e-300)) + chance.gumbel(size=len(roots))
    return roots[np.argsort(-keys, kind="stable")]
