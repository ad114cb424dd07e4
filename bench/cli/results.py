"""The commands about a suite's results: table, plot, report, and compare with the reference."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from bench.analysis.results import Results
from bench.cli.arguments import add_json, add_results
from bench.run.progress import QUIET
from bench.store.store import Store

REFERENCE = "reference"
"""Folder, among the results, of what the released code produced."""
CHECKOUT = Path(__file__).resolve().parents[2]
FORMATS = ("terminal", "markdown", "latex", "csv")


def add(commands: Any) -> None:
    """Add these commands to the parser."""
    table = commands.add_parser("table", help="print a suite's table and write it to its results")
    table.add_argument("--format", choices=FORMATS, default="terminal", help="what to print")
    table.set_defaults(call=make_table)
    plot = commands.add_parser("plot", help="draw a suite's figures")
    plot.set_defaults(call=make_plots)
    report = commands.add_parser("report", help="write a suite's report page")
    report.set_defaults(call=make_report)
    held = commands.add_parser("compare", help="hold a suite's results against the reference")
    for command in (table, held):
        add_json(command)
    held.add_argument(
        "--reference",
        type=Path,
        metavar="DIR",
        help="results to compare with (default: reference, in the results directory)",
    )
    held.set_defaults(call=compare_results)
    for command in (table, plot, report, held):
        command.add_argument("suite", help="name of a suite, or path of a .toml file")
        add_results(command)


def make_table(args: argparse.Namespace) -> None:
    """Print a suite's table; its CSV, Markdown and LaTeX go beside the rows."""
    from bench.tables.tables import render, table_json, write_tables

    results = Results.load(args.suite, args.results)
    print(table_json(results) if args.json else render(results, args.format))
    written = write_tables(results)
    print(f"written: {', '.join(str(path) for path in written)}", file=sys.stderr)


def make_plots(args: argparse.Namespace) -> None:
    """Draw a suite's figures."""
    from bench.plots import undrawn, write_plots

    results = Results.load(args.suite, args.results)
    written = write_plots(results)
    for path in written:
        print(path)
    for line in undrawn(written) if args.verbosity > QUIET else ():
        print(f"not drawn: {line}", file=sys.stderr)


def make_report(args: argparse.Namespace) -> None:
    """Write a suite's report page."""
    from bench.report.report import write_report

    print(f"report: {write_report(Results.load(args.suite, args.results))}")


def compare_results(args: argparse.Namespace) -> int:
    """Hold a run against the reference; exit code 1 if it contradicts it."""
    from bench.analysis.compare import NOT_REPRODUCED, compare, describe

    mine = Results.load(args.suite, args.results, details=False)
    reference = Results.load(args.suite, _reference(args), details=False)
    found = compare(mine.name, mine.frame, reference.frame)
    print(json.dumps(found.as_json(), indent=1) if args.json else describe(found))
    return 1 if found.verdict == NOT_REPRODUCED else 0


def _reference(args: argparse.Namespace) -> Path:
    """The directory of the reference results: the one given, or that of the results or checkout."""
    places = [args.results / REFERENCE, CHECKOUT / "results" / REFERENCE]
    places = [args.reference] if args.reference is not None else places
    for place in places:
        if Store(place, args.suite).rows_path.is_file():
            return place
    recorded = {path.parent.name for place in places for path in place.glob("*/rows.csv")}
    if recorded:
        names = ", ".join(sorted(recorded))
        raise ValueError(f"no reference results of {args.suite}; there are some of {names}")
    raise ValueError(
        f"no reference results in {places[0]}; they come with a checkout of the project: give "
        "their place with --reference"
    )
