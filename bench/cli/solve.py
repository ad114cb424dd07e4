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

import numpy as np

from bench.analysis.labels import counted, number, percent
from bench.cli.arguments import add_json, add_solver_files, seconds
from bench.cli.executor import add_executor, working
from bench.cli.foreign import prints_apart, unchanged
from bench.cli.proofs import write_and_report
from bench.problems import Problem, find_problem, load_problem
from bench.run.cell_result import plain
from bench.run.progress import QUIET
from bench.store.costs import number_or_text, to_text
from bench.store.printable import printable
from bench.suites.extension import join_file
from bench.suites.option_check import check_options
from pomdp_bridge.julia.errors import BridgeError
from solvers import (
    Plan,
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
MOST_ROOTS = 10
MOST_LETTERS = 120
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


def solve_problem(args: argparse.Namespace) -> None:
    """Solve and print value, bounds, gap, times and the plan for each start state."""
    for option, path in (("--save", args.save), ("--proof", args.proof)):
        if path is not None and not path.absolute().parent.is_dir():
            raise SolverError(f"{option} {path}: there is no folder {path.parent}")
    with prints_apart(args.json):
        for path in args.solver_file:
            join_file(path)
    options = parse_options(args.solver, args.option)
    facts = find_problem(args.problem)
    problem = load_problem(args.problem, args.sensing_cost)
    solution = _solved(problem, args, options)
    solution, source = _bounded(problem, solution)
    if args.json:
        print(json.dumps(solved_json(facts, problem, solution, source), indent=1))
    elif args.verbosity > QUIET:
        _print_solution(facts, problem, solution, source)
    else:
        _print_value(facts, solution, source)
    if args.save is not None:
        _save(args, problem, solution)
    if args.proof is not None:
        words = write_and_report(args.proof, problem, solution)
        print(words, file=sys.stderr if args.json else sys.stdout)


def _solved(problem: SensingMDP, args: argparse.Namespace, options: dict[str, Any]) -> Solution:
    """The solution; whatever else a solver raises is told in one line, with -v its traceback."""
    try:
        solver = make_solver(args.solver, **options)
        with working(args, solver), prints_apart(args.json), unchanged(problem, solver.name):
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


def solved_json(
    facts: Problem, problem: SensingMDP, solution: Solution, source: str
) -> dict[str, Any]:
    """What ``solve`` found, for scripts: costs, not rewards; null for what there is none of."""
    policy = solution.policy
    plans = {}
    if policy is not None and not policy.randomised:
        for root in np.flatnonzero(problem.start > 0):
            plan = policy.plan(int(root))
            actions = [problem.action_names[a] for a in plan.actions]
            plans[problem.state_names[root]] = {"actions": actions, "senses": bool(plan.senses)}
    return plain(
        {
            "problem": facts.id,
            "sensing_cost": number_or_text(cost_text_of(problem)),
            "solver": solution.solver,
            "value": solution.value,
            "standard_error": solution.standard_error,
            "lower": solution.lower,
            "lower_by": source,
            "upper": solution.upper,
            "gap": solution.gap,
            "status": solution.status,
            "iterations": solution.iterations,
            "sensing_rate": solution.sensing_rate,
            "seconds": solution.seconds,
            "evaluation_seconds": solution.evaluation_seconds,
            "plans": plans,
        }
    )


def cost_text_of(problem: SensingMDP) -> str:
    """A model's sensing cost as text; a function of the belief has none of its own."""
    return "function" if callable(problem.sensing_cost) else to_text(problem.sensing_cost)


def _print_solution(facts: Problem, problem: SensingMDP, solution: Solution, source: str) -> None:
    print(printable(f"{facts.title}, {problem!r}"))
    _print_value(facts, solution, source)
    _print("status", f"{solution.status}, {counted(solution.iterations, 'iteration')}")
    if solution.sensing_rate is not None:
        _print("sensing rate", f"{solution.sensing_rate:.4f} of discounted steps")
    _print("planning", f"{solution.seconds:.3f} s")
    _print("evaluation", f"{solution.evaluation_seconds:.3f} s")
    _print_plans(problem, solution)


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
        raise SolverError("\n".join(mistakes))
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


def _print_value(facts: Problem, solution: Solution, source: str) -> None:
    word, least, most = ("cost", "at least", "at most")
    if facts.rewards:
        word, least, most = ("reward", most, least)
    scale = f" ×{facts.scale:g}" if facts.scale != 1 else ""
    if solution.value is not None:
        error = ""
        if solution.standard_error is not None:
            error = f" ± {solution.standard_error * facts.scale:.{facts.digits}f} (simulated)"
        _print(word + scale, f"{number(facts.shown(solution.value), facts.digits)}{error}")
    if solution.upper is not None:
        upper = facts.shown(solution.upper)
        _print(f"optimum {most}", f"{number(upper, facts.digits)} (by {solution.solver})")
    if solution.lower is None:
        _print("optimum", "no bound proven")
        return
    lower = facts.shown(solution.lower)
    _print(f"optimum {least}", f"{number(lower, facts.digits)} (by {source})")
    if solution.standard_error is not None:
        _print("gap", "none proven: the value is simulated")
    elif solution.gap is None:
        return
    elif solution.gap < 0:
        _print("gap", "none: the bounds cross, so one of them is wrong")
    else:
        _print("gap", f"within {percent(solution.gap)} of optimal (proven)")


def _print(name: str, text: str) -> None:
    print(f"{name:18}{text}")


def _print_plans(problem: SensingMDP, solution: Solution) -> None:
    policy = solution.policy
    simulated = solution.standard_error is not None
    if policy is None and not simulated:
        print("no policy: this method only proves a bound")
        return
    if policy is None or policy.randomised:
        print("no plans: the policy plans anew, with chance, at every step")
        return
    roots = np.flatnonzero(problem.start > 0)
    print("plans")
    for root in roots[:MOST_ROOTS]:
        plan = policy.plan(int(root))
        words = _short(plan, problem.action_names)
        print(printable(f"  from {problem.state_names[root]}: {words}"))
    if len(roots) > MOST_ROOTS:
        print(f"  and {len(roots) - MOST_ROOTS} more start states")


def _short(plan: Plan, action_names: tuple[str, ...]) -> str:
    """A plan in words, its middle left out if it is long."""
    words = plan.describe(action_names)
    if len(words) <= MOST_LETTERS:
        return words
    begin = words[:MOST_LETTERS].rsplit(", ", 1)[0]
    end = "then look" if plan.senses else "blind for good"
    return f"{begin}, … ({len(plan.actions)} steps), {end}"
