"""Which roots a planner works on: all of them, or only what its policy reaches from the start.

A policy started in ``start`` is only ever at roots that its own looks land on from there.  On a
large problem these may be few; plans, values and bounds of all others are then left out, and the
bounds are for the start.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from solvers.core.budget import SolverError
from solvers.core.model import SensingMDP

REACHABLE, ALL = "reachable", "all"
MANY_STATES = 20_000
"""Above so many states only what the start can reach is worked on, unless all is asked for."""


NEGLIGIBLE_REACH = 1e-16
"""A root that is landed on from the start less often than this, discounted, is left out."""
MOST_PASSES = 20_000
"""Looks that chances are passed on over; what is left then is nearly at rest."""


def chosen_roots(roots: str | None, problem: SensingMDP) -> str:
    """REACHABLE or ALL: as asked for, or by the size of the problem."""
    if roots is not None:
        return roots
    return REACHABLE if problem.num_states > MANY_STATES else ALL


def check_roots(solver: str, roots: str | None) -> None:
    """Refuse what is not a choice of roots."""
    if roots not in (None, REACHABLE, ALL):
        raise SolverError(f'{solver}: roots is {roots!r}; expected "reachable" or "all"')


class Reach:
    """The roots that a policy reaches from a start, found as it becomes known where each lands.

    Chances to be at a root are passed on along the landings, look after look.  What has come to a
    root whose landings are not known waits there.

    start (S,) : how much each root counts there; known (S,) bool : roots whose landings are known
    """

    def __init__(self, start: np.ndarray, terminal: np.ndarray) -> None:
        self.known = np.zeros(len(start), bool)
        self._live = ~terminal
        self._waiting = start.copy()
        self._who = np.empty(0, int)
        self._rows = sparse.csr_array((0, len(start)))

    def front(self) -> np.ndarray:
        """Roots (n,) that are reached and whose landings are not known yet."""
        for _ in range(MOST_PASSES):
            enough = self._waiting >= NEGLIGIBLE_REACH
            new = np.flatnonzero(enough & ~self.known & self._live)
            if len(new) or not enough[self._who].any():
                return new
            passed_on = self._waiting[self._who]
            self._waiting[self._who] = 0.0
            self._waiting += passed_on @ self._rows
        return np.empty(0, int)

    def add(self, roots: np.ndarray, who: np.ndarray, rows: sparse.csr_array) -> None:
        """These roots are known now; those of them that look, who (m,), land on rows (m, S)."""
        self.known[roots] = True
        self._who = np.concatenate([self._who, who])
        self._rows = sparse.csr_array(sparse.vstack([self._rows, rows], format="csr"))
