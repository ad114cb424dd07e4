"""The command line: ``sensebench``, also as ``python -m bench``.

Mistakes of the user end in one clear line on standard error and exit code 2, never a traceback;
of a suite, in one line each.
"""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Callable, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import NoReturn

from bench.cli import advise as commands_advise
from bench.cli import certify as commands_certify
from bench.cli import continuous as commands_continuous
from bench.cli import files as commands_files
from bench.cli import fuzz as commands_fuzz
from bench.cli import learn as commands_learn
from bench.cli import listing as commands_listing
from bench.cli import optima as commands_optima
from bench.cli import proofs as commands_proofs
from bench.cli import results as commands_results
from bench.cli import run as commands_run
from bench.cli import score as commands_score
from bench.cli import solve as commands_solve
from bench.cli.arguments import add_verbosity
from bench.store.printable import one_line
from bench.suites.suite_check import SuiteError
from solvers.core.budget import is_interrupt

EXIT_ERROR = 2
EXIT_INTERRUPTED = 130


class Parser(argparse.ArgumentParser):
    """Tells a mistake in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(EXIT_ERROR, f"{self.prog}: {message}; see {self.prog} --help\n")


def build_parser() -> Parser:
    """The parser of all commands; each sets ``call``, a function of the arguments."""
    parser = Parser(
        prog="sensebench", description="Benchmark for planning when looking costs money."
    )
    parser.add_argument("--version", action="version", version=f"sensebench {_version()}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    commands_run.add(commands)
    commands_listing.add(commands)
    commands_results.add(commands)
    commands_solve.add(commands)
    commands_certify.add(commands)
    commands_files.add(commands)
    commands_learn.add(commands)
    commands_score.add(commands)
    commands_advise.add(commands)
    commands_optima.add(commands)
    commands_continuous.add(commands)
    commands_proofs.add(commands)
    commands_fuzz.add(commands)
    for command in (parser, *commands.choices.values()):
        add_verbosity(command)
    parser.set_defaults(verbosity=0)
    return parser


def _version() -> str:
    try:
        return version("sensebench")
    except PackageNotFoundError:  # run from a checkout that was never installed
        return "unknown"


def main(
    arguments: Sequence[str] | None = None,
    call: Callable[[argparse.Namespace], int | None] | None = None,
) -> int:
    """Run one command, or ``call`` in its place; returns the exit code."""
    warnings.showwarning = _one_line_warning
    given = list(sys.argv[1:] if arguments is None else arguments)
    args = build_parser().parse_args(given)
    args.arguments = given
    try:
        return (call or args.call)(args) or 0
    except (KeyboardInterrupt, SystemError) as error:
        if not is_interrupt(error):
            raise
        print("sensebench: stopped", file=sys.stderr)
        return EXIT_INTERRUPTED
    except BrokenPipeError:  # the reader of our output, `head` perhaps, has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (ValueError, OSError, ImportError, RuntimeError) as error:
        told = str(error) or type(error).__name__
        for line in told.splitlines() if isinstance(error, SuiteError) else [told]:
            print(f"sensebench: {one_line(line)}", file=sys.stderr)
        return EXIT_ERROR


def _one_line_warning(message, category, filename, lineno, file=None, line=None) -> None:
    print(f"sensebench: warning: {one_line(str(message))}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
