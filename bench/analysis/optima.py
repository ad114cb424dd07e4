"""The atlas of optima: what is known of every problem and sensing cost of all suites.

One line per instance in ``optima.csv``: the best value and the policy file that attains it, the
best proven bound, the gap between them, and who found either.  Values are costs under the start; a
value counts only if the policy behind it was written to a file, read back and evaluated exactly, so
everyone can check it with ``sensebench score FILE``.  Policies and bounds are the best of those
that the suites recorded; where there is none, one is made here.  The gap that the checker of proofs
confirmed is given as well, if it did so in time.  Instances are done one after the other and
written as they come: a run that is interrupted goes on where it stopped.
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
from bench.store.files import written_beside
from bench.store.result import Result
from bench.store.store import Store
from bench.suites.suite import load_suite, suite_names
from solvers import (
    Policy,
    PolicyError,
    SensingMDP,
    Solution,
    evaluate,
    load_policy,
    save_policy,
    solve,
    verify_claim,
)
from solvers.bounds.proof import plans_of
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


def known_lines(directory: Path) -> dict[tuple[str, str], dict[str, str]]:
    """The lines that are already in the file, by problem and sensing cost."""
    path = directory / FILE
    if not path.is_file():
        return {}
    with open(path, encoding="utf-8", newline="") as file:
        return {(line["problem"], line["sensing_cost"]): line for line in csv.DictReader(file)}


def write(directory: Path, lines: dict[tuple[str, str], dict[str, str]]) -> Path:
    """Write the whole file, in the order of the lines; returns its path."""
    path = directory / FILE
    with written_beside(path) as beside, open(beside, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines.values())
    return path


@dataclass(frozen=True)
class Known:
    """A recorded row; ``policy`` is the file of its policy, if that was kept.

    verified : the lower bound of the row that the checker of proofs confirmed, if any
    """

    row: Result
    policy: Path | None
    verified: float | None

    @classmethod
    def of(cls, folder: Path, row: Result) -> Known:
        store = Store(folder.parent, folder.name)
        policy = store.policy_path(row.key)
        verification = (store.read_details(row.key) or {}).get("verification") or {}
        return cls(row, policy if policy.is_file() else None, verification.get("lower"))


def find_optimum(
    instance: Instance, results: Path, directory: Path, budget: float
) -> dict[str, str]:
    """The line of one instance; its policy is written into ``directory``.

    What the suites recorded is taken as it is.  Only where they hold no bound or no policy is one
    searched here, for ``budget`` seconds and as many again to verify it.
    """
    facts = find_problem(instance.problem)
    problem = load_problem(instance.problem, instance.sensing_cost)
    rows = recorded(results, instance.problem, instance.sensing_cost)
    known = [Known.of(folder, row) for folder, row in rows]
    path = directory / POLICIES / instance.file_name
    path.parent.mkdir(parents=True, exist_ok=True)
    kept = [
        (x.row.value, x.policy, x.row.solver) for x in known if x.policy and x.row.value is not None
    ]
    if kept:
        _, file, solver = min(kept)
        _keep(path, problem, load_policy(file, problem), instance, solver)
    lower, bound_by = max(
        ((x.row.lower, x.row.solver) for x in known if x.row.lower is not None),
        default=(-math.inf, ""),
    )
    verified = max((x.verified for x in known if x.verified is not None), default=-math.inf)
    if not path.is_file() or not math.isfinite(lower):
        found = solve(problem, SEARCH, budget=budget, warm_start=True)
        _keep(path, problem, found.policy, instance, SEARCH)
        if found.lower is not None and found.lower > lower:
            lower, bound_by = found.lower, SEARCH
        verified = max(verified, _verified_here(problem, found, budget))
    value = _value_of(path, problem)
    if lower > value + CROSSED * (1 + abs(value)):
        raise OptimaError(
            f"{instance.problem}, k = {to_text(instance.sensing_cost)}: the bound {lower:.10g} of "
            f"{bound_by} is above the value {value:.10g} of {path.name}; one of them is wrong"
        )
    line = Optimum(
        problem=instance.problem,
        sensing_cost=to_text(instance.sensing_cost),
        conventions=facts.conventions,
        states=problem.num_states,
        actions=problem.num_actions,
        shown=f"{facts.shown(value):.{facts.digits + 2}f}",
        value=value,
        by=str(about_policy(path).get("solver", "")),
        lower=lower,
        bound_by=bound_by,
        gap=_share(value, lower),
        verified_gap=_share(value, verified) if math.isfinite(verified) else "",
        policy=f"{POLICIES}/{path.name}",
    )
    return {name: _text(x) for name, x in asdict(line).items()}


def _keep(
    path: Path, problem: SensingMDP, policy: Policy | None, instance: Instance, solver: str
) -> None:
    """Write a policy unless the file there holds one of this model that is as good."""
    if policy is None:
        raise OptimaError(f"{solver} gave no policy to write down")
    value = float(problem.start @ evaluate(problem, policy))
    try:
        if _value_of(path, problem) <= value + BETTER * (1 + abs(value)):
            return
    except PolicyError:  # none there yet, or one of an earlier form of the problem
        pass
    about = {"problem": instance.problem, "sensing_cost": instance.sensing_cost, "solver": solver}
    save_policy(path, policy, **about)


def _value_of(path: Path, problem: SensingMDP) -> float:
    """What a policy file is worth under the start, exactly."""
    return float(problem.start @ evaluate(problem, load_policy(path, problem)))


def _verified_here(problem: SensingMDP, found: Solution, limit: float) -> float:
    """The lower bound of a search that independent code confirms; -inf if it does not in time."""
    try:
        verdict = verify_claim(problem, found.lower_bound, plans_of(problem, found), limit)
    except (ValueError, RuntimeError, MemoryError):  # the checker cannot take this problem
        return -math.inf
    return verdict.lower if verdict.ok else -math.inf


def _share(value: float, lower: float) -> float:
    return max(0.0, value - lower) / max(abs(value), 1e-300)


def _text(x: str | float | int) -> str:
    return f"{x:.12g}" if isinstance(x, float) and math.isfinite(x) else str(x)
