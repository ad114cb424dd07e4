"""The commands that run things: run, perf, julia."""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from typing import Any

from bench.cli.arguments import add_results, add_solver_files, count, seconds
from bench.cli.executor import add_executor
from bench.run.crew import Crew, Lost
from bench.run.plan import RERUN_ALL, RERUN_DAMAGED, RERUN_FAILED, Plan, choose
from bench.run.progress import QUIET, Progress
from bench.run.runner import Runner
from bench.store import status
from bench.store.result import latest
from bench.store.store import Store
from bench.suites.suite import Suite, load_suite

MOST_FAILURES = 12


def add(commands: Any) -> None:
    """Add these commands to the parser."""
    add_run(commands)
    perf = commands.add_parser(
        "perf", help="our speed, as ratios or as problems grow, budgets, and what DIPS's parts do"
    )
    kinds = ("speed", "growth", "budgets", "ablation")
    perf.add_argument("what", nargs="?", choices=kinds, default="speed")
    add_results(perf)
    perf.set_defaults(call=measure_speed)
    julia = commands.add_parser(
        "julia", help="set up the POMDPs.jl solvers, or say what is missing"
    )
    julia.add_argument("what", choices=("setup", "doctor"))
    julia.add_argument(
        "file", nargs="?", metavar="FILE.jl", help="setup: make the Julia project of a solver file"
    )
    julia.add_argument(
        "--sysimage",
        action="store_true",
        help="setup: build a system image, with which Julia starts in a second",
    )
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
    add_executor(run)
    run.add_argument(
        "--keep-going", action="store_true", help="exit code 0 even where cells failed"
    )
    add_solver_files(run)
    add_results(run)
    run.set_defaults(call=run_suite)


def run_suite(args: argparse.Namespace) -> int:
    """Run a suite and say what came of it."""
    suite = load_suite(args.suite, tuple(args.solver_file))
    cells = choose(suite.cells(args.budget), args.only)
    store = Store(args.results, suite.name)
    crew = _crew(args)
    progress = Progress(crew.size(), verbosity=args.verbosity)
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
    failed = _summarise(suite, store, {cell.identity for cell in cells})
    if runner.lost:
        print(f"  {len(runner.lost)} could not be run and have no row; run it again")
    if args.verbosity > QUIET:
        print(f"rows: {store.rows_path}; next: sensebench table {args.suite}")
    return 1 if (failed or runner.lost) and not args.keep_going else 0


def _crew(args: argparse.Namespace) -> Crew:
    if args.executor == "dask":
        from bench.run.dask_executor import dask_crew

        if args.jobs is not None:
            raise ValueError("--jobs is for this machine; a Dask cluster has its own workers")
        return dask_crew(args.scheduler)
    if args.scheduler is not None:
        raise ValueError("--scheduler needs --executor dask")
    return Crew.local(args.jobs or os.cpu_count() or 1)


def _summarise(suite: Suite, store: Store, cells: set[tuple[str, ...]]) -> int:
    """Say what came of the cells; returns how many failed."""
    last = [row for row in latest(store.read()) if row.identity in cells]
    counts = Counter(row.status for row in last)
    words = ", ".join(f"{counts[s]} {s}" for s in status.STATUSES if counts[s])
    print(f"{suite.name}: {len(last)} of {len(cells)} cells have their row: {words}")
    bad = [row for row in last if row.status not in (status.OK, status.SKIPPED)]
    for row in bad[:MOST_FAILURES]:
        print(f"  {row.label} / {row.problem}, k = {row.sensing_cost}: {row.reason}")
    if len(bad) > MOST_FAILURES:
        print(f"  and {len(bad) - MOST_FAILURES} more that failed")
    return len(bad)


def measure_speed(args: argparse.Namespace) -> int:
    """Our speed, as ratios or against the size of the problem, whether budgets are kept, or what
    each part of DIPS is worth."""
    from bench.perf import ablation, budgets, growth, perf

    kinds = {"speed": perf, "growth": growth, "budgets": budgets, "ablation": ablation}
    return kinds[args.what].main(args)


def julia_tools(args: argparse.Namespace) -> int:
    """Set up Julia, or say what is missing."""
    from pomdp_bridge.julia.doctor import diagnose
    from pomdp_bridge.julia.setup import install, install_for, install_image
    from pomdp_bridge.julia.solvers import SCHEME, by_id

    if args.what == "doctor" and (args.file is not None or args.sysimage):
        raise ValueError("julia doctor takes no file and builds no image; use julia setup")
    if args.sysimage and args.file is not None:
        raise ValueError("--sysimage is for the main Julia project alone; leave out the file")
    if args.sysimage:
        found = install_image()
    elif args.file is not None:
        found = install_for(by_id(SCHEME + args.file.removeprefix(SCHEME)).file)
    else:
        found = install() if args.what == "setup" else diagnose()
    print(found)
    return found.exit_code
