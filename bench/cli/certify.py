"""``sensebench certify``: what truncation at a depth proves, depth by depth within a budget."""

from __future__ import annotations

import argparse
import json
import sys
import time
from typing import Any

import numpy as np

from bench.cli.arguments import add_json, seconds
from bench.cli.solution_words import MOST_ROOTS
from bench.cli.solve import add_problem
from bench.problems import find_problem, load_problem
from bench.run.cell_result import plain
from bench.run.progress import QUIET
from bench.store.printable import printable
from solvers import SensingMDP, always_sense_threshold, certify
from solvers.core.first_use import announce_compiling

BUDGET_SECONDS = 600.0


def add(commands: Any) -> None:
    """Add this command to the parser."""
    command = commands.add_parser("certify", help="what truncation at a depth proves")
    add_problem(command)
    command.add_argument("--depth", type=int, required=True, help="N, the most blind steps")
    command.add_argument(
        "--budget",
        type=seconds,
        default=BUDGET_SECONDS,
        help=f"seconds in all; the deepest N within it counts (default: {BUDGET_SECONDS:g})",
    )
    add_json(command)
    command.set_defaults(call=certify_problem)


def certify_problem(args: argparse.Namespace) -> int:
    """Print what truncation proves; exit code 1 if the budget did not allow the depth asked for."""
    announce_compiling()
    facts = find_problem(args.problem)
    problem = load_problem(args.problem, args.sensing_cost)
    depth, found, stopped = _deepen(problem, args)
    if args.json:
        answer = certified_json(problem, depth, found)
        print(json.dumps({"asked_depth": args.depth, "stopped": stopped, **answer}, indent=1))
    else:
        print(printable(f"{facts.title}, {problem!r}, truncated at N = {depth}"))
        _print_certificate(problem, found)
    return 0 if stopped is None else 1


def _deepen(problem: SensingMDP, args: argparse.Namespace) -> tuple[int, Any, str | None]:
    """The deepest N that the budget allows, its certificate, and why it is not the N asked for."""
    found = certify(problem, min(args.depth, 0))  # it compiles, too; a wrong depth is refused here
    began = time.monotonic()
    last = 0.0
    for n in range(1, args.depth + 1):
        spent = time.monotonic() - began
        expected = last * problem.num_actions
        if spent + expected > args.budget:
            stopped = (
                f"stopped at N = {n - 1}: N = {n} would take about {expected:.0f} s more, and "
                f"{spent:.0f} of {args.budget:g} s are spent; give a larger --budget"
            )
            print(stopped, file=sys.stderr)
            return n - 1, found, stopped
        at = time.monotonic()
        found = certify(problem, n)
        last = time.monotonic() - at
        if args.verbosity > QUIET and sys.stderr.isatty():
            print(f"N = {n}: epsilon {found.epsilon:.6g}, {last:.1f} s", file=sys.stderr)
    return args.depth, found, None


def certified_json(problem: SensingMDP, depth: int, found: Any) -> dict[str, Any]:
    """A certificate for scripts: costs per root, with their states' names."""
    names = ("values", "lower_bound", "one_step", "settled")
    arrays = {name: np.asarray(getattr(found, name)).tolist() for name in names}
    return plain(
        {
            "problem": problem.name,
            "depth": depth,
            "epsilon": found.epsilon,
            "depth_bound": found.depth_bound,
            "always_sense_threshold": always_sense_threshold(problem),
            "states": list(problem.state_names),
            **arrays,
        }
    )


def _print_certificate(problem: SensingMDP, found: Any) -> None:
    print(f"always sensing is optimal up to k = {always_sense_threshold(problem):.6g}")
    print(f"its values exceed the optimum by at most {found.epsilon:.6g} (Theorem 4.4, epsilon_N)")
    print(f"  and by at most {found.depth_bound:.6g} (Theorem 4.2, from the depth alone)")
    print("costs per root: value of the truncated problem, lower bound on the optimum (App. E.1)")
    print(f"  {'root':16} {'value':>14} {'lower bound':>14}  one-step  settled")
    live = np.flatnonzero(~problem.terminal)
    for root in live[:MOST_ROOTS]:
        one, settled = ("yes" if x[root] else "no" for x in (found.one_step, found.settled))
        print(
            f"  {printable(problem.state_names[root]):16} {found.values[root]:14.8f} "
            f"{found.lower_bound[root]:14.8f}  {one:8}  {settled}"
        )
    if len(live) > MOST_ROOTS:
        print(f"  and {len(live) - MOST_ROOTS} more")
    print(f"one-step (Lemma 4.3) holds at {int(found.one_step[live].sum())} of {len(live)} roots")
    print(f"settled (Theorem 4.4) holds at {int(found.settled[live].sum())} of {len(live)} roots")
