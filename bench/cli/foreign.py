"""A solver of somebody else's in our own process: what it prints and what it writes to.

``sensebench run`` gives every solver a process and a copy of the problem.  ``sensebench solve``
plans where it stands, so it looks afterwards whether the problem is still the one it was.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, redirect_stdout

from bench.run.model_hash import model_hash
from solvers import SensingMDP, SolverError


@contextmanager
def prints_apart(apart: bool) -> Iterator[None]:
    """If asked for, what is printed goes to standard error: standard output is for the answer."""
    with redirect_stdout(sys.stderr) if apart else nullcontext():
        yield


@contextmanager
def unchanged(problem: SensingMDP, solver: str) -> Iterator[None]:
    """Refuse what a solver found if it changed the problem: it would be judged by its own costs."""
    before = model_hash(problem)
    yield
    if model_hash(problem) != before:
        raise SolverError(f"{solver}: the solver changed the problem it was given")
