"""Solver ids that are made on demand: ``SCHEME:REST``, such as ``julia:my_solver.jl``.

A module that joins the registry may define ``SCHEMES``, a mapping from a scheme to a function that
makes a solver class of an id.  Its ids then work wherever the id of a solver is asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

SCHEMES: dict[str, Callable[[str], Any]] = {}
"""By scheme: a function from a whole id to the class of its solver."""


class SolverIds(dict):
    """Solver classes by id; one with a known scheme is made when it is asked for."""

    def __contains__(self, solver_id: object) -> bool:
        return super().__contains__(solver_id) or self._made(solver_id) is not None

    def __missing__(self, solver_id: str) -> Any:
        made = self._made(solver_id)
        if made is None:
            raise KeyError(solver_id)
        return made

    def get(self, solver_id: str, default: Any = None) -> Any:
        if solver_id in self:
            return self[solver_id]
        return default

    def _made(self, solver_id: object) -> Any:
        scheme, colon, _ = str(solver_id).partition(":")
        if not colon or scheme not in SCHEMES:
            return None
        self[solver_id] = SCHEMES[scheme](str(solver_id))
        return super().__getitem__(solver_id)


class AnyOption(dict):
    """Options by name of a solver that takes any: those it names, and every other word."""

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name.isidentifier()
