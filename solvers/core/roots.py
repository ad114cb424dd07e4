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
from solvers.kernels.reach import pass_on

REACHABLE, ALL = "reachable", "all"
MANY_STATES = 20_000
"""Above so many states only what the start can reach is worked on, unless all is asked for."""


NEGLIGIBLE_REACH = 1e-16
"""A root that is landed on from the start less often than this, discounted, is left out."""
LIKELY_REACH = 1e-19
"""The same for a guess at the roots that a policy like the given one reaches: as a look more or
less changes the chances, a little more than are reached."""
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

    start (S,) : how much each root counts there; known (S,) bool : roots whose landings are known;
    reached (S,) bool : roots that are landed on, as far as is known yet
    """

    def __init__(
        self, start: np.ndarray, terminal: np.ndarray, negligible: float = NEGLIGIBLE_REACH
    ) -> None:
        S = len(start)
        self._negligible = negligible
        self.known, self.reached = np.zeros(S, bool), np.zeros(S, bool)
        self._live = ~terminal
        self._waiting = np.array(start, float)
        self._starts, self._ends = np.zeros(S, np.int64), np.zeros(S, np.int64)
        self._states, self._chances, self._used = np.empty(64, np.int32), np.empty(64), 0
        self._scratch = np.zeros(S, bool), np.empty(S), np.empty(S, np.int32)
        self._front, self._active = np.empty(S, np.int32), np.arange(S, dtype=np.int32)
        self._waits = S

    def front(self) -> np.ndarray:
        """Roots (n,) that are reached and whose landings are not known yet."""
        where = self._waiting, self.known, self._live
        rows = self._starts, self._ends, self._states, self._chances
        limits = self._negligible, MOST_PASSES
        lists = self._front, self._active, self._waits
        new, still = pass_on(*where, *rows, *limits, self.reached, *self._scratch, *lists)
        self._waits = new + still
        return self._front[:new].astype(int)

    def add(self, roots: np.ndarray, who: np.ndarray, rows: sparse.csr_array) -> None:
        """Mark these roots as known; ``who`` (m,) are those that look, ``rows`` (m, S) the
        chances of the states that their looks show."""
        self.known[roots] = True
        end = self._used + rows.nnz
        if end > len(self._states):
            room = max(end, 2 * len(self._states))
            self._states, self._chances = (
                np.concatenate([x[: self._used], np.empty(room - self._used, x.dtype)])
                for x in (self._states, self._chances)
            )
        self._states[self._used : end], self._chances[self._used : end] = rows.indices, rows.data
        self._starts[who] = self._used + rows.indptr[:-1]
        self._ends[who] = self._used + rows.indptr[1:]
        self._used = end


def roots_along(
    P: sparse.csr_array,
    start: np.ndarray,
    terminal: np.ndarray,
    negligible: float = NEGLIGIBLE_REACH,
) -> np.ndarray:
    """The roots (S,) bool that are landed on from start (S,) when each goes on to its row of P."""
    reach = Reach(start, terminal, negligible)
    every = np.arange(len(start))
    reach.add(every, every, P)
    reach.front()
    return reach.reached
