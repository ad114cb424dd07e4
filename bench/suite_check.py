"""What may stand in a suite file, and how a mistake in it is told.

Every message names the file, the key and what was expected: ``mine.toml: solver[2].options.depth:
expected a whole number, found 'three'``.  All mistakes of a file are told at once.
"""

from __future__ import annotations

import math
import types
import typing
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from bench.problems import find_problem
from solvers import Solver, SolverError, load_solver_file, make_solver, solver_classes

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
SOLVER = {"id", "label", "options", "budget", "only_problems"}
WORDS = {int: "a whole number", float: "a number", str: "a text", bool: "true or false"}


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
            if found.expect(_whole(value) and value > 0, key, "a whole number above 0", value):
                given[key] = value
    if "seeds" in content:
        seeds = content["seeds"]
        right = isinstance(seeds, list) and bool(seeds) and all(_whole(s) for s in seeds)
        if found.expect(right, "seeds", "a list of whole numbers", seeds):
            given["seeds"] = tuple(seeds)
    return given


def solver_files(found: Checker, content: dict, extra: tuple[str, ...]) -> list[Path]:
    """Join the solver files; paths are relative to the suite file, extra ones to here."""
    files = content.get("files", [])
    right = isinstance(files, list) and all(isinstance(f, str) for f in files)
    if not found.expect(right, "files", "a list of paths of solver files", files):
        files = []
    paths = [(f"files[{i + 1}]", found.path.parent / f) for i, f in enumerate(files)]
    paths += [("--solver-file", Path(f)) for f in extra]
    for key, path in paths:
        try:
            load_solver_file(path)
        except Exception as error:  # whatever the user's file raises
            text = str(error) if isinstance(error, SolverError) else f"{path} fails: {error!r}"
            found.wrong(key, text)
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
        right = isinstance(costs, list) and bool(costs)
        if not found.expect(right, key, "a list of sensing costs, as in [0.01, 0.05]", costs):
            continue
        for i, k in enumerate(costs):
            if isinstance(k, list):
                try:
                    problem.build(k)
                except ValueError as error:
                    found.wrong(f"{key}[{i + 1}]", str(error))
            else:
                right = _number(k) and math.isfinite(k) and k >= 0
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
        options = table.get("options", {})
        key = where + ".options"
        if not found.expect(isinstance(options, dict), key, "a table of options", options):
            continue
        check_options(found, key, solver_classes()[name], options)
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
        entries.append(
            {
                "id": name,
                "label": label,
                "options": options,
                "budget": table.get("budget"),
                "only_problems": tuple(only),
                "seeded": "seed" in solver_classes()[name].options(),
            }
        )
    return entries


def check_options(
    found: Checker,
    key: str,
    cls: type[Solver],
    options: dict[str, Any],
    seed_allowed: bool = False,
) -> None:
    """Names, types and values of a solver's options; a suite gives seeds apart."""
    known = cls.options()
    hints = typing.get_type_hints(cls)
    before = len(found.mistakes)
    for option, value in options.items():
        if option == "seed" and not seed_allowed:
            found.wrong(f"{key}.seed", "give seeds at the top of the file: seeds = [0, 1]")
        elif option not in known:
            has = ", ".join(f"{n} (default {d!r})" for n, d in known.items()) or "none"
            found.wrong(f"{key}.{option}", f"{cls.name} has no such option; its options: {has}")
        elif not of_type(value, hints.get(option, Any)):
            found.expect(False, f"{key}.{option}", _words(hints[option]), value)
    if len(found.mistakes) == before:
        try:
            make_solver(cls.name, **options)
        except (ValueError, TypeError) as error:
            found.wrong(key, str(error))


def of_type(value: Any, hint: Any) -> bool:
    """Whether a plain value fits an annotation; a whole number fits a float."""
    origin = typing.get_origin(hint)
    if hint is Any:
        return True
    if origin in (typing.Union, types.UnionType):
        return any(of_type(value, part) for part in typing.get_args(hint))
    if origin is typing.Literal:
        return value in typing.get_args(hint)
    if hint is float:
        return _number(value)
    if hint is int:
        return _whole(value)
    if hint in (bool, str, type(None)):
        return isinstance(value, hint)
    return True  # the solver itself knows better


def _words(hint: Any) -> str:
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return " or ".join(_words(p) for p in typing.get_args(hint) if p is not type(None))
    if typing.get_origin(hint) is typing.Literal:
        return "one of " + ", ".join(repr(v) for v in typing.get_args(hint))
    return WORDS.get(hint, str(hint))


def _tables(found: Checker, content: dict, key: str) -> list[tuple[str, dict]]:
    entries = content.get(key, [])
    right = (
        isinstance(entries, list) and bool(entries) and all(isinstance(e, dict) for e in entries)
    )
    if not found.expect(right, key, f"at least one [[{key}]]", entries):
        return []
    return [(f"{key}[{i + 1}]", entry) for i, entry in enumerate(entries)]


def _budget(found: Checker, key: str, value: Any) -> bool:
    right = _number(value) and math.isfinite(value) and value > 0
    return found.expect(right, key, "a number of seconds above 0", value)


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _frozen(k: Any) -> Any:
    return tuple(_frozen(x) for x in k) if isinstance(k, list) else float(k)
