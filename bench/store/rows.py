"""The result row: its columns, its status words, and how it becomes a line of ``rows.csv``.

One row per finished cell, that is per (problem, sensing cost, solver, options, seed).  Costs, not
rewards; an empty field means "none"; a failure is a row too, with its reason in words.  Rows are
only ever appended: of two rows of one cell the later counts.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable, Mapping
from typing import Any

from solvers.core.solver import OLD_NAMES

OK = "ok"
"""The solver returned a valid result."""
TIMEOUT = "timeout"
"""Still busy when the hard limit on wall-clock time was reached."""
MEMORY = "memory"
"""It asked for more memory than the limit."""
CRASHED = "crashed"
"""Its process died."""
FAILED = "failed"
"""It raised an error."""
INVALID = "invalid"
"""It returned something that is not a result: not a number, or not a policy."""
SKIPPED = "skipped"
"""It cannot run here, or cannot take this problem, and said why."""
STATUSES = (OK, TIMEOUT, MEMORY, CRASHED, FAILED, INVALID, SKIPPED)

UNAVAILABLE = "not available here"
"""Note of a skipped row whose solver cannot run on this machine (another machine may)."""
OWN_COST = "own"
"""Sensing cost of a problem file that keeps its own, which varies."""

COLUMNS = (
    "key",
    "suite",
    "problem",
    "sensing_cost",
    "solver",
    "label",
    "options",
    "seed",
    "status",
    "reason",
    "value",
    "standard_error",
    "lower",
    "upper",
    "solver_status",
    "sensing_rate",
    "iterations",
    "start_seconds",
    "compile_seconds",
    "export_seconds",
    "solve_seconds",
    "evaluate_seconds",
    "wall_seconds",
    "peak_memory_mb",
    "budget_seconds",
    "threads",
    "start_belief",
    "note",
    "versions",
    "code",
    "clone",
    "finished",
)
IDENTITY = ("problem", "sensing_cost", "solver", "options", "seed")
"""What a cell is, whatever code and budget it ran with."""
TIMES = tuple(c for c in COLUMNS if c.endswith("_seconds") and c != "budget_seconds")
SECONDS_DIGITS = 4


def cost_text(sensing_cost: float | list) -> str:
    """A sensing cost as it stands in a row: ``0.01``, or JSON if it is not uniform.

    Not a number stands for a problem file's own sensing cost: ``own``.
    """
    if isinstance(sensing_cost, list | tuple):
        return json.dumps(sensing_cost)
    if math.isnan(sensing_cost):
        return OWN_COST
    return f"{float(sensing_cost):.12g}"


def options_text(options: Mapping[str, Any]) -> str:
    """Options as they stand in a row: JSON with sorted names."""
    return json.dumps(dict(options), sort_keys=True)


def to_line(row: Mapping[str, Any]) -> str:
    """The row as one physical line of CSV, newline included."""
    unknown = set(row) - set(COLUMNS)
    if unknown:
        raise KeyError(f"not columns of a row: {', '.join(sorted(unknown))}")
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerow([_text(c, row.get(c)) for c in COLUMNS])
    return buffer.getvalue()


def header() -> str:
    """The first line of ``rows.csv``."""
    return ",".join(COLUMNS) + "\n"


def parse(text: str) -> list[dict[str, str]]:
    """Rows of the text of ``rows.csv``, fields as text; a torn line is left out."""
    whole = text[: text.rfind("\n") + 1]
    return [
        row | {c: OLD_NAMES[row[c]] for c in ("solver", "label") if row.get(c) in OLD_NAMES}
        for row in csv.DictReader(io.StringIO(whole))
        if None not in row and None not in row.values() and row.get("status") in STATUSES
    ]


def latest(rows: Iterable[Mapping[str, str]]) -> list[Mapping[str, str]]:
    """The last row of each cell, in the order in which the cells first appear."""
    last: dict[tuple, Mapping[str, str]] = {}
    for row in rows:
        last[tuple(row[c] for c in IDENTITY)] = row
    return list(last.values())


def _text(column: str, value: Any) -> str:
    if column == "sensing_cost":
        return value if isinstance(value, str) else cost_text(value)
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, Mapping):
        return options_text(value)
    if column in TIMES:
        return f"{value:.{SECONDS_DIGITS}f}"
    if isinstance(value, float):
        return repr(value)  # the shortest text that reads back bit for bit
    return " ".join(str(value).split())  # one physical line
