"""``sensebench advise``: when to look and what looking is worth, for one's own problem."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from bench.cli.arguments import seconds
from bench.cli.solve import add_problem
from bench.problems import find_problem, load_problem
from bench.report.advice_page import advice_page, advice_text
from bench.store.files import write_text
from solvers.advice.advice import BUDGET_SECONDS, advise


def add(commands: Any) -> None:
    """Add this command to the parser."""
    command = commands.add_parser("advise", help="when to look, and what looking is worth")
    add_problem(command)
    command.add_argument(
        "--budget",
        type=seconds,
        default=BUDGET_SECONDS,
        help=f"seconds in all (default: {BUDGET_SECONDS:g})",
    )
    command.add_argument("-o", "--output", type=Path, metavar="FILE.html", help="write the page")
    command.add_argument(
        "--controller", type=Path, metavar="FILE.json", help="write the plan to run it"
    )
    command.set_defaults(call=give_advice)


def give_advice(args: argparse.Namespace) -> None:
    """Print the advice; write the page and the controller where asked."""
    for path in (args.output, args.controller):
        if path is not None and not path.absolute().parent.is_dir():
            raise FileNotFoundError(f"{path}: there is no folder {path.parent}")
    facts = find_problem(args.problem)
    advice = advise(load_problem(args.problem, args.sensing_cost), args.budget)
    print(advice_text(advice, facts))
    if args.output is not None:
        write_text(args.output, advice_page(advice, facts))
        print(f"written: {args.output}")
    if args.controller is not None:
        print(f"written: {advice.policy.controller().save(args.controller)}")
