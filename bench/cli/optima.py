"""``sensebench optima``: the atlas of optima, one line and one policy file per instance."""

from __future__ import annotations

import argparse
import sys
from fnmatch import fnmatchcase
from typing import Any

from bench.analysis import optima
from bench.cli.arguments import add_results, seconds
from bench.cli.results import REFERENCE
from bench.store.costs import to_text

BUDGET_SECONDS = 60.0


def add(commands: Any) -> None:
    """Add this command to the parser."""
    command = commands.add_parser(
        "optima", help="what is known of the optimum of every problem of all suites"
    )
    command.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="PROBLEM",
        help="only these problems; * stands for any; may be given several times",
    )
    command.add_argument(
        "--budget",
        type=seconds,
        default=BUDGET_SECONDS,
        help=f"seconds of search for each that needs one (default: {BUDGET_SECONDS:g})",
    )
    command.add_argument(
        "--rerun",
        action="store_true",
        help="also improve the lines that are there, by a search where one is still open",
    )
    add_results(command)
    command.set_defaults(call=make_optima)


def make_optima(args: argparse.Namespace) -> int:
    """Find or improve the lines that are asked for; returns 1 if one could not be made."""
    directory = args.results / REFERENCE
    directory.mkdir(parents=True, exist_ok=True)
    chosen = [i for i in optima.instances() if _asked(i.problem, args.only)]
    if not chosen:
        raise ValueError(f"no problem of the suites is named {' or '.join(args.only)}")
    lines, failed = optima.known_lines(directory), 0
    for number, instance in enumerate(chosen, 1):
        key = instance.problem, to_text(instance.sensing_cost)
        name = f"[{number}/{len(chosen)}] {key[0]}, k = {key[1]}"
        if key in lines and not args.rerun:
            continue
        try:
            lines[key] = optima.find_optimum(
                instance, args.results, directory, args.budget, lines.get(key)
            )
        except (ValueError, RuntimeError, MemoryError) as error:
            failed += 1
            print(f"{name}: {error}", file=sys.stderr)
            continue
        optima.write(directory, lines)
        line = lines[key]
        print(f"{name}: {line['shown']} by {line['by']}, gap {100 * float(line['gap']):.3g} %")
    print(f"written: {optima.write(directory, lines)} ({len(lines)} instances)")
    return 1 if failed else 0


def _asked(problem: str, patterns: list[str]) -> bool:
    return not patterns or any(fnmatchcase(problem, pattern) for pattern in patterns)
