"""``sensebench list``: problems, solvers and suites, and which of them can run here."""

from __future__ import annotations

import argparse
import json
from typing import Any

from bench.analysis.labels import counted
from bench.cli.arguments import add_json
from bench.continuous.suites import SUITES as CONTINUOUS
from bench.learning.suite import suite_names as learning_suites
from bench.problems import problems
from bench.run.cell_result import plain
from bench.store.printable import printable
from bench.suites.suite import SuiteError, load_suite, suite_names
from solvers import make_solver, solver_classes


def add(commands: Any) -> None:
    """Add this command to the parser."""
    show = commands.add_parser("list", help="problems, solvers, suites, and which can run here")
    add_json(show)
    show.set_defaults(call=list_all)


def list_all(args: argparse.Namespace) -> None:
    """Print all there is."""
    if args.json:
        print(json.dumps(listed(), indent=1))
        return
    found = listed()
    print("problems")
    for problem in found["problems"]:
        costs = ", ".join(f"{k:g}" for k in problem["sensing_costs"])
        size = "".join(f"{problem[n]:,} {n}, " for n in ("states", "actions") if problem[n])
        print(printable(f"  {problem['id']:28} {problem['title']}; {size}k = {costs}"))
        print(printable(f"  {'':28}   from {problem['source']}"))
    print("  gym:NAME, FILE.npz, FILE.pomdp   any Gymnasium environment with a table P; a file\n")
    print("solvers, with their options")
    reasons: dict[str, list[str]] = {}
    for solver in found["solvers"]:
        options = ", ".join(f"{o}={d!r}" for o, d in solver["options"].items() if d is not None)
        optional = ", ".join(o for o, d in solver["options"].items() if d is None)
        words = "; ".join(text for text in (options, optional) if text)
        print(printable(f"  {solver['id']:28} {words}".rstrip()))
        if solver["unavailable"] is not None:
            reasons.setdefault(solver["unavailable"], []).append(solver["id"])
    print("  julia:FILE.jl, julia:Package.SolverType   any solver of POMDPs.jl; see docs/julia.md")
    for reason, names in reasons.items():
        print(printable(f"  cannot run here: {', '.join(names)} ({reason})"))
    print("\nsuites")
    for suite in found["suites"]:
        words = f"[cannot run here: {suite['unavailable']}]"
        if suite["unavailable"] is None:
            words = f"{suite['title']} ({counted(suite['cells'], 'cell')})"
        print(printable(f"  {suite['id']:28} {words}"))
    print(f"  {', '.join(learning_suites()):28} learning; see `sensebench learn list`")
    print(f"  {', '.join(CONTINUOUS):28} continuous states; see `sensebench continuous run --help`")


def listed() -> dict[str, list[dict[str, Any]]]:
    """Everything, for scripts: ``unavailable`` is why something cannot run here, or null."""
    return plain(
        {
            "problems": [
                {
                    "id": problem.id,
                    "title": problem.title,
                    "sensing_costs": list(problem.sensing_costs),
                    "rewards": problem.rewards,
                    "source": problem.source,
                    "states": problem.size[0] if problem.size else None,
                    "actions": problem.size[1] if problem.size else None,
                    "conventions": problem.conventions,
                }
                for problem in problems().values()
            ],
            "solvers": [
                {"id": name, "options": cls.options(), "unavailable": make_solver(name).available()}
                for name, cls in sorted(solver_classes().items())
            ],
            "suites": [_suite(name) for name in suite_names()],
        }
    )


def _suite(name: str) -> dict[str, Any]:
    try:
        suite = load_suite(name)
    except SuiteError as error:
        first = str(error).splitlines()[0]
        return {"id": name, "title": name, "cells": None, "unavailable": first}
    return {"id": name, "title": suite.title, "cells": len(suite.cells()), "unavailable": None}
