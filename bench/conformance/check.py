"""Does a solver file conform?  A set of checks, each with its reason when it fails.

The solver runs as it would in a suite, in a process of its own under hard limits, on four small
problems: two states; a corridor with a terminal state; three states where looking costs more at
some places than at others; and a lake of 64 cells, large enough to feel the clock.  What it claims
is held against what is known of the optimum there: a proven lower bound, and the exact value of a
good policy.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from dataclasses import MISSING, dataclass, fields, is_dataclass
from pathlib import Path

import numpy as np

from bench.conformance.cases import Case, cases
from bench.run.outcome import Outcome
from bench.run.supervise import OVERRUN, run_limited
from bench.store import status
from bench.suites.cell import Cell
from solvers import Solver, SolverError, load_solver_file, solver_classes

BUDGET = 2.0
SLACK = 0.5
"""Seconds past the budget, and its usual overrun, that a last step may take."""
MEMORY_MB = 4096
NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
TOLERANCE = 1e-6
LOG_LINES = 4
SIMULATED = 6.0
"""Standard errors by which a simulated value may seem better than the optimum."""


@dataclass(frozen=True)
class Finding:
    """One check: what it is about, and why it failed (None if it passed)."""

    what: str
    wrong: str | None = None


def check_solver_file(path: Path) -> int:
    """Check a file and print what passes and what fails; 0 if it conforms, else 1."""
    print(f"checking {path}")
    findings = []
    for finding in examine(path):
        findings.append(finding)
        mark = "ok  " if finding.wrong is None else "FAIL"
        print(f"  {mark}  {finding.what}{'' if finding.wrong is None else ': ' + finding.wrong}")
    failed = sum(finding.wrong is not None for finding in findings)
    print(
        "it conforms" if not failed else f"it does not conform: {failed} of {len(findings)} failed"
    )
    return 1 if failed else 0


def examine(path: Path) -> Iterator[Finding]:
    """Check one thing after the other; what cannot be checked any more is left out."""
    try:
        found = [solver_classes()[f"julia:{path}"]] if _is_julia(path) else load_solver_file(path)
    except SolverError as error:
        yield Finding("the file can be loaded", str(error))
        return
    yield Finding("the file can be loaded")
    names = ", ".join(str(cls.name) for cls in found)
    yield Finding("it has one solver", None if len(found) == 1 else f"it has several: {names}")
    for cls in found:
        findings = list(_form(cls))
        yield from findings
        if all(finding.wrong is None for finding in findings):
            yield from _behaviour(cls, path)


def _form(cls: type[Solver]) -> Iterator[Finding]:
    """Name and options."""
    right = isinstance(cls.name, str) and (NAME.fullmatch(cls.name) or cls.name[:6] == "julia:")
    wrong = None if right else f"{cls.name!r}; expected small letters, digits and single hyphens"
    yield Finding(f"its name, {cls.name}, is well-formed", wrong)
    wrong = None
    if vars(cls).get("__annotations__") and not is_dataclass(cls):
        wrong = "options are annotated, but the class lacks @dataclass"
    elif is_dataclass(cls):
        none = (MISSING, MISSING)
        bare = [f.name for f in fields(cls) if (f.default, f.default_factory) == none]
        wrong = f"no default for: {', '.join(bare)}" if bare else None
    yield Finding("its options have defaults", wrong)


def _behaviour(cls: type[Solver], path: Path) -> Iterator[Finding]:
    """What it does on the small problems."""
    unavailable = cls().available()
    if unavailable:
        yield Finding("it can run here", unavailable)
        return
    refused = []
    with tempfile.TemporaryDirectory(prefix="sensebench-check-") as folder:
        tried = cases(Path(folder))
        for case in tried:
            outcome = _run(cls, path, case)
            row, details = outcome.row, outcome.details
            if row["status"] == status.SKIPPED:
                refused.append(case.name)
                reason = row["reason"].removeprefix("skipped: ")
                yield Finding(f"on {case.name} it refuses with a reason ({reason})")
                continue
            what = f"on {case.name} it gives a valid result"
            yield Finding(what, None if row["status"] == status.OK else _told(outcome))
            if row["status"] != status.OK:
                continue
            yield Finding(f"on {case.name} its claims hold", _false_claim(case, row, details))
            yield Finding(f"on {case.name} it keeps a budget of {BUDGET:g} s", _overrun(row))
            again = _run(cls, path, case)
            yield Finding(f"on {case.name} it does the same twice", _difference(outcome, again))
    if len(refused) == len(tried):
        yield Finding("it takes at least one problem", "it refused them all")


def _run(cls: type[Solver], path: Path, case: Case) -> Outcome:
    cell = Cell(
        suite="check",
        problem=case.problem,
        sensing_cost=case.sensing_cost,
        solver=cls.name,
        options={},
        label=cls.name,
        seed=0,
        budget=BUDGET,
        threads=1,
        memory_mb=MEMORY_MB,
        files=() if _is_julia(path) else (str(path.resolve()),),
    )
    return run_limited(cell.as_json())


def _is_julia(path: Path) -> bool:
    return path.suffix == ".jl"


def _told(outcome: Outcome) -> str:
    last = [line for line in outcome.log.splitlines() if line.strip()][-LOG_LINES:]
    trace = "".join(f"\n        {line}" for line in last) if "Traceback" in outcome.log else ""
    return " ".join(outcome.row["reason"].split()) + trace


def _overrun(row: dict) -> str | None:
    taken, most = row["solve_seconds"], BUDGET * OVERRUN + SLACK
    return None if taken <= most else f"it took {taken:.1f} s"


def _false_claim(case: Case, row: dict, details: dict) -> str | None:
    """The first claim that cannot be true of this problem, in words."""
    slack = TOLERANCE * (1 + np.abs(case.lower))
    error = row.get("standard_error")
    if row.get("value") is not None:
        room = TOLERANCE + (SIMULATED * error if error is not None else 0.0)
        best = float(case.start @ case.lower)
        if row["value"] < best - room:
            return f"its value is {row['value']:.8g}; no policy has less than {best:.8g}"
    claims = {n: _array(details[n]) for n in ("lower_bound", "upper_bound")}
    for name, wrong, limit in (
        ("lower_bound", lambda x: x > case.upper + slack, case.upper),
        ("upper_bound", lambda x: x < case.lower - slack, case.lower),
    ):
        claim = claims[name]
        if claim is not None and (bad := np.flatnonzero(wrong(claim))).size:
            s = bad[0]
            known = "a policy has" if name == "lower_bound" else "no policy has less than"
            return f"{name} at state {s} is {claim[s]:.8g}, but {known} {limit[s]:.8g}"
    return None


def _array(numbers: list | None) -> np.ndarray | None:
    return None if numbers is None else np.array([np.nan if x is None else x for x in numbers])


def _difference(one: Outcome, other: Outcome) -> str | None:
    if other.row["status"] != status.OK:
        return f"the second time: {other['row']['reason']}"
    if one.row.get("solver_status") == "budget":  # cut short at another place each time
        return None
    for name in ("value", "lower", "upper"):
        first, second = one.row.get(name), other.row.get(name)
        if first != second:
            return f"{name} is {first!r}, then {second!r}; use a seed option for chance"
    return None if one.details["plans"] == other.details["plans"] else "its plans differ"
