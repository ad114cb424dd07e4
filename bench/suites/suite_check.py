"""What may stand in a suite file, and how a mistake in it is told.

Every message names the file, the key and what was expected: ``mine.toml: solver[2].options.depth:
expected a whole number, found 'three'``.  All mistakes of a file are told at once.
"""

from __future__ import annotations

import itertools
import math
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from bench.problems import find_problem
from bench.suites.extension import join_file
from bench.suites.option_check import check_options, number, whole
from solvers import SolverError, solver_classes

TOP = {
    "title",
    "description",
    "budget",
    "threads",
    "memory_mb",
    "seeds",
    "files",
    "problem",
    "solver",
}
PROBLEM = {"id", "sensing_costs"}
SOLVER = {"id", "label", "options", "each", "budget", "only_problems"}
GRID = {"from", "to", "count"}
SIGNIFICANT = 3
"""Digits of the sensing costs of a grid."""


class SuiteError(ValueError):
    """A suite that cannot run; one line per mistake."""


class Checker:
    """Collects the mistakes of one suite file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.mistakes: list[str] = []

    def wrong(self, key: str, message: str) -> None:
        self.mistakes.append(f"{self.path}: {key}: {message}")

    def expect(self, condition: bool, key: str, expected: str, found: Any) -> bool:
        """Note a mistake unless the condition holds."""
        if not condition:
            self.wrong(key, f"expected {expected}, found {found!r}")
        return condition

    def only(self, table: dict, allowed: set[str], where: str) -> None:
        for key in table.keys() - allowed:
            self.wrong(where + key, f"unknown key; expected one of: {', '.join(sorted(allowed))}")

    def finish(self) -> None:
        if self.mistakes:
            raise SuiteError("\n".join(self.mistakes))


def settings(found: Checker, content: dict) -> dict[str, Any]:
    """The settings given at the top of the file, those that are right."""
    found.only(content, TOP, "")
    given: dict[str, Any] = {}
    for key in ("title", "description"):
        if key in content:
            found.expect(isinstance(content[key], str), key, "a text", content[key])
    if "budget" in content and _budget(found, "budget", content["budget"]):
        given["budget"] = float(content["budget"])
    for key in ("threads", "memory_mb"):
        if key in content:
            value = content[key]
            if found.expect(whole(value) and value > 0, key, "a whole number above 0", value):
                given[key] = value
    if "seeds" in content:
        seeds = content["seeds"]
        right = isinstance(seeds, list) and bool(seeds) and all(whole(s) for s in seeds)
        if found.expect(right, "seeds", "a list of whole numbers", seeds):
            given["seeds"] = tuple(seeds)
    return given


def solver_files(found: Checker, content: dict, extra: tuple[str, ...]) -> list[Path]:
    """Join files of solvers and problems; paths are relative to the suite file.

    A solver of an extra file that the suite does not name is added to it, with its defaults: that
    is what the file was given for.
    """
    files = content.get("files", [])
    right = isinstance(files, list) and all(isinstance(f, str) for f in files)
    if not found.expect(right, "files", "a list of paths of Python files", files):
        files = []
    paths = [(f"files[{i + 1}]", found.path.parent / f) for i, f in enumerate(files)]
    paths += [("--solver-file", Path(f)) for f in extra]
    for key, path in paths:
        try:
            solvers, _ = join_file(path)
        except Exception as error:  # whatever the user's file raises
            text = str(error) if isinstance(error, SolverError) else f"{path} fails: {error!r}"
            found.wrong(key, text)
            continue
        listed = content.get("solver")
        if key == "--solver-file" and isinstance(listed, list):
            named = {s.get("id") for s in listed if isinstance(s, dict)}
            listed += [{"id": s.name} for s in solvers if s.name not in named]
    return [path.resolve() for _, path in paths]


def problem_entries(found: Checker, content: dict) -> list[dict[str, Any]]:
    """The ``[[problem]]`` entries, those that are right."""
    entries = []
    for where, table in _tables(found, content, "problem"):
        found.only(table, PROBLEM, where + ".")
        name = table.get("id")
        if not found.expect(isinstance(name, str), where + ".id", "the id of a problem", name):
            continue
        try:
            problem = find_problem(name)
        except Exception as error:  # unknown, or a file or environment that cannot be read
            found.wrong(where + ".id", str(error))
            continue
        costs = table.get("sensing_costs", list(problem.sensing_costs))
        key = where + ".sensing_costs"
        if isinstance(costs, dict):
            costs = _grid(found, key, costs)
        right = isinstance(costs, list) and bool(costs)
        if not found.expect(right, key, "a list of sensing costs, as in [0.01, 0.05]", costs):
            continue
        for i, k in enumerate(costs if "sensing_costs" in table else []):
            if isinstance(k, list):
                try:
                    problem.build(k)
                except ValueError as error:
                    found.wrong(f"{key}[{i + 1}]", str(error))
            else:
                right = number(k) and math.isfinite(k) and k >= 0
                found.expect(right, f"{key}[{i + 1}]", "a number of at least 0", k)
        entries.append({"id": name, "sensing_costs": tuple(_frozen(k) for k in costs)})
    return entries


def solver_entries(found: Checker, content: dict, problems: list[str]) -> list[dict[str, Any]]:
    """The ``[[solver]]`` entries, those that are right."""
    entries = []
    for where, table in _tables(found, content, "solver"):
        found.only(table, SOLVER, where + ".")
        name = table.get("id")
        if not found.expect(isinstance(name, str), where + ".id", "the id of a solver", name):
            continue
        if name not in solver_classes():
            known = ", ".join(sorted(solver_classes()))
            found.wrong(where + ".id", f"unknown solver {name!r}; the solvers are: {known}")
            continue
        variants = _variants(found, where, table)
        for options in variants:
            check_options(found.wrong, where + ".options", solver_classes()[name], options)
        if "budget" in table:
            _budget(found, where + ".budget", table["budget"])
        label = table.get("label", name)
        found.expect(isinstance(label, str) and label, where + ".label", "a text", label)
        only = table.get("only_problems", ["*"])
        key = where + ".only_problems"
        if found.expect(isinstance(only, list), key, "a list of problem ids", only):
            for pattern in only:
                right = isinstance(pattern, str) and any(fnmatchcase(p, pattern) for p in problems)
                found.expect(right, key, f"ids of problems of this suite {problems}", pattern)
        entries += [
            {
                "id": name,
                "label": _label(found, where + ".label", label, options),
                "options": options,
                "budget": table.get("budget"),
                "only_problems": tuple(only),
                "seeded": "seed" in solver_classes()[name].options(),
            }
            for options in variants
        ]
    return entries


def _variants(found: Checker, where: str, table: dict) -> list[dict[str, Any]]:
    """The options of a ``[[solver]]``, once for each combination of its ``each`` lists."""
    options, each = table.get("options", {}), table.get("each", {})
    if not found.expect(isinstance(options, dict), where + ".options", "a table", options):
        return []
    right = isinstance(each, dict) and all(isinstance(v, list) and v for v in each.values())
    if not found.expect(right, where + ".each", "a table of lists of option values", each):
        return []
    return [
        {**options, **dict(zip(each, chosen, strict=True))}
        for chosen in itertools.product(*each.values())
    ]


def _label(found: Checker, key: str, label: str, options: dict[str, Any]) -> str:
    """The label with ``{option}`` filled in."""
    try:
        return str(label).format(**options)
    except (KeyError, IndexError, ValueError):
        found.wrong(key, f"expected a text in which {{…}} names an option, found {label!r}")
        return str(label)


def _grid(found: Checker, key: str, table: dict) -> list[float]:
    """``{ from, to, count }``: sensing costs evenly spaced on a log scale, ends included."""
    found.only(table, GRID, key + ".")
    low, high, count = (table.get(name) for name in ("from", "to", "count"))
    right = number(low) and number(high) and 0 < low < high and whole(count) and count > 1
    expected = "{ from = LOW, to = HIGH, count = NUMBER } with 0 < LOW < HIGH and NUMBER > 1"
    if not found.expect(right, key, expected, table):
        return []
    ratio = (high / low) ** (1 / (count - 1))
    return [float(f"{low * ratio**i:.{SIGNIFICANT}g}") for i in range(count)]


def _tables(found: Checker, content: dict, key: str) -> list[tuple[str, dict]]:
    entries = content.get(key, [])
    right = (
        isinstance(entries, list) and bool(entries) and all(isinstance(e, dict) for e in entries)
    )
    if not found.expect(right, key, f"at least one [[{key}]]", entries):
        return []
    return [(f"{key}[{i + 1}]", entry) for i, entry in enumerate(entries)]


def _budget(found: Checker, key: str, value: Any) -> bool:
    right = number(value) and math.isfinite(value) and value > 0
    return found.expect(right, key, "a number of seconds above 0", value)


def _frozen(k: Any) -> Any:
    return tuple(_frozen(x) for x in k) if isinstance(k, list) else float(k)
