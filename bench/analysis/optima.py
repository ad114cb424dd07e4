"""The atlas of optima: what is known of every problem and sensing cost of all suites.

One line per instance in ``optima.csv``: the best value and the policy file that attains it, the
best proven bound, the gap between them, and who found either.  Values are costs under the start; a
value counts only if the policy behind it was written to a file, read back and evaluated exactly, so
everyone can check it with ``sensebench score FILE``.  Policies and bounds are the best of those
that the suites recorded and of the line that is there already.  A search is made only where these
hold nothing, or where the line is asked for again and is still open: its gap is not closed, or
not confirmed by the checker of proofs.  Instances are done one after the other and written as they
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
CLOSED = 1e-6
"""A gap of this share, which is what the search aims for, or less needs no further search."""
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


@dataclass(frozen=True)
class Bound:
    """A lower bound on the cost, who proved it, and the bound that the checker confirmed."""

    lower: float = -math.inf
    by: str = ""
    verified: float = -math.inf

    def or_better(self, other: Bound) -> Bound:
        """The higher of both, each kind by itself."""
        higher = max(self, other, key=lambda bound: bound.lower)
        return Bound(higher.lower, higher.by, max(self.verified, other.verified))

    def leaves_open(self, value: float) -> bool:
        """Whether a search could still improve a line with this value, or have it confirmed."""
        return max(_share(value, self.lower), _share(value, self.verified)) > CLOSED


def find_optimum(
    instance: Instance,
    results: Path,
    directory: Path,
    budget: float,
    line: dict[str, str] | None = None,
) -> dict[str, str]:
    """The line of one instance; its policy is written into ``directory``.

    line : the one to improve, if there is one.  Without it a search is made only if the suites
    recorded no bound or no policy; with it also if what is known leaves the line open.
    budget : seconds of a search
    """
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
    bound = _bound_of_line(line, path, problem)
    for x in known:
        bound = bound.or_better(
            Bound(
                -math.inf if x.row.lower is None else x.row.lower,
                x.row.solver,
                -math.inf if x.verified is None else x.verified,
            )
        )
    missing = not path.is_file() or not math.isfinite(bound.lower)
    if missing or (line is not None and bound.leaves_open(_value_of(path, problem))):
        found = solve(problem, SEARCH, budget=budget, warm_start=True)
        _keep(path, problem, found.policy, instance, SEARCH)
        lower = -math.inf if found.lower is None else found.lower
        bound = bound.or_better(Bound(lower, SEARCH, _verified_here(problem, found)))
    return _line(instance, problem, path, bound)


def _bound_of_line(line: dict[str, str] | None, path: Path, problem: SensingMDP) -> Bound:
    """What an earlier line proved, if the policy beside it is one of this very model."""
    if line is None:
        return Bound()
    try:
        load_policy(path, problem)
    except PolicyError:
        return Bound()
    value, gap = float(line["value"]), line["verified_gap"]
    verified = value - float(gap) * abs(value) if gap else -math.inf
    return Bound(float(line["lower"]), line["bound_by"], verified)


def _line(instance: Instance, problem: SensingMDP, path: Path, bound: Bound) -> dict[str, str]:
    facts, value = find_problem(instance.problem), _value_of(path, problem)
    if bound.lower > value + CROSSED * (1 + abs(value)):
        raise OptimaError(
            f"{instance.problem}, k = {to_text(instance.sensing_cost)}: the bound "
            f"{bound.lower:.10g} of {bound.by} is above the value {value:.10g} of {path.name}; one "
            "of them is wrong"
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
        lower=bound.lower,
        bound_by=bound.by,
        gap=_rounded(_share(value, bound.lower)),
        verified_gap=_rounded(_share(value, bound.verified))
        if math.isfinite(bound.verified)
        else "",
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


def _verified_here(problem: SensingMDP, found: Solution) -> float:
    """The lower bound of a search that independent code confirms; -inf if it does not in time."""
    try:
        verdict = verify_claim(problem, found.lower_bound, plans_of(problem, found))
    except (ValueError, RuntimeError, MemoryError):  # the checker cannot take this problem
        return -math.inf
    return verdict.lower if verdict.ok else -math.inf


def _share(value: float, lower: float) -> float:
    return max(0.0, value - lower) / max(abs(value), 1e-300)


def _rounded(gap: float) -> float:
    """The gap to four digits: value and bound are written with twelve digits, so further digits of
    their difference would mean nothing."""
    return float(f"{gap:.4g}")


def _text(x: str | float | int) -> str:
    return f"{x:.12g}" if isinstance(x, float) and math.isfinite(x) else str(x)
