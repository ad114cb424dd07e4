"""Suites as data: which solvers on which problems, under which settings, in one TOML file.

::

    title = "My comparison"
    budget = 30                       # planning seconds of every cell
    files = ["my_solver.py"]          # solver files to join, relative to this file

    [[problem]]
    id = "frozen-lake-4x4"
    sensing_costs = [0.005, 0.01]     # the problem's own when left out

    [[solver]]
    id = "truncation"
    label = "truncation N=5"          # its name in tables
    options = { depth = 5 }

Everything is checked before anything runs; a mistake is reported with file, key and what was
expected.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from bench.store import costs
from bench.suites import suite_check as check
from bench.suites.cell import Cell
from bench.suites.schema import TopTable, read_table
from bench.suites.suite_check import SuiteError

SUITES = Path(__file__).parent
__all__ = ["Cell", "Suite", "SuiteError", "load_suite", "suite_names"]


@dataclass(frozen=True)
class Settings:
    """What is the same for every cell.

    budget : planning seconds; threads : of every numerical library; memory_mb : hard limit;
    seeds : one run each, for solvers that have a seed
    """

    budget: float = 60.0
    threads: int = 1
    memory_mb: int = 4096
    seeds: tuple[int, ...] = (0,)


@dataclass(frozen=True)
class SolverEntry:
    """A ``[[solver]]`` of a suite."""

    id: str
    label: str
    options: Mapping[str, Any] = field(default_factory=dict)
    budget: float | None = None
    only_problems: tuple[str, ...] = ("*",)
    seeded: bool = False

    def takes(self, problem: str) -> bool:
        return any(fnmatchcase(problem, pattern) for pattern in self.only_problems)


@dataclass(frozen=True)
class ProblemEntry:
    """A ``[[problem]]`` of a suite."""

    id: str
    sensing_costs: tuple[float | tuple, ...]


@dataclass(frozen=True)
class Suite:
    """A checked suite."""

    name: str
    path: Path
    title: str
    description: str
    settings: Settings
    problems: tuple[ProblemEntry, ...]
    solvers: tuple[SolverEntry, ...]
    files: tuple[Path, ...]

    def cells(self, budget: float | None = None) -> list[Cell]:
        """Every cell, solver by solver; ``budget`` overrides every budget of the file."""
        settings = self.settings
        return [
            Cell(
                suite=self.name,
                problem=problem.id,
                sensing_cost=costs.to_text(k),
                solver=solver.id,
                options=solver.options,
                label=solver.label,
                seed=seed,
                budget=float(budget or solver.budget or settings.budget),
                threads=settings.threads,
                memory_mb=settings.memory_mb,
                files=tuple(str(f) for f in self.files),
            )
            for solver in self.solvers
            for problem in self.problems
            if solver.takes(problem.id)
            for k in problem.sensing_costs
            for seed in (settings.seeds if solver.seeded else settings.seeds[:1])
        ]


def suite_names() -> list[str]:
    """The suites that come with the project."""
    return sorted(path.stem for path in SUITES.glob("*.toml"))


def suite_path(suite: str) -> Path:
    """The file of a suite given by name or by path."""
    if (SUITES / f"{suite}.toml").is_file():
        return SUITES / f"{suite}.toml"
    path = Path(suite)
    if path.suffix != ".toml":
        raise SuiteError(
            f"unknown suite {suite!r}; the suites are: {', '.join(suite_names())}; "
            "or give the path of a .toml file"
        )
    if not path.is_file():
        raise SuiteError(f"no such suite file: {path}")
    if path.stem in suite_names() and path.resolve().parent != SUITES.resolve():
        raise SuiteError(f"{path}: {path.stem!r} is the name of a built-in suite; rename the file")
    return path


def load_suite(suite: str, extra_files: tuple[str, ...] = ()) -> Suite:
    """A suite by name or path, checked; raises :class:`SuiteError` with every mistake found.

    Parameters
    ----------
    extra_files : solver files to join besides those the suite names
    """
    path = suite_path(suite)
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SuiteError(f"{path}: cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise SuiteError(f"{path}: not valid TOML: {error}") from None
    found = check.Checker(path)
    top = read_table(TopTable, content, "", found.wrong)
    named = top.files if top is not None else []
    files = check.join_files(found, named, extra_files, content.get("solver"))
    problems = check.problem_entries(found, content.get("problem", []))
    solvers = check.solver_entries(found, content.get("solver", []), [p["id"] for p in problems])
    found.finish()
    assert top is not None  # else finish has raised
    return Suite(
        name=path.stem,
        path=path,
        title=top.title or path.stem,
        description=top.description,
        settings=Settings(top.budget, top.threads, top.memory_mb, top.seeds),
        problems=tuple(ProblemEntry(**p) for p in problems),
        solvers=tuple(SolverEntry(**s) for s in solvers),
        files=tuple(files),
    )
