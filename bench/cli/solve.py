"""The commands about one problem: solve, certify, export; and check, about one solver file."""

from __future__ import annotations

import argparse
import ast
import math
from pathlib import Path
from typing import Any

import numpy as np

from bench.cli.proofs import write_and_report
from bench.cli.run import add_solver_files, seconds
from bench.problems import Problem, find_problem, load_problem
from bench.suites.extension import join_file
from bench.suites.option_check import check_options
from solvers import (
    Plan,
    SensingMDP,
    Solution,
    SolverError,
    make_solver,
    save_policy,
    solve,
    solver_classes,
)

BOUND_SECONDS = 5.0
"""Time given to a better lower bound where the solver's own leaves a gap."""
CLOSE = 1e-4
"""A gap, as a share of the value, that needs no better bound."""
MOST_ROOTS = 10
MOST_LETTERS = 120
DEFAULT_BUDGET = 60.0


def add(commands: Any) -> None:
    """Add these commands to the parser."""
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
    run.add_argument("--save", type=Path, metavar="FILE", help="write the policy; see `score`")
    run.add_argument("--proof", type=Path, metavar="FILE", help="write a proof; see `verify`")
    add_solver_files(run)
    run.set_defaults(call=solve_problem)
    certify = commands.add_parser("certify", help="what truncation at a depth proves")
    add_problem(certify)
    certify.add_argument("--depth", type=int, required=True, help="N, the most blind steps")
    certify.set_defaults(call=certify_problem)
    export = commands.add_parser("export", help="write a problem as a file")
    add_problem(export)
    export.add_argument("--format", choices=("pomdp", "pomdpx", "npz"), help="default: by suffix")
    export.add_argument(
        "--start",
        metavar="STATE",
        help="begin in one state, or 'revealed': the first state is shown for free",
    )
    export.add_argument("-o", "--output", type=Path, required=True, metavar="FILE")
    export.set_defaults(call=export_problem)
    check = commands.add_parser("check", help="does this solver file conform?")
    check.add_argument("file", type=Path)
    check.set_defaults(call=check_file)


def add_problem(command: argparse.ArgumentParser) -> None:
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
    for path in args.solver_file:
        join_file(path)
    options = parse_options(args.solver, args.option)
    facts = find_problem(args.problem)
    problem = load_problem(args.problem, args.sensing_cost)
    solution = solve(problem, args.solver, budget=args.budget, **options)
    solution, source = _bounded(problem, solution)
    print(f"{facts.title}, {problem!r}")
    _print_value(facts, solution, source)
    _print("status", f"{solution.status}, {solution.iterations} iterations")
    if solution.sensing_rate is not None:
        _print("sensing rate", f"{solution.sensing_rate:.4f} of discounted steps")
    _print("planning", f"{solution.seconds:.3f} s")
    _print("evaluation", f"{solution.evaluation_seconds:.3f} s")
    _print_plans(problem, solution)
    if args.save is not None:
        _save(args, problem, solution)
    if args.proof is not None:
        write_and_report(args.proof, problem, solution)


def _save(args: argparse.Namespace, problem: SensingMDP, solution: Solution) -> None:
    if solution.policy is None:
        raise SolverError(f"{args.solver} only proves a bound: there is no policy to save")
    k = problem.sensing_cost if isinstance(problem.sensing_cost, float) else args.sensing_cost
    save_policy(
        args.save, solution.policy, problem=args.problem, sensing_cost=k, solver=args.solver
    )
    print(f"policy written to {args.save}; next: sensebench score {args.save}")


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
        _print(word + scale, f"{facts.shown(solution.value):.{facts.digits}f}{error}")
    if solution.upper_bound is not None:
        upper = facts.shown(float(solution.start @ solution.upper_bound))
        _print(f"optimum {most}", f"{upper:.{facts.digits}f} (by {solution.solver})")
    if solution.lower is None:
        _print("optimum", "no bound proven")
        return
    lower = facts.shown(solution.lower)
    _print(f"optimum {least}", f"{lower:.{facts.digits}f} (by {source})")
    if solution.gap is None:
        return
    if solution.standard_error is None and solution.gap < 0:
        _print("gap", "none: the bounds cross, so one of them is wrong")
    else:
        _print("gap", f"within {100 * solution.gap:.3g} % of optimal (proven)")


def _print(name: str, text: str) -> None:
    print(f"{name:18}{text}")


def _print_plans(problem: SensingMDP, solution: Solution) -> None:
    policy = solution.policy
    if policy is None:
        print("no policy: this method only proves a bound")
        return
    if policy.randomised:
        print("no plans: the policy plans anew, with chance, at every step")
        return
    roots = np.flatnonzero(problem.start > 0)
    print("plans")
    for root in roots[:MOST_ROOTS]:
        plan = policy.plan(int(root))
        print(f"  from {problem.state_names[root]}: {_short(plan, problem.action_names)}")
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


def certify_problem(args: argparse.Namespace) -> None:
    """Print what truncation at a depth proves."""
    from solvers import always_sense_threshold, certify

    facts = find_problem(args.problem)
    problem = load_problem(args.problem, args.sensing_cost)
    found = certify(problem, args.depth)
    print(f"{facts.title}, {problem!r}, truncated at N = {args.depth}")
    print(f"always sensing is optimal up to k = {always_sense_threshold(problem):.6g}")
    print(f"its values exceed the optimum by at most {found.epsilon:.6g} (Theorem 4.4, epsilon_N)")
    print(f"  and by at most {found.depth_bound:.6g} (Theorem 4.2, from the depth alone)")
    print("costs per root: value of the truncated problem, lower bound on the optimum (App. E.1)")
    print(f"  {'root':16} {'value':>14} {'lower bound':>14}  one-step  settled")
    live = np.flatnonzero(~problem.terminal)
    for root in live[:MOST_ROOTS]:
        one, settled = ("yes" if x[root] else "no" for x in (found.one_step, found.settled))
        print(
            f"  {problem.state_names[root]:16} {found.values[root]:14.8f} "
            f"{found.lower_bound[root]:14.8f}  {one:8}  {settled}"
        )
    if len(live) > MOST_ROOTS:
        print(f"  and {len(live) - MOST_ROOTS} more")
    print(f"one-step (Lemma 4.3) holds at {int(found.one_step[live].sum())} of {len(live)} roots")
    print(f"settled (Theorem 4.4) holds at {int(found.settled[live].sum())} of {len(live)} roots")


def export_problem(args: argparse.Namespace) -> None:
    """Write a problem as a file."""
    from pomdp_bridge.export import started
    from pomdp_bridge.files.formats import write

    problem = started(load_problem(args.problem, args.sensing_cost), args.start)
    print(write(problem, args.output, args.format))


def check_file(args: argparse.Namespace) -> int:
    """Run the conformance set on a solver file; exit code 1 if it fails."""
    from bench.conformance.check import check_solver_file

    return check_solver_file(args.file)
