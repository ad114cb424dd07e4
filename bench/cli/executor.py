"""Who does the work: this machine, or the workers of a Dask cluster."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager

from solvers import Solver, SolverError, solver_classes
from solvers.core.workers import using


def add_executor(command: argparse.ArgumentParser) -> None:
    """The options that say who works."""
    command.add_argument(
        "--executor", choices=("local", "dask"), default="local", help="this machine, or a cluster"
    )
    command.add_argument(
        "--scheduler", metavar="ADDRESS", help="of the Dask cluster: tcp://HOST:PORT"
    )


@contextmanager
def working(args: argparse.Namespace, solver: Solver) -> Iterator[None]:
    """Let a Dask cluster work on the roots of one problem, where it is asked for."""
    if args.executor != "dask":
        if args.scheduler is not None:
            raise SolverError("--scheduler needs --executor dask")
        yield
        return
    if not solver.splits_roots:
        able = [name for name, cls in sorted(solver_classes().items()) if cls.splits_roots]
        raise SolverError(
            f"{solver.name} does not split one problem over workers; {', '.join(able)} do"
        )
    from bench.run.dask_workers import DaskWorkers

    crew = DaskWorkers(args.scheduler, solver.name)
    try:
        with using(crew):
            yield
    finally:
        crew.close()
