"""``sensebench solve``: one solver on one problem; value, bounds, gap and plans."""

from __future__ import annotations

import argparse
import ast
import json
import math
import sys
import traceback
from pathlib import Path
from typing import Any

from bench.cli.arguments import add_json, add_solver_files, seconds
from bench.cli.executor import add_executor, working
from bench.cli.foreign import in_own_process, prints_apart, unchanged
from bench.cli.proofs import write_and_report
from bench.cli.solution_words import print_solution, print_value, solved_json, why_invalid
from bench.problems import find_problem, load_problem
from bench.run.progress import QUIET
from bench.suites.extension import join_file
from bench.suites.option_check import check_options
from pomdp_bridge.julia.errors import BridgeError
from solvers import (
    PolicyError,
    SensingMDP,
    Solution,
    Solver,
    SolverError,
    make_solver,
    save_policy,
    solve,
    solver_classes,
)
from solvers.core.first_use import announce_compiling
from solvers.core.validation import ModelError

BOUND_SECONDS = 5.0
"""Time given to a better lower bound where the solver's own leaves a gap."""
CLOSE = 1e-4
"""A gap, as a share of the value, that needs no better bound."""
DEFAULT_BUDGET = 60.0


def add(commands: Any) -> None:
    """Add this command to the parser."""
    run = commands.add_parser("solve", help="solve one problem; value, bounds, gap and plans")
    add_problem(run)
    run.add_argument("solver", help="id of a solver; see `sensebench list`")
    run.add_argument("--budget", type=seconds, default=DEFAULT_BUDGET, help="planning seconds")
    run.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="an option of the solver",
    )
    add_json(run)
    run.add_argument("--save", type=Path, metavar="FILE", help="write the policy; see `score`")
    run.add_argument("--proof", type=Path, metavar="FILE", help="write a proof; see `verify`")
    add_solver_files(run)
    add_executor(run)
    run.set_defaults(call=solve_problem)


def add_problem(command: argparse.ArgumentParser) -> None:
    """The arguments that name a problem and its sensing cost."""
    command.add_argument("problem", help="id of a problem, gym:NAME, or an .npz or .pomdp file")
    command.add_argument(
        "-k", "--sensing-cost", type=_cost, help="default: the first of the problem's own"
    )


def _cost(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value >= 0):
        raise argparse.ArgumentTypeError(f"{text}: expected a number of at least 0")
    return value


def solve_problem(args: argparse.Namespace) -> int:
    """Solve and print; a file of somebody else's is read and run in a process of its own."""
    if args.solver_file:
        return in_own_process(args.arguments, args.solver)
    return solve_here(args)


def solve_here(args: argparse.Namespace) -> int:
    """Solve and print value, bounds, gap, times and the plan for each start state.

    The exit code is 1 if what the solver claims cannot be true; then nothing is written.
    """
    for option, path in (("--save", args.save), ("--proof", args.proof)):
        if path is not None and not path.absolute().parent.is_dir():
            raise SolverError(f"{option} {path}: there is no folder {path.parent}")
    with prints_apart():
        for path in args.solver_file:
            join_file(path)
    options = parse_options(args.solver, args.option)
    facts = find_problem(args.problem)
    problem = load_problem(args.problem, args.sensing_cost)
    solution = _solved(problem, args, options)
    solution, source = _bounded(problem, solution)
    invalid = why_invalid(solution, source)
    if args.json:
        print(json.dumps(solved_json(facts, problem, solution, source, invalid), indent=1))
    elif args.verbosity > QUIET:
        print_solution(facts, problem, solution, source, invalid)
    else:
        print_value(facts, solution, source, invalid)
    if invalid is not None:
        return 1
    if args.save is not None:
        _save(args, problem, solution)
    if args.proof is not None:
        words = write_and_report(args.proof, problem, solution)
        print(words, file=sys.stderr if args.json else sys.stdout)
    return 0


def _solved(problem: SensingMDP, args: argparse.Namespace, options: dict[str, Any]) -> Solution:
    """The solution; whatever else a solver raises is told in one line, with -v its traceback."""
    try:
        solver = make_solver(args.solver, **options)
        with working(args, solver), prints_apart(), unchanged(problem, solver.name):
            _warm_up(solver)
            return solve(problem, solver, budget=args.budget)
    except (SolverError, ModelError, PolicyError, BridgeError):
        raise
    except (Exception, SystemExit) as error:
        if args.verbosity > 0:
            traceback.print_exc()
        raise SolverError(
            f"{args.solver} failed on {args.problem}: {type(error).__name__}: {error}"
            + ("" if args.verbosity > 0 else "; -v shows where")
        ) from None


def _warm_up(solver: Solver) -> None:
    """Let a solver compile what it needs before its clock starts."""
    announce_compiling()
    if solver.available() is None:
        getattr(solver, "warm_up", lambda: None)()


def _save(args: argparse.Namespace, problem: SensingMDP, solution: Solution) -> None:
    if solution.policy is None:
        why = "only proves a bound" if solution.standard_error is None else "plans step by step"
        raise SolverError(f"{args.solver} {why}: there is no policy to save")
    k = problem.sensing_cost if isinstance(problem.sensing_cost, float) else args.sensing_cost
    save_policy(
        args.save, solution.policy, problem=args.problem, sensing_cost=k, solver=args.solver
    )
    words = f"policy written to {args.save}; next: sensebench score {args.save}"
    print(words, file=sys.stderr if args.json else sys.stdout)


def parse_options(solver: str, texts: list[str]) -> dict[str, Any]:
    """``NAME=VALUE`` arguments as options of a solver, checked."""
    make_solver(solver)  # says what is wrong with the id
    options = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise SolverError(f"--option {text}: expected NAME=VALUE")
        try:
            options[name] = ast.literal_eval(value)
        except (ValueError, SyntaxError):
            options[name] = {"true": True, "false": False}.get(value, value)
    mistakes: list[str] = []
    check_options(
        lambda key, text: mistakes.append(f"{key}: {text}"),
        f"--option {solver}",
        solver_classes()[solver],
        options,
        seed_allowed=True,
    )
    if mistakes:
        raise SolverError("; ".join(mistakes))
    return options


def _bounded(problem: SensingMDP, solution: Solution) -> tuple[Solution, str]:
    """The solution with the best lower bound to be had in a few seconds, and who proved it."""
    bounding = make_solver("delayed-information")
    close = solution.gap is not None and solution.gap <= CLOSE
    if close or solution.solver == bounding.name or bounding.supports(problem):
        return solution, solution.solver
    _warm_up(bounding)
    bound = solve(problem, bounding, budget=BOUND_SECONDS)
    if solution.lower is not None and solution.lower >= bound.lower:
        return solution, solution.solver
    return solution.with_lower_bound(bound.lower_bound), bounding.name
