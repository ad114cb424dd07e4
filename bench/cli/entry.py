"""The command line: ``sensebench``, also as ``python -m bench``.

Mistakes of the user end in one clear line on standard error and exit code 2, never a traceback.
"""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Sequence
from typing import NoReturn

from bench.cli import advise as commands_advise
from bench.cli import continuous as commands_continuous
from bench.cli import learn as commands_learn
from bench.cli import optima as commands_optima
from bench.cli import proofs as commands_proofs
from bench.cli import results as commands_results
from bench.cli import run as commands_run
from bench.cli import score as commands_score
from bench.cli import solve as commands_solve

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
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    commands_run.add(commands)
    commands_results.add(commands)
    commands_solve.add(commands)
    commands_learn.add(commands)
    commands_score.add(commands)
    commands_advise.add(commands)
    commands_optima.add(commands)
    commands_continuous.add(commands)
    commands_proofs.add(commands)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    warnings.showwarning = _one_line_warning
    args = build_parser().parse_args(arguments)
    try:
        return args.call(args) or 0
    except KeyboardInterrupt:
        print("sensebench: stopped", file=sys.stderr)
        return EXIT_INTERRUPTED
    except BrokenPipeError:  # the reader of our output, `head` perhaps, has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (ValueError, OSError, ImportError, RuntimeError) as error:
        for line in str(error).splitlines() or [type(error).__name__]:
            print(f"sensebench: {line}", file=sys.stderr)
        return EXIT_ERROR


def _one_line_warning(message, category, filename, lineno, file=None, line=None) -> None:
    print(f"sensebench: warning: {message}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
