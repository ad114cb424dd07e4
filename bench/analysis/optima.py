"""The atlas of optima: what is known of every problem and sensing cost of all suites.

One line per instance in ``optima.csv``: the best value and the policy file that attains it, the
best proven bound, the gap between them, and who found either.  Values are costs under the start; a
value counts only if the policy behind it was written to a file, read back and evaluated exactly, so
everyone can check it with ``sensebench score FILE``.  Bounds are the largest of those recorded in
the results and of one made here.  Where the checker of proofs confirms a bound within its time, the
gap that it confirms is given as well.  Instances are done one after the other and written as they
come: a run that is interrupted goes on where it stopped.
"""

from __future__ import annotations

import csv
import math
import re
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from bench.analysis.recorded import recorded
from bench.problems import find_problem, load_problem
from bench.store.costs import to_text
from bench.store.result import Result
from bench.suites.suite import load_suite, suite_names
from solvers import (
    SensingMDP,
    Solution,
    evaluate,
    load_policy,
    save_policy,
    solve,
    verify_claim,
)
from solvers.core.policy_file import about_policy

FILE = "optima.csv"
POLICIES = "policies"
SEARCH = "dips"
BETTER = 1e-9
"""A value is better than another only by more than this share."""
CROSSED = 1e-7
"""A bound above a value by more than this share contradicts it."""


class OptimaError(RuntimeError):
    """What is known of an instance contradicts itself; the message says how."""


@dataclass(frozen=True)
class Instance:
    """One problem at one sensing cost."""

    problem: str
    sensing_cost: float

    @property
    def file_name(self) -> str:
        return re.sub(r"[^\w.=,-]", "_", f"{self.problem}-k{to_text(self.sensing_cost)}") + ".npz"


@dataclass(frozen=True)
class Optimum:
    """A line of the file; costs under the start.  ``shown`` is the value as tables print it.

    gap, verified_gap : shares of the value; the second as the checker of proofs confirms it, empty
    where it did not within its time
    """

    problem: str
    sensing_cost: str
    conventions: str
    states: int
    actions: int
    shown: str
    value: float
    by: str
    lower: float
    bound_by: str
    gap: float
    verified_gap: float | str
    policy: str


COLUMNS = tuple(f.name for f in fields(Optimum))


def instances() -> list[Instance]:
    """Every problem and sensing cost of the suites that come with the project, each once."""
    found: dict[Instance, None] = {}
    for name in suite_names():
        for problem in load_suite(name).problems:
            for k in problem.sensing_costs:
                if isinstance(k, float | int):
                    found.setdefault(Instance(problem.id, float(k)))
    return list(found)


def known(directory: Path) -> dict[tuple[str, str], dict[str, str]]:
    """The lines that are already in the file, by problem and sensing cost."""
    path = directory / FILE
    if not path.is_file():
        return {}
    with open(path, encoding="utf-8", newline="") as file:
        return {(line["problem"], line["sensing_cost"]): line for line in csv.DictReader(file)}


def write(directory: Path, lines: dict[tuple[str, str], dict[str, str]]) -> Path:
    """Write the whole file, in the order of the lines; returns its path."""
    path = directory / FILE
    partial = path.with_suffix(".part")
    with open(partial, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines.values())
    partial.replace(path)
    return path


def find_optimum(
    instance: Instance, results: Path, directory: Path, budget: float
) -> dict[str, str]:
    """The line of one instance; its policy is written into ``directory``."""
    facts = find_problem(instance.problem)
    problem = load_problem(instance.problem, instance.sensing_cost)
    best = solve(problem, SEARCH, budget=budget, warm_start=True)
    searched = best
    lower, bound_by = float(problem.start @ best.lower_bound), SEARCH
    rows = [r for _, r in recorded(results, instance.problem, instance.sensing_cost)]
    exact = {row.value: row for row in rows if row.value is not None and not row.standard_error}
    if exact:
        row = exact[min(exact)]
        if min(exact) < _value(best) - BETTER * (1 + abs(_value(best))):
            best = _better(best, _again(problem, row))
    for row in rows:
        if row.lower is not None and row.lower > lower + BETTER * (1 + abs(lower)):
            lower, bound_by = row.lower, row.solver
    path = directory / POLICIES / instance.file_name
    by, value = _written(path, problem, instance, best)
    if lower > value + CROSSED * (1 + abs(value)):
        raise OptimaError(
            f"{instance.problem}, k = {to_text(instance.sensing_cost)}: the bound {lower:.10g} "
            f"of {bound_by} is above the value {value:.10g} of {by}; one of them is wrong"
        )
    line = Optimum(
        problem=instance.problem,
        sensing_cost=to_text(instance.sensing_cost),
        conventions=facts.conventions,
        states=problem.num_states,
        actions=problem.num_actions,
        shown=f"{facts.shown(value):.{facts.digits + 2}f}",
        value=value,
        by=by,
        lower=lower,
        bound_by=bound_by,
        gap=max(0.0, value - lower) / max(abs(value), 1e-300),
        verified_gap=_verified_gap(problem, searched, path, budget),
        policy=f"{POLICIES}/{path.name}",
    )
    return {name: _text(x) for name, x in asdict(line).items()}


def _verified_gap(problem: SensingMDP, searched: Solution, path: Path, limit: float) -> float | str:
    """The gap between the policy's plans and the search's bound that independent code confirms."""
    plans = load_policy(path, problem).all_plans()
    try:
        verdict = verify_claim(problem, searched.lower_bound, plans, limit)
    except (ValueError, RuntimeError, MemoryError):  # the checker cannot take this problem
        return ""
    if not verdict.ok:
        return ""
    return max(0.0, verdict.upper - verdict.lower) / max(abs(verdict.upper), 1e-300)


def _again(problem: SensingMDP, row: Result) -> Solution:
    """The method of a recorded row once more, with its options and budget."""
    return solve(problem, row.solver, budget=row.budget_seconds, **row.options)


def _better(one: Solution, other: Solution) -> Solution:
    return other if other.value is not None and other.value < _value(one) else one


def _value(found: Solution) -> float:
    """The exact value of a solution with a policy, as the search always gives one."""
    if found.value is None or found.policy is None:
        raise OptimaError(f"{found.solver} gave no policy to write down")
    return found.value


def _written(
    path: Path, problem: SensingMDP, instance: Instance, best: Solution
) -> tuple[str, float]:
    """Write the policy unless the file there holds a better one; who made it, and its value."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_file():
        old = float(problem.start @ evaluate(problem, load_policy(path, problem)))
        if old <= _value(best) + BETTER * (1 + abs(_value(best))):
            return str(about_policy(path).get("solver", "")), old
    assert best.policy is not None  # _value has seen it
    save_policy(
        path,
        best.policy,
        problem=instance.problem,
        sensing_cost=instance.sensing_cost,
        solver=best.solver,
    )
    return best.solver, float(problem.start @ evaluate(problem, load_policy(path, problem)))


def _text(x: str | float | int) -> str:
    return f"{x:.12g}" if isinstance(x, float) and math.isfinite(x) else str(x)
