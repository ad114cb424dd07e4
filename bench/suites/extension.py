"""Joining a file that belongs to no package: its solvers, its problems, or both.

A solver is a subclass of :class:`solvers.Solver` with a name; problems stand in a list
``PROBLEMS`` of :class:`bench.problems.Problem`.  Packages join through the entry-point groups
``sensebench.solvers`` and ``sensebench.problems`` instead, and need no file named.
"""

from __future__ import annotations

from pathlib import Path

from bench.problems import Problem, join_problems
from solvers import Solver, SolverError
from solvers.core.solver import import_file, register_solvers


def join_file(path: str | Path) -> tuple[list[type[Solver]], list[Problem]]:
    """Take the solvers and problems of a file; returns both."""
    module = import_file(path)
    solvers = register_solvers(module)
    problems = join_problems(getattr(module, "PROBLEMS", ()))
    if not solvers and not problems:
        raise SolverError(
            f"{path} defines neither a solver (a subclass of solvers.Solver with a name) "
            "nor problems (a list PROBLEMS of bench.problems.Problem)"
        )
    return solvers, problems
