"""What a suite file means, checked before anything runs, and how a mistake in it is told.

Every message names the file, the key and what was expected: ``mine.toml: solver[2].options.depth:
expected a whole number, found 'three'``.  All mistakes of a file are told at once.
"""

from __future__ import annotations

import itertools
import string
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from bench.problems import Problem, find_problem
from bench.suites.duplicates import check_costs, check_solvers
from bench.suites.extension import join_file
from bench.suites.option_check import check_options
from bench.suites.schema import GRID, GridTable, ProblemTable, SolverTable, number, read_table
from solvers import Solver, SolverError, solver_classes

SIGNIFICANT = 3
"""Digits of the sensing costs of a grid."""
MOST_COSTS = 10_000
"""Sensing costs of a grid: more are a slip of the pen."""
LONGEST_LABEL = 200
"""Characters of a label: more fit in no table."""


class SuiteError(ValueError):
    """A suite that cannot run; one line per mistake."""


class Checker:
    """Collects the mistakes of one suite file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.mistakes: list[str] = []

    def wrong(self, key: str, message: str) -> None:
        told = f"{self.path}: {key}: {message}"
        if told not in self.mistakes:  # the variants of one [[solver]] share its mistakes
            self.mistakes.append(told)

    def finish(self) -> None:
        if self.mistakes:
            raise SuiteError("\n".join(self.mistakes))


def join_files(found: Checker, files: list[str], extra: tuple[str, ...], listed: Any) -> list[Path]:
    """Join files of solvers and problems; paths are relative to the suite file.

    A solver of an extra file that the suite does not name is added to it, with its defaults: that
    is what the file was given for.
    """
    paths = [(f"files[{i + 1}]", found.path.parent / f) for i, f in enumerate(files)]
    paths += [("--solver-file", Path(f)) for f in extra]
    for key, path in paths:
        try:
            solvers, _ = join_file(path)
        except SolverError as error:
            found.wrong(key, str(error))
            continue
        if key == "--solver-file" and isinstance(listed, list):
            named = {s.get("id") for s in listed if isinstance(s, dict)}
            listed += [{"id": s.name} for s in solvers if s.name not in named]
    return [path.resolve() for _, path in paths]


def problem_entries(found: Checker, tables: Any) -> list[dict[str, Any]]:
    """The ``[[problem]]`` entries, those that are right."""
    entries, places = [], []
    for where, table in _each(found, tables, "problem"):
        read = read_table(ProblemTable, table, where, found.wrong)
        if read is None:
            continue
        try:
            problem = find_problem(read.id)
        except Exception as error:  # unknown, or a file or environment that cannot be read
            found.wrong(where + ".id", str(error))
            continue
        costs = _costs(found, where + ".sensing_costs", read, problem)
        if costs:
            entries.append({"id": read.id, "sensing_costs": costs})
            places.append((where, read.id, costs))
    check_costs(found.wrong, places)
    return entries


def _costs(found: Checker, key: str, read: ProblemTable, problem: Problem) -> tuple:
    """The sensing costs of an entry: numbers, or arrays as nested tuples; the problem's own."""
    before, costs = len(found.mistakes), read.sensing_costs
    if costs is None:
        return tuple(problem.sensing_costs)
    if isinstance(costs, dict):
        costs = _grid(found, key, costs)
    for i, k in enumerate(costs):
        if isinstance(k, list):
            try:
                problem.build(k)
            except (ValueError, TypeError) as error:
                found.wrong(f"{key}[{i + 1}]", str(error))
        elif not (number(k) and k >= 0):
            found.wrong(f"{key}[{i + 1}]", f"expected a number of at least 0, found {k!r}")
    right = len(found.mistakes) == before
    return tuple(_frozen(k) for k in costs) if right else ()


