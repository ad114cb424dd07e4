"""The command about learning suites: ``sensebench learn run|table|plot|report SUITE``."""

from __future__ import annotations

import argparse
import concurrent.futures as futures
import functools
import os
import sys
import threading
from typing import Any

from bench.cli.arguments import add_results, count
from bench.run.crew import Crew, Lost


def add(commands: Any) -> None:
    """Add this command to the parser."""
    learn = commands.add_parser("learn", help="run, tabulate and plot learning suites")
    what = learn.add_subparsers(dest="what", required=True, metavar="run|table|plot|report|list")
    run = what.add_parser("run", help="run a learning suite; what is done is not done again")
    run.add_argument("--jobs", type=count, help="runs at once (default: one per core)")
    run.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="LEARNER/PROBLEM",
        help="only these runs, by name; * stands for any; may be given several times",
    )
    run.add_argument("--rerun", choices=("failed",), help="do these again")
    run.add_argument("--scheduler", metavar="ADDRESS", help="of a Dask cluster: tcp://HOST:PORT")
    run.set_defaults(call=run_suite)
    table = what.add_parser("table", help="print the table and write it to the results")
    table.add_argument("--format", choices=("terminal", "markdown", "latex", "csv"))
    table.set_defaults(call=make_table)
    plot = what.add_parser("plot", help="draw the figures")
    plot.set_defaults(call=make_plots)
    report = what.add_parser("report", help="write the page: figures and table in one file")
    report.set_defaults(call=make_report)
    for command in (run, table, plot, report):
        command.add_argument("suite", help="name of a learning suite, or path of a .toml file")
        add_results(command)
    show = what.add_parser("list", help="learners with their options, and learning suites")
    show.set_defaults(call=list_learners)


def run_suite(args: argparse.Namespace) -> int:
    """Run a suite and say what came of it."""
    from bench.learning.runner import run_suite as run_all
    from bench.learning.suite import load_learning_suite

    suite = load_learning_suite(args.suite)
    crew = _crew(args)
    try:
        failed = run_all(
            suite,
            args.results,
            crew.submit,
            rerun_failed=args.rerun == "failed",
            only=args.only,
            size=crew.size,
            say=lambda text: print(text, file=sys.stderr, flush=True),
        )
    except KeyboardInterrupt:
        print("stopped: finished runs are kept; run it again to go on", file=sys.stderr)
        return 130
    except Lost as error:
        raise RuntimeError(f"{error}; finished runs are kept, run it again to go on") from None
    finally:
        crew.close()
    print(f"{failed} jobs failed; next: sensebench learn table {args.suite}")
    return 1 if failed else 0


def _crew(args: argparse.Namespace) -> Crew:
    """Who makes the runs: processes of this machine, or the workers of a cluster."""
    from bench.learning.runner import run_job

    if args.scheduler:
        from bench.run.dask_executor import Cluster

        cluster = Cluster(args.scheduler)
        submit = functools.partial(cluster.submit, run_job)
        return Crew(submit, cluster.threads, cluster.close, here=False)
    jobs, stop = args.jobs or os.cpu_count() or 1, threading.Event()
    pool = futures.ThreadPoolExecutor(jobs)

    def close() -> None:
        stop.set()
        pool.shutdown(wait=True, cancel_futures=True)

    return Crew(lambda job: pool.submit(run_job, job, stop), lambda: jobs, close)


def make_table(args: argparse.Namespace) -> None:
    """Print a suite's table; its Markdown, LaTeX and CSV go beside the runs."""
    from bench.learning.suite import load_learning_suite
    from bench.learning.table import FORMATS, learning_table, to_csv, write_tables

    suite = load_learning_suite(args.suite)
    if args.format == "csv":
        print(to_csv(suite, args.results), end="")
    else:
        print(FORMATS[args.format or "terminal"](learning_table(suite, args.results)), end="")
    write_tables(suite, args.results)


def make_plots(args: argparse.Namespace) -> None:
    """Draw a suite's figures and say where they are."""
    from bench.learning.figures import draw_figures
    from bench.learning.suite import load_learning_suite

    for path in draw_figures(load_learning_suite(args.suite), args.results):
        print(path)


def make_report(args: argparse.Namespace) -> None:
    """Write a suite's page and say where it is."""
    from bench.learning.page import write_page
    from bench.learning.suite import load_learning_suite

    print(write_page(load_learning_suite(args.suite), args.results))


def list_learners(args: argparse.Namespace) -> None:
    """Learners, their options, and the learning suites."""
    from bench.learning.suite import suite_names
    from solvers.learning import learner_classes

    print("learners, with their options")
    for name, cls in sorted(learner_classes().items()):
        print(f"  {name:22} {', '.join(f'{o}={d!r}' for o, d in cls.options().items())}")
    print(f"\nlearning suites\n  {', '.join(suite_names())}")
