"""A run held against the reference results: does it reproduce them?

Cells are matched by what they are: problem, sensing cost, solver, options, seed.  Two exact values
agree when they are the same in the digits that tables print; a simulated one agrees within SURE
standard errors of both.  The digits that two values share beyond that are counted apart:

    digits = -log10(|mine - reference| / |reference|)

A method that was stopped by its budget depends on the machine's speed, so a difference there
speaks of the machine.  A difference between two runs that both came to their own end does not:
only that makes the verdict "not reproduced".  Times are ratios, mine by the reference.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any

import pandas as pd

from bench.analysis.frame import AS_PUBLISHED, BETTER, SURE, WORSE, problem_facts
from bench.analysis.labels import cost_title, number, seconds
from bench.store.result import identity_of
from bench.store.status import SKIPPED

REPRODUCED, IN_PART, NOT_REPRODUCED = "reproduced", "reproduced in part", "not reproduced"
WHOLE = 15
"""Digits of a double; values that share so many are the same."""
DIGIT_STEPS = (WHOLE, 9, 6, 3, 0)
LEAST_SECONDS = 0.01
"""Shorter times are noise and make no ratio."""
MOST_LINES = 12


@dataclass(frozen=True)
class Difference:
    """A cell whose value is not the reference's; ``why`` says what may have caused it."""

    cell: str
    mine: str
    reference: str
    better: bool
    why: str


@dataclass(frozen=True)
class Comparison:
    """What :func:`compare` found.

    agree : values that agree, of ``compared`` that both have; identical_digits : how many values
    share at least so many digits (see DIGIT_STEPS), the most first; published and
    reference_published : how many values are as the paper printed, better, worse; time_ratio :
    median of mine by the reference, with the tenth and ninetieth percentile; skipped and failed :
    cells without a value here that have one in the reference, by reason
    """

    suite: str
    verdict: str
    cells: int
    compared: int
    agree: int
    identical_digits: dict[str, int]
    differences: list[Difference]
    published: dict[str, int]
    reference_published: dict[str, int]
    time_ratio: tuple[float, float, float] | None
    slowest: list[tuple[str, float]]
    skipped: dict[str, int] = field(default_factory=dict)
    failed: dict[str, int] = field(default_factory=dict)
    not_run: int = 0
    new: int = 0

    def as_json(self) -> dict[str, Any]:
        """The same as plain values."""
        return asdict(self)


def compare(suite: str, mine: pd.DataFrame, reference: pd.DataFrame) -> Comparison:
    """Hold the frame of a run against that of the reference (:func:`bench.analysis.frame.tidy`)."""
    pairs = _pairs(mine, reference)
    valued = [(m, r) for m, r in pairs if m is not None and _has_value(m) and _has_value(r)]
    differences = [d for m, r in valued if (d := _difference(m, r)) is not None]
    without = [m for m, r in pairs if m is not None and r["failure"] == "" and m["failure"] != ""]
    counts = Counter(_digit_step(m, r) for m, r in valued)
    not_run = sum(m is None for m, _ in pairs)
    skipped = Counter(m["failure"] for m in without if m["status"] == SKIPPED)
    failed = Counter(m["failure"] for m in without if m["status"] != SKIPPED)
    if any(not d.why for d in differences):
        verdict = NOT_REPRODUCED
    elif not_run or skipped or failed or differences:
        verdict = IN_PART
    else:
        verdict = REPRODUCED
    ratios, slowest = _times(pairs)
    return Comparison(
        suite=suite,
        verdict=verdict,
        cells=len(pairs),
        compared=len(valued),
        agree=len(valued) - len(differences),
        identical_digits={f"{d}+": counts[d] for d in DIGIT_STEPS if counts[d]},
        differences=differences,
        published=_published(mine),
        reference_published=_published(reference),
        time_ratio=ratios,
        slowest=slowest,
        skipped=dict(skipped),
        failed=dict(failed),
        not_run=not_run,
        new=len(mine) - (len(pairs) - not_run),
    )


def _identity(row: dict[str, Any]) -> tuple:
    names = ("problem", "sensing_cost", "solver", "options", "seed")
    return identity_of(*(row[name] for name in names))


def _pairs(mine: pd.DataFrame, reference: pd.DataFrame) -> list[tuple[dict | None, dict]]:
    """Each cell of the reference with the same cell of mine, None where it was not run."""
    found = {_identity(row): row for row in _records(mine)}
    return [(found.get(_identity(row)), row) for row in _records(reference)]


def _records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    return [{str(name): x for name, x in row.items()} for row in frame.to_dict("records")]


def _has_value(row: dict[str, Any]) -> bool:
    return row["failure"] == "" and not (pd.isna(row["value"]) and pd.isna(row["lower"]))


def _number(row: dict[str, Any]) -> float:
    """What a row is compared by: its value, or the bound of a method that proves nothing else."""
    return float(row["lower"] if pd.isna(row["value"]) else row["value"])


