"""The problems of the benchmark, by id.

A problem is one file here with a list ``PROBLEMS``; other packages join through the entry-point
group ``sensebench.problems``.  Besides, ``gym:NAME`` is any Gymnasium environment with a table
``P``, and a path to an ``.npz`` or ``.pomdp`` file is the problem in that file.  ``ID@SETTINGS``
is a problem under other conventions, or another member of its family; see conventions.py.
"""

from __future__ import annotations

import importlib
import pkgutil
import warnings
from collections.abc import Iterable
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path

from bench.problems.conventions import with_settings
from bench.problems.files import file_problem
from bench.problems.gymnasium_table import gymnasium_problem
from bench.problems.problem import Problem
from solvers.core.model import SensingMDP
from solvers.core.sensing_cost import SensingCost
from solvers.core.validation import ModelError

ENTRY_POINT_GROUP = "sensebench.problems"

_joined: dict[str, Problem] = {}


def join_problems(more: Iterable[Problem]) -> list[Problem]:
    """Take further problems, from a file that belongs to no package; returns them."""
    more = list(more)
    _joined.update({problem.id: problem for problem in more})
    return more


def problems() -> dict[str, Problem]:
    """Every problem known by id."""
    return _installed() | _joined


@cache
def _installed() -> dict[str, Problem]:
    found: dict[str, Problem] = {}
    modules = [m.name for m in pkgutil.iter_modules([str(Path(__file__).parent)])]
    for name in modules:
        module = importlib.import_module(f"{__package__}.{name}")
        found.update({p.id: p for p in getattr(module, "PROBLEMS", ())})
    for point in entry_points(group=ENTRY_POINT_GROUP):
        try:
            loaded = point.load()
            listed = getattr(loaded, "PROBLEMS", loaded)
            found.update({p.id: p for p in ([listed] if isinstance(listed, Problem) else listed)})
        except Exception as error:  # another package's fault must not take ours down
            warnings.warn(f"the problems of {point.value} cannot be loaded: {error}", stacklevel=2)
    return found


def find_problem(problem_id: str) -> Problem:
    """The problem of that id, Gymnasium name (``gym:…``) or file path."""
    known = problems()
    if problem_id in known:
        return known[problem_id]
    if problem_id.startswith("gym:"):
        return gymnasium_problem(problem_id)
    if Path(problem_id).suffix in (".npz", ".pomdp"):
        return file_problem(Path(problem_id))
    base, at, settings = problem_id.rpartition("@")
    if at:
        return with_settings(find_problem(base), settings)
    raise ModelError(
        f"unknown problem {problem_id!r}; the problems are: {', '.join(known)}; "
        "or gym:NAME for a Gymnasium environment, or a path to an .npz or .pomdp file"
    )


def load_problem(problem_id: str, sensing_cost: SensingCost | None = None) -> SensingMDP:
    """A problem's model; the sensing cost is the problem's default when left out."""
    problem = find_problem(problem_id)
    k = problem.sensing_costs[0] if sensing_cost is None else sensing_cost
    return problem.build(k)