def _grid(found: Checker, key: str, table: dict[str, Any]) -> list[float]:
    """``{ from, to, count }``: sensing costs evenly spaced on a log scale, ends included."""
    read = read_table(GridTable, table, key, found.wrong)
    if read is None:
        return []
    if not (0 < read.low < read.high and 1 < read.count <= MOST_COSTS):
        found.wrong(key, f"expected {GRID}, found {table!r}")
        return []
    ratio = (read.high / read.low) ** (1 / (read.count - 1))
    costs = [float(f"{read.low * ratio**i:.{SIGNIFICANT}g}") for i in range(read.count)]
    if len(different := dict.fromkeys(costs)) < len(costs):
        found.wrong(
            key,
            f"rounded to {SIGNIFICANT} digits, only {len(different)} of the {len(costs)} sensing "
            "costs differ; lower count, or list the costs",
        )
        return []
    return costs


def solver_entries(found: Checker, tables: Any, problems: list[str]) -> list[dict[str, Any]]:
    """The ``[[solver]]`` entries, those that are right."""
    entries: list[dict[str, Any]] = []
    places: list[str] = []
    for where, table in _each(found, tables, "solver"):
        read = read_table(SolverTable, table, where, found.wrong)
        if read is None:
            continue
        cls = solver_classes().get(read.id)
        if cls is None:
            known = ", ".join(sorted(solver_classes()))
            found.wrong(where + ".id", f"unknown solver {read.id!r}; the solvers are: {known}")
            continue
        for pattern in read.only_problems:
            if problems and not any(fnmatchcase(p, pattern) for p in problems):
                what = f"expected ids of problems of this suite {problems}, found {pattern!r}"
                found.wrong(where + ".only_problems", what)
        for options in _variants(read):
            check_options(found.wrong, where + ".options", cls, options)
            places.append(where)
            entries.append(
                {
                    "id": read.id,
                    "label": _label(found, where + ".label", read.label or read.id, cls, options),
                    "options": options,
                    "budget": read.budget,
                    "only_problems": tuple(read.only_problems),
                    "seeded": "seed" in cls.options(),
                }
            )
    check_solvers(found.wrong, list(zip(places, entries, strict=True)), solver_classes(), problems)
    return entries


def _variants(read: SolverTable) -> list[dict[str, Any]]:
    """The options of a ``[[solver]]``, once for each combination of its ``each`` lists."""
    return [
        {**read.options, **dict(zip(read.each, chosen, strict=True))}
        for chosen in itertools.product(*read.each.values())
    ]


def _label(found: Checker, key: str, label: str, cls: type[Solver], options: dict[str, Any]) -> str:
    """The label with ``{option}`` filled in, at its default where it is not given.

    A format such as ``{depth:>9}`` is refused, because its width could make a text of any length.
    """
    known = {**cls.options(), **options}
    try:
        fields = [field for field in string.Formatter().parse(label) if field[1] is not None]
        if not all(name in known for _, name, _, _ in fields):
            raise KeyError
        for _, name, form, _ in fields:
            if form:
                found.wrong(key, f"a label takes no format; write {{{name}}} for {{{name}:{form}}}")
                return label
        filled = label.format(**known)
        if len(filled) > LONGEST_LABEL:
            what = f"expected at most {LONGEST_LABEL} characters, found {len(filled)}"
            found.wrong(key, f"{what}: {filled[:20]!r} …")
        return filled
    except (KeyError, IndexError, ValueError, TypeError, AttributeError):
        has = ", ".join(known) or "none"
        found.wrong(
            key,
            f"expected a text in which {{…}} names an option, found {label!r}; the options: {has}",
        )
        return label


def _each(found: Checker, entries: Any, key: str) -> list[tuple[str, dict[str, Any]]]:
    right = isinstance(entries, list) and entries and all(isinstance(e, dict) for e in entries)
    if not right:
        found.wrong(key, f"expected at least one [[{key}]], found {entries!r}")
        return []
    return [(f"{key}[{i + 1}]", entry) for i, entry in enumerate(entries)]


def _frozen(k: Any) -> Any:
    return tuple(_frozen(x) for x in k) if isinstance(k, list) else float(k)