def _difference(mine: dict[str, Any], reference: dict[str, Any]) -> Difference | None:
    """The difference of two values, None where they agree."""
    a, b = _number(mine), _number(reference)
    unit = _printed_unit(reference)
    errors = [row["standard_error"] for row in (mine, reference)]
    simulated = any(pd.notna(e) for e in errors)
    spread = math.hypot(*(0.0 if pd.isna(e) else e for e in errors))
    if abs(a - b) <= (SURE * spread if simulated else 0.0) + 0.5 * unit:
        return None
    cut = [row["solver_status"] == "budget" for row in (mine, reference)]
    why = "stopped by its budget" if any(cut) else "simulated" if simulated else ""
    bound = pd.isna(mine["value"])
    return Difference(
        cell=_title(reference),
        mine=_text(reference, a),
        reference=_text(reference, b),
        better=a > b if bound else a < b,
        why=why,
    )


def _title(row: dict[str, Any]) -> str:
    return f"{row['method']} / {row['problem']}, k = {cost_title(row['k'])}"


def _printed_unit(row: dict[str, Any]) -> float:
    """One unit of the last digit tables print, as a cost."""
    facts = problem_facts(row["problem"])
    return 10.0**-facts.digits / abs(facts.scale)


def _text(row: dict[str, Any], cost: float) -> str:
    facts = problem_facts(row["problem"])
    return number(facts.shown(cost), facts.digits + 2)


def _digit_step(mine: dict[str, Any], reference: dict[str, Any]) -> int:
    digits = shared_digits(_number(mine), _number(reference))
    return next(step for step in DIGIT_STEPS if digits >= step)


def shared_digits(a: float, b: float) -> int:
    """How many significant digits two numbers share; WHOLE where they are the same."""
    if a == b:
        return WHOLE
    share = abs(a - b) / max(abs(a), abs(b))
    return max(0, min(WHOLE, math.floor(-math.log10(share))))


def _published(frame: pd.DataFrame) -> dict[str, int]:
    counts = frame["flag"].value_counts()
    return {word: int(counts.get(word, 0)) for word in (AS_PUBLISHED, BETTER, WORSE)}


def _times(pairs: list) -> tuple[tuple[float, float, float] | None, list[tuple[str, float]]]:
    """Quantiles of mine by the reference over cells, and the methods with the greatest medians."""
    lines = [
        (r["method"], m["solve_seconds"] / r["solve_seconds"])
        for m, r in pairs
        if m is not None
        and m["failure"] == r["failure"] == ""
        and min(m["solve_seconds"], r["solve_seconds"]) >= LEAST_SECONDS
        and "budget" not in (m["solver_status"], r["solver_status"])
    ]
    if not lines:
        return None, []
    table = pd.DataFrame(lines, columns=["method", "ratio"])
    low, middle, high = (float(table["ratio"].quantile(q)) for q in (0.1, 0.5, 0.9))
    medians = table.groupby("method")["ratio"].median().sort_values(ascending=False)
    return (middle, low, high), [(str(m), float(x)) for m, x in medians.head(3).items()]


def describe(found: Comparison) -> str:
    """The comparison in words, the verdict last."""
    lines = [f"{found.suite}: {found.cells} cells in the reference, {found.new} new here"]
    lines.append(
        f"values: {found.agree} of {found.compared} agree with the reference in all printed digits"
    )
    steps = ", ".join(
        f"{n} {'the same number' if d == f'{WHOLE}+' else d.replace('+', ' digits or more')}"
        for d, n in found.identical_digits.items()
    )
    lines += [f"  shared digits: {steps}"] if steps else []
    for d in found.differences[:MOST_LINES]:
        way = "better" if d.better else "worse"
        why = f" ({d.why})" if d.why else ""
        lines.append(f"  {d.cell}: {d.mine}, reference {d.reference}, {way}{why}")
    if len(found.differences) > MOST_LINES:
        lines.append(f"  and {len(found.differences) - MOST_LINES} more")
    lines += _published_lines(found)
    lines += _time_lines(found)
    for word, reasons in (("skipped", found.skipped), ("failed", found.failed)):
        for reason, n in reasons.items():
            lines.append(f"{word}: {n} {'cell' if n == 1 else 'cells'}: {reason}")
    if found.not_run:
        lines.append(f"not run: {found.not_run} of the reference's cells")
    return "\n".join([*lines, verdict_line(found)])


def verdict_line(found: Comparison) -> str:
    """One line: reproduced or not, and the counts it rests on."""
    missing = found.not_run + sum(found.skipped.values()) + sum(found.failed.values())
    words = f"{found.agree} of {found.compared} values agree"
    if missing:
        words += f", {missing} of {found.cells} cells have no value here"
    return f"verdict: {found.suite} is {found.verdict}: {words}"


def _published_lines(found: Comparison) -> list[str]:
    total = sum(found.published.values())
    if not total:
        return []
    ours = ", ".join(f"{n} {word}" for word, n in found.published.items())
    theirs = ", ".join(f"{n} {word}" for word, n in found.reference_published.items())
    return [f"published values: {ours} (reference: {theirs})"]


def _time_lines(found: Comparison) -> list[str]:
    if found.time_ratio is None:
        return []
    middle, low, high = found.time_ratio
    slow = ", ".join(f"{method} {seconds(ratio)}" for method, ratio in found.slowest)
    return [
        f"planning times, mine by the reference: {seconds(middle)} in the middle, "
        f"{seconds(low)} to {seconds(high)} for four cells in five; slowest: {slow}"
    ]
