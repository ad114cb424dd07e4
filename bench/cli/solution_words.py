"""What ``sensebench solve`` found, in words and as JSON."""

from __future__ import annotations

from typing import Any

import numpy as np

from bench.analysis.labels import counted, number, percent
from bench.problems import Problem
from bench.run.cell_result import InvalidResult, figures, plain
from bench.store.costs import number_or_text, to_text
from bench.store.printable import printable
from bench.store.status import INVALID
from solvers import Plan, SensingMDP, Solution

MOST_ROOTS = 10
MOST_LETTERS = 120


def why_invalid(solution: Solution, source: str) -> str | None:
    """Why ``sensebench run`` would refuse a solution, its bounds crossing for instance; or None.

    source : who proved its lower bound
    """
    try:
        figures(solution)
    except InvalidResult as error:
        by = "" if source == solution.solver else f" (the lower bound is by {source})"
        return f"{error}{by}"
    return None


def solved_json(
    facts: Problem, problem: SensingMDP, solution: Solution, source: str, invalid: str | None
) -> dict[str, Any]:
    """What ``solve`` found, for scripts: costs, not rewards; null for what there is none of.

    invalid : as :func:`why_invalid` gives it
    """
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
            "gap": None if invalid else solution.gap,
            "status": INVALID if invalid else solution.status,
            "reason": invalid,
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


def print_solution(
    facts: Problem, problem: SensingMDP, solution: Solution, source: str, invalid: str | None
) -> None:
    """Print all of a solution: value and bounds, how it was found, and the plans."""
    print(printable(f"{facts.title}, {problem!r}"))
    print_value(facts, solution, source, invalid)
    if invalid is None:
        _print("status", f"{solution.status}, {counted(solution.iterations, 'iteration')}")
    if solution.sensing_rate is not None:
        _print("sensing rate", f"{solution.sensing_rate:.4f} of discounted steps")
    _print("planning", f"{solution.seconds:.3f} s")
    _print("evaluation", f"{solution.evaluation_seconds:.3f} s")
    _print_plans(problem, solution)


def print_value(facts: Problem, solution: Solution, source: str, invalid: str | None) -> None:
    """Print the value, the bounds and the gap; why there is none if the solution is invalid."""
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
    else:
        lower = facts.shown(solution.lower)
        _print(f"optimum {least}", f"{number(lower, facts.digits)} (by {source})")
    if invalid is not None:
        _print("status", f"{INVALID}: {invalid}")
    elif solution.lower is None:
        return
    elif solution.standard_error is not None:
        _print("gap", "none proven: the value is simulated")
    elif solution.gap is not None:
        _print("gap", f"within {percent(max(solution.gap, 0.0))} of optimal (proven)")


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
