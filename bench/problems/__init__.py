"""The problems of the benchmark, by id.

A problem is one file here with a list ``PROBLEMS``; other packages join through the entry-point
group ``sensebench.problems``.  Besides, ``gym:NAME`` is any Gymnasium environment with a table
``P``, and a path to an ``.npz`` or ``.pomdp`` file is the problem in that file.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path

from solvers.model import SensingMDP
from solvers.validation import ModelError, SensingCost

ENTRY_POINT_GROUP = "sensebench.problems"


@dataclass(frozen=True)
class Grid:
    """Where the states of a grid world lie, for pictures.

    cells : rows of one letter per cell (S start, F floor, H hole, G goal, …)
    position : (row, column) of each state
    walls : pairs of neighbouring cells ((row, column), (row, column)) that a wall parts
    """

    cells: tuple[str, ...]
    position: tuple[tuple[int, int], ...]
    walls: tuple[tuple[tuple[int, int], tuple[int, int]], ...] = ()


@dataclass(frozen=True)
class Problem:
    """A named problem: how to build it, and how its numbers are printed.

    sensing_costs : the paper's sensing costs; the first is the default
    rewards : True when the problem is stated in rewards, so tables print −cost
    scale : what printed values are multiplied by (1000 on the lakes, as in the paper)
    digits : decimals of printed values
    """

    id: str
    title: str
    build: Callable[[float], SensingMDP]
    sensing_costs: tuple[float, ...]
    rewards: bool = True
    scale: float = 1.0
    digits: int = 3
    grid: Callable[[], Grid] | None = None

    def shown(self, cost: float) -> float:
        """A cost as tables print it: a reward where the problem is stated so, scaled."""
        return (-cost if self.rewards else cost) * self.scale


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
    modules = [m.name for m in pkgutil.iter_modules(__path__)]
    for name in modules:
        module = importlib.import_module(f"{__name__}.{name}")
        found.update({p.id: p for p in getattr(module, "PROBLEMS", ())})
    for point in entry_points(group=ENTRY_POINT_GROUP):
        loaded = point.load()
        listed = getattr(loaded, "PROBLEMS", loaded)
        found.update({p.id: p for p in ([listed] if isinstance(listed, Problem) else listed)})
    return found


def find_problem(problem_id: str) -> Problem:
    """The problem of that id, Gymnasium name (``gym:…``) or file path."""
    known = problems()
    if problem_id in known:
        return known[problem_id]
    if problem_id.startswith("gym:"):
        from bench.problems.gymnasium_table import gymnasium_problem

        return gymnasium_problem(problem_id)
    if Path(problem_id).suffix in (".npz", ".pomdp"):
        from bench.problems.files import file_problem

        return file_problem(Path(problem_id))
    raise ModelError(
        f"unknown problem {problem_id!r}; the problems are: {', '.join(known)}; "
        "or gym:NAME for a Gymnasium environment, or a path to an .npz or .pomdp file"
    )


def load_problem(problem_id: str, sensing_cost: SensingCost | None = None) -> SensingMDP:
    """A problem's model; the sensing cost is the problem's default when left out."""
    problem = find_problem(problem_id)
    k = problem.sensing_costs[0] if sensing_cost is None else sensing_cost
    return problem.build(k)
