"""Arguments that several commands share."""

from __future__ import annotations

import argparse
from pathlib import Path

RESULTS = Path("results")
"""Where results go unless told otherwise: in the directory one stands in."""


def add_results(command: argparse.ArgumentParser) -> None:
    """The option that says where results lie."""
    command.add_argument(
        "--results",
        type=Path,
        default=RESULTS,
        metavar="DIR",
        help="results directory (default: results, in the current directory)",
    )


def add_solver_files(command: argparse.ArgumentParser) -> None:
    """The option that joins files of solvers or problems."""
    command.add_argument(
        "--solver-file",
        action="append",
        default=[],
        metavar="FILE",
        help="a file of solvers or problems to join",
    )


def add_json(command: argparse.ArgumentParser) -> None:
    """The option for scripts."""
    command.add_argument("--json", action="store_true", help="as JSON, for scripts")


def add_verbosity(command: argparse.ArgumentParser) -> None:
    """``-q`` and ``-v``; without a default, so that what stands before a command holds for it."""
    how = command.add_mutually_exclusive_group()
    for short, long, level, words in (
        ("-q", "--quiet", -1, "only what counts"),
        ("-v", "--verbose", 1, "say more"),
    ):
        how.add_argument(
            short,
            long,
            dest="verbosity",
            action="store_const",
            const=level,
            default=argparse.SUPPRESS,
            help=words,
        )


def seconds(text: str) -> float:
    """An argument that is a number of seconds above 0."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text}: expected a number of seconds above 0")
    return value


def count(text: str) -> int:
    """An argument that is a whole number above 0."""
    if not (text.isascii() and text.isdecimal()) or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text}: expected a whole number above 0")
    return int(text)
