"""The commands that run things: run, list, perf, julia."""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from typing import Any

from bench.cli.results import add_results
from bench.problems import problems
from bench.run.crew import Crew, Lost
from bench.run.plan import RERUN_ALL, RERUN_DAMAGED, RERUN_FAILED, Plan, choose
from bench.run.progress import Progress
from bench.run.runner import Runner
from bench.store import status
from bench.store.result import latest
from bench.store.store import Store
from bench.suites.suite import Suite, SuiteError, load_suite, suite_names
from solvers import make_solver, solver_classes

MOST_FAILURES = 12


def add(commands: Any) -> None:
    """Add these commands to the parser."""
    add_run(commands)
    show = commands.add_parser("list", help="problems, solvers, suites, and which can run here")
    show.set_defaults(call=list_all)
    perf = commands.add_parser("perf", help="our speed, as ratios")
    add_results(perf)
    perf.set_defaults(call=measure_speed)
    julia = commands.add_parser(
        "julia", help="set up the POMDPs.jl solvers, or say what is missing"
    )
    julia.add_argument("what", choices=("setup", "doctor"))
    julia.set_defaults(call=julia_tools)


def add_run(commands: Any) -> None:
    run = commands.add_parser("run", help="run a suite; what is done already is not done again")
    run.add_argument("suite", help="name of a suite, or path of a .toml file")
    run.add_argument("--budget", type=seconds, help="planning seconds for every cell")
    run.add_argument("--jobs", type=count, help="cells at once (default: one per core)")
    run.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="SOLVER/PROBLEM",
        help="only these cells; * stands for any; may be given several times",
    )
    run.add_argument(
        "--rerun", choices=(RERUN_FAILED, RERUN_DAMAGED, RERUN_ALL), help="do these again"
    )
    run.add_argument("--executor", choices=("local", "dask"), default="local")
    run.add_argument("--scheduler", metavar="ADDRESS", help="of the Dask cluster: tcp://HOST:PORT")
    add_solver_files(run)
    add_results(run)
    run.set_defaults(call=run_suite)


def add_solver_files(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--solver-file",
        action="append",
        default=[],
        metavar="FILE",
        help="a file of solvers or problems to join",
    )


def run_suite(args: argparse.Namespace) -> int:
    """Run a suite and say what came of it."""
    suite = load_suite(args.suite, tuple(args.solver_file))
    cells = choose(suite.cells(args.budget), args.only)
    store = Store(args.results, suite.name)
    crew = _crew(args)
    progress = Progress(crew.size())
    runner = Runner(store, crew, progress)
    try:
        plan = Plan.make(store, cells, args.rerun, crew.here)
        store.record_suite(suite.path)
        runner.run(plan)
    except KeyboardInterrupt:
        left = len(progress.todo)
        print(
            f"stopped: {len(cells) - left} of {len(cells)} cells have their row; "
            f"run it again to go on",
            file=sys.stderr,
        )
        return 130
    except Lost as error:
        raise RuntimeError(f"{error}; what is done is kept, run it again to go on") from None
    finally:
        crew.close()
    _summarise(suite, store, {cell.identity for cell in cells})
    print(f"rows: {store.rows_path}; next: sensebench table {args.suite}")
    return 0


def _crew(args: argparse.Namespace) -> Crew:
    if args.executor == "dask":
        from bench.run.dask_executor import dask_crew

        if args.jobs is not None:
            raise ValueError("--jobs is for this machine; a Dask cluster has its own workers")
        return dask_crew(args.scheduler)
    if args.scheduler is not None:
        raise ValueError("--scheduler needs --executor dask")
    return Crew.local(args.jobs or os.cpu_count() or 1)


def _summarise(suite: Suite, store: Store, cells: set[tuple[str, ...]]) -> None:
    last = [row for row in latest(store.read()) if row.identity in cells]
    counts = Counter(row.status for row in last)
    words = ", ".join(f"{counts[s]} {s}" for s in status.STATUSES if counts[s])
    print(f"{suite.name}: {len(last)} of {len(cells)} cells have their row: {words}")
    bad = [row for row in last if row.status not in (status.OK, status.SKIPPED)]
    for row in bad[:MOST_FAILURES]:
        print(f"  {row.label} / {row.problem}, k = {row.sensing_cost}: {row.reason}")
    if len(bad) > MOST_FAILURES:
        print(f"  and {len(bad) - MOST_FAILURES} more that failed")


def list_all(args: argparse.Namespace) -> None:
    """Problems, solvers and suites, and which of them can run here."""
    print("problems")
    for problem in problems().values():
        costs = ", ".join(f"{k:g}" for k in problem.sensing_costs)
        size = "" if problem.size is None else f", {problem.size[0]:,} x {problem.size[1]}"
        counted = f"; {problem.conventions}" if problem.conventions else ""
        print(f"  {problem.id:26} {problem.title}{size}; k = {costs}{counted} [{problem.source}]")
    print("  gym:NAME, FILE.npz, FILE.pomdp   any Gymnasium environment with a table P; a file")
    print("  ID@horizon=50,discount=1         the same, counted in another way\n")
    print("solvers, with their options")
    reasons: dict[str, list[str]] = {}
    for name, cls in sorted(solver_classes().items()):
        options = ", ".join(f"{o}={d!r}" for o, d in cls.options().items() if d is not None)
        optional = ", ".join(o for o, d in cls.options().items() if d is None)
        print(f"  {name:28} {'; '.join(text for text in (options, optional) if text)}".rstrip())
        reason = make_solver(name).available()
        if reason is not None:
            reasons.setdefault(reason, []).append(name)
    for reason, names in reasons.items():
        print(f"  cannot run here: {', '.join(names)} ({reason})")
    print("\nsuites")
    for name in suite_names():
        try:
            suite = load_suite(name)
            print(f"  {name:28} {suite.title} ({len(suite.cells())} cells)")
        except SuiteError as error:
            print(f"  {name:28} [cannot run here: {str(error).splitlines()[0]}]")


def measure_speed(args: argparse.Namespace) -> int:
    """Our speed, as ratios."""
    from bench.perf import perf

    return perf.main(args)


def julia_tools(args: argparse.Namespace) -> int:
    """Set up Julia, or say what is missing."""
    from pomdp_bridge.julia.doctor import diagnose
    from pomdp_bridge.julia.setup import install

    found = install() if args.what == "setup" else diagnose()
    print(found)
    return found.exit_code


def seconds(text: str) -> float:
    """An argument that is a number of seconds above 0."""
    value = float(text)
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text}: expected a number of seconds above 0")
    return value


def count(text: str) -> int:
    """An argument that is a whole number above 0."""
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text}: expected a whole number above 0")
    return int(text)
