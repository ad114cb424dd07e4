"""The commands about files: export, a problem as a file; check, does a solver file conform?"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from bench.cli.solve import add_problem
from bench.problems import load_problem
from bench.store.files import written_beside


def add(commands: Any) -> None:
    """Add these commands to the parser."""
    export = commands.add_parser("export", help="write a problem as a file")
    add_problem(export)
    export.add_argument("--format", choices=("pomdp", "pomdpx", "npz"), help="default: by suffix")
    export.add_argument(
        "--start",
        metavar="STATE",
        help="begin in one state, or 'revealed': the first state is shown for free",
    )
    export.add_argument("-o", "--output", type=Path, required=True, metavar="FILE")
    export.set_defaults(call=export_problem)
    check = commands.add_parser("check", help="does this solver file conform?")
    check.add_argument("file", type=Path)
    check.set_defaults(call=check_file)


def export_problem(args: argparse.Namespace) -> None:
    """Write a problem as a file."""
    from pomdp_bridge.export import started
    from pomdp_bridge.files.formats import WRITERS, write

    problem = started(load_problem(args.problem, args.sensing_cost), args.start)
    chosen = args.format or args.output.suffix.removeprefix(".")
    if chosen not in WRITERS or not args.output.absolute().parent.is_dir():
        write(problem, args.output, chosen)  # says what is wrong
    with written_beside(args.output) as beside:
        write(problem, beside, chosen)
    print(args.output)


def check_file(args: argparse.Namespace) -> int:
    """Run the conformance set on a solver file; exit code 1 if it fails."""
    from bench.conformance.check import check_solver_file
    from bench.learning.conformance import check_learner_file, defines_learners

    if defines_learners(args.file):
        return check_learner_file(args.file)
    return check_solver_file(args.file)
