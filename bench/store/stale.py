"""Rows of cells that their suite no longer has.

``rows.csv`` only grows, so it keeps the rows of a cell whose options, seed or sensing cost the
suite has since changed.  Shown beside the cell that took its place, such a row would pass for a
method of its own.  What decides is what the cell is, not its key: editing a solver's source
changes the keys of its cells, and their rows stay the newest there are until they run again.
"""

from __future__ import annotations

from bench.store.rows import IDENTITY, cost_text, options_text
from bench.suites.suite import Suite, SuiteError, load_suite
from solvers import solver_classes

OURS = ("solvers", "pomdp_bridge")
"""Packages whose solvers are in a suite only where its file says so."""


def without_stale(suite: str, stored: list[dict[str, str]]) -> list[dict[str, str]]:
    """The rows of cells that a suite, given by name or path, still has.

    All of them where its file cannot be found or read here: results outlive their suite.
    """
    try:
        found = load_suite(suite)
    except SuiteError:
        return stored
    cells = _identities(found)
    named = {solver.id for solver in found.solvers}
    instances = {cell[:2] for cell in cells}
    return [
        row
        for row in stored
        if tuple(row[c] for c in IDENTITY) in cells
        or ((row["problem"], row["sensing_cost"]) in instances and _joined(row["solver"], named))
    ]


def _identities(suite: Suite) -> set[tuple[str, ...]]:
    """What each cell of a suite is, as a row states it."""
    return {
        (
            cell.problem,
            cost_text(cell.sensing_cost),
            cell.solver,
            options_text(cell.options),
            str(cell.seed),
        )
        for cell in suite.plain_cells()
    }


def _joined(solver: str, named: set[str]) -> bool:
    """Whether a solver came by ``--solver-file``: the suite's file cannot tell of its cells."""
    known = solver_classes().get(solver)
    return solver not in named and (known is None or known.__module__.split(".")[0] not in OURS)
