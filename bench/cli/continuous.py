"""``sensebench continuous run|table|plot``: the suites of continuous problems."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from bench.continuous.problems import PROBLEMS
from bench.continuous.run import run
from bench.continuous.suites import SUITES
from bench.continuous.table import load, markdown, references_markdown, write


def add(commands: Any) -> None:
    """Add the command to the parser."""
    continuous = commands.add_parser("continuous", help="continuous states: run, table, plot")
    parts = continuous.add_subparsers(dest="part", required=True, metavar="run|table|plot")
    for name, call, help_text in (
        ("run", _run, "run what is not there yet"),
        ("table", _table, "print the table, and write it as Markdown and CSV"),
        ("plot", _plot, "draw the figures"),
    ):
        part = parts.add_parser(name, help=help_text)
        part.add_argument("suite", choices=sorted(SUITES), help="which suite")
        part.add_argument("--results", type=Path, default=Path("results"), metavar="DIR")
        part.set_defaults(call=call)
        if name == "run":
            part.add_argument("--jobs", type=int, default=1, help="cells at once")
            part.add_argument("--only", choices=sorted(PROBLEMS), help="one problem only")


def _run(args: argparse.Namespace) -> int:
    def say(text: str) -> None:
        print(text, file=sys.stderr, flush=True)

    try:
        failed = run(SUITES[args.suite], args.results, args.jobs, args.only, say)
    except KeyboardInterrupt:
        say("stopped: finished cells are kept; run it again to go on")
        return 130
    if not all(failed.values()):
        _table(args)
    return 1 if any(failed.values()) else 0


def _table(args: argparse.Namespace) -> int:
    write(args.suite, args.results)
    frame = load(args.suite, args.results)
    print(markdown(frame))
    print(references_markdown(frame))
    return 0


def _plot(args: argparse.Namespace) -> int:
    from bench.continuous.figures import draw  # matplotlib takes a second to load

    for path in draw(SUITES[args.suite], args.results):
        print(path)
    return 0
