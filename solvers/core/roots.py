"""Which roots a planner works on: all of them, or only what its policy reaches from the start.

A policy started in ``start`` is only ever at roots that its own looks land on from there.  On a
large problem these may be few; plans, values and bounds of all others are then left out, and the
bounds are for the start.
"""

from __future__ import annotations

from solvers.core.budget import SolverError
from solvers.core.model import SensingMDP

REACHABLE, ALL = "reachable", "all"
MANY_STATES = 20_000
"""Above so many states only what the start can reach is worked on, unless all is asked for."""


def chosen_roots(roots: str | None, problem: SensingMDP) -> str:
    """REACHABLE or ALL: as asked for, or by the size of the problem."""
    if roots is not None:
        return roots
    return REACHABLE if problem.num_states > MANY_STATES else ALL


def check_roots(solver: str, roots: str | None) -> None:
    """Refuse what is not a choice of roots."""
    if roots not in (None, REACHABLE, ALL):
        raise SolverError(f'{solver}: roots is {roots!r}; expected "reachable" or "all"')
