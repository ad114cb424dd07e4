"""The lines of a table that say what other papers report, and what learners earn here."""

from __future__ import annotations

from pathlib import Path

from bench.analysis.learned import learned
from bench.analysis.published import field_facts
from bench.tables.formats import Entry

DIGITS = 3
"""Decimals of a learner's training return, as the sources print theirs."""

LEARNER = "Learner here: "
LEGEND = (
    "Learners' numbers, published and here, are means of what was earned while learning, so chance "
    "may carry one above the optimum; exact values of what was learned: suite learning."
)

Lines = list[tuple[str, list[Entry]]]


def field_lines(results: Path, problem: str, costs: list) -> Lines:
    """Published numbers, then our runs of learners; one line per method with what was counted.

    results : the folder in which suites lie side by side.  Learners stand only below published
    numbers: they are counted as those are, and not as the planners of the table.
    """
    lines: dict[str, dict[float, str]] = {}
    for fact in field_facts(problem):
        beside = f" ±{fact.error}" if fact.error else ""
        name = f"Published: {fact.quantity} ({fact.counted})"
        lines.setdefault(name, {})[float(fact.sensing_cost)] = fact.text + beside
    if lines:
        for one in learned(results, problem):
            name = f"{LEARNER}{one.learner} ({one.counted}, {one.runs} runs)"
            lines.setdefault(name, {})[one.sensing_cost] = f"{one.training_return:.{DIGITS}f}"
    found = [(name, [Entry(of.get(k, "")) for k in costs]) for name, of in lines.items()]
    return [(name, entries) for name, entries in found if any(e.text for e in entries)]
