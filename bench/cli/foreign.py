"""A solver of somebody else's: what it prints, what it writes to, and how it ends.

``sensebench run`` gives every solver a process and a copy of the problem.  ``sensebench solve``
does so for files: with ``--solver-file`` the whole command runs in a process of its own
(:mod:`bench.cli.foreign_process`), so that a file which ends Python does not end the command
without a word.  It plans on the problem it judges by, and so it looks afterwards whether that is
still the same.
"""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from typing import Any

from bench.run.model_hash import model_hash
from pomdp_bridge.process.supervise import ProcessFailure, Watch, supervise
from solvers import SensingMDP, SolverError

PROCESS = "bench.cli.foreign_process"


def in_own_process(arguments: Sequence[str], solver: str) -> int:
    """Run ``solve`` with these arguments in another process and print its answer; its exit code.

    All else that the process writes, to its standard output too, goes to our standard error.
    """
    answers: list[dict[str, Any]] = []

    def take(message: dict[str, Any]) -> bool:
        answers.append(message)
        return True

    watch = Watch("solving", lambda phase: math.inf, take, memory_mb=math.inf)
    request = (json.dumps(list(arguments)) + "\n").encode()
    sys.stderr.flush()
    with open(os.dup(2), "wb") as errors:
        try:
            supervise([sys.executable, "-m", PROCESS], errors, os.environ, watch, request)
        except ProcessFailure as failure:
            raise SolverError(f"{solver} failed: {failure.reason}") from None
    print(answers[-1]["answer"], end="")
    return answers[-1]["code"]


@contextmanager
def prints_apart() -> Iterator[None]:
    """What is printed goes to standard error: standard output is for the answer."""
    with redirect_stdout(sys.stderr):
        yield


@contextmanager
def unchanged(problem: SensingMDP, solver: str) -> Iterator[None]:
    """Refuse what a solver found if it changed the problem: it would be judged by its own costs."""
    before = model_hash(problem)
    yield
    if model_hash(problem) != before:
        raise SolverError(f"{solver}: the solver changed the problem it was given")
