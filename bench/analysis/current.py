"""Rows of cells that their suite no longer has.

``rows.csv`` only grows, so it keeps the rows of a cell whose options, seed or sensing cost the
suite has since changed.  Shown beside the cell that took its place, such a row would pass for a
method of its own.  What decides is what the cell is, not its key: editing a solver's source
changes the keys of its cells, and their rows stay the newest there are until they run again.
"""

from __future__ import annotations

from bench.store.result import Result
from bench.suites.suite import Suite
from solvers import solver_classes

OURS = ("solvers", "pomdp_bridge")
"""Packages whose solvers are in a suite only where its file says so."""


def current_rows(suite: Suite | None, stored: list[Result]) -> list[Result]:
    """The rows of cells that a suite still has.

    All of them where its file cannot be found or read here: results outlive their suite.
    """
    if suite is None:
        return stored
    cells = {cell.identity for cell in suite.cells()}
    named = {solver.id for solver in suite.solvers}
    instances = {cell[:2] for cell in cells}
    return [
        row
        for row in stored
        if row.identity in cells
        or ((row.problem, row.sensing_cost) in instances and _joined(row.solver, named))
    ]


def _joined(solver: str, named: set[str]) -> bool:
    """Whether a solver came by ``--solver-file``: the suite's file cannot tell of its cells."""
    known = solver_classes().get(solver)
    return solver not in named and (known is None or known.__module__.split(".")[0] not in OURS)
