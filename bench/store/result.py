"""The result of one cell: one schema, and the only place that reads and writes it.

One result per finished cell, that is per (problem, sensing cost, solver, options, seed).  Costs,
not rewards; an empty field means "none"; a failure is a result too, with its reason in words.
``rows.csv`` has a line for each; lines are only ever appended, and of two of one cell the later
counts.  A file of an earlier version lacks columns: they read as empty.
"""

from __future__ import annotations

import csv
import io
import json
import math
import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from bench.store import costs, status
from bench.store.printable import one_line
from solvers.core.solver import OLD_NAMES

SECONDS_DIGITS = 4


class StoreError(ValueError):
    """The results cannot be read or written; the message names the file and what to do."""


def _words(value: Any) -> str:
    return "" if value is None else one_line(str(value))


def _number(value: Any) -> Any:
    """None for an empty field and for what is not a number."""
    if value is None or value == "" or (isinstance(value, float) and math.isnan(value)):
        return None
    return value


def _table(value: Any) -> Any:
    return json.loads(value or "{}") if isinstance(value, str) else dict(value or {})


def _cost(value: Any) -> str:
    return value if isinstance(value, str) else costs.to_text(value)


def _known_name(value: Any) -> str:
    return OLD_NAMES.get(_words(value), _words(value))


def _status(value: Any) -> str:
    if value not in status.STATUSES:
        raise ValueError(f"expected one of {', '.join(status.STATUSES)}")
    return str(value)


Words = Annotated[str, BeforeValidator(_words)]
Number = Annotated[float | None, BeforeValidator(_number)]
Whole = Annotated[int | None, BeforeValidator(_number)]
Table = Annotated[dict[str, Any], BeforeValidator(_table)]
Name = Annotated[str, BeforeValidator(_known_name)]


class Result(BaseModel):
    """One row; the fields, in this order, are the columns of ``rows.csv``."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    key: Words
    suite: Words = ""
    problem: str
    sensing_cost: Annotated[str, BeforeValidator(_cost)]
    solver: Name
    label: Name = ""
    options: Table = {}
    seed: int = 0
    status: Annotated[str, BeforeValidator(_status)]
    reason: Words = ""
    value: Number = None
    standard_error: Number = None
    lower: Number = None
    upper: Number = None
    verified: Words = ""
    solver_status: Words = ""
    sensing_rate: Number = None
    iterations: Whole = None
    start_seconds: Number = None
    compile_seconds: Number = None
    export_seconds: Number = None
    solve_seconds: Number = None
    evaluate_seconds: Number = None
    verify_seconds: Number = None
    wall_seconds: Number = None
    peak_memory_mb: Number = None
    budget_seconds: Number = None
    threads: Whole = None
    start_belief: Words = ""
    note: Words = ""
    versions: Table = {}
    code: Words = ""
    model: Words = ""
    clone: Words = ""
    finished: Words = ""

    @property
    def identity(self) -> tuple[str, ...]:
        """What the cell is, whatever code and budget it ran with."""
        return identity_of(self.problem, self.sensing_cost, self.solver, self.options, self.seed)

    @property
    def ok(self) -> bool:
        return self.status == status.OK

    @property
    def failure(self) -> str:
        """Why there is no value, in words; empty where there is one."""
        return "" if self.ok else self.reason or self.status

    def line(self) -> str:
        """The row as one physical line of CSV, newline included."""
        buffer = io.StringIO()
        fields = [_text(column, getattr(self, column)) for column in COLUMNS]
        csv.writer(buffer, lineterminator="\n").writerow(fields)
        return buffer.getvalue()


COLUMNS = tuple(Result.model_fields)
REQUIRED = ("key", "problem", "sensing_cost", "solver", "options", "seed", "status")
TIMES = tuple(c for c in COLUMNS if c.endswith("_seconds") and c != "budget_seconds")
HEADER = ",".join(COLUMNS) + "\n"
"""The first line of ``rows.csv``."""


def identity_of(
    problem: str, sensing_cost: str, solver: str, options: Mapping[str, Any], seed: int
) -> tuple[str, ...]:
    """What a cell is, as a row states it: all text."""
    return (problem, sensing_cost, solver, options_text(options), str(seed))


def options_text(options: Mapping[str, Any]) -> str:
    """Options as they stand in a row: JSON with sorted names."""
    return json.dumps(dict(options), sort_keys=True)


def columns_of(text: str, path: Path | str = "rows.csv") -> list[str]:
    """The columns that the first line of a file names, checked; none if it is not whole."""
    end = text.find("\n")
    if end < 0:
        return []
    found = next(csv.reader([text[:end]]), [])
    lacking = [column for column in REQUIRED if column not in found]
    strange = [column for column in found if column not in COLUMNS]
    if lacking or strange:
        wrong = f"lacks {', '.join(lacking)}" if lacking else f"has {', '.join(strange[:3])}"
        raise StoreError(
            f"{path}: its first line {one_line(wrong)}, so it has the columns of another version "
            "or is damaged; move the file away, or put its first line right, and run again"
        )
    return found


def parse(text: str, path: Path | str = "rows.csv") -> list[Result]:
    """Results in the text of ``rows.csv``; a torn last line is left out, a damaged one told of."""
    columns = columns_of(text, path)
    whole = text[: text.rfind("\n") + 1]
    return parse_lines(whole[whole.find("\n") + 1 :], columns, path)


def parse_lines(text: str, columns: list[str], path: Path | str) -> list[Result]:
    """Results in whole lines of a file with these columns."""
    found = []
    for number, fields in enumerate(csv.reader(io.StringIO(text)), 2):
        try:
            found.append(Result.model_validate(dict(zip(columns, fields, strict=True))))
        except (ValueError, ValidationError) as error:
            why = (
                error.errors()[0]["loc"][0] if isinstance(error, ValidationError) else "its length"
            )
            warnings.warn(
                f"{path}: row {number} is damaged ({why}) and left out; run its suite again",
                stacklevel=2,
            )
    return found


def latest(results: Iterable[Result]) -> list[Result]:
    """The last result of each cell, in the order in which the cells first appear."""
    last: dict[tuple[str, ...], Result] = {}
    for result in results:
        last[result.identity] = result
    return list(last.values())


def _text(column: str, value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, Mapping):
        return options_text(value)
    if column in TIMES:
        return f"{value:.{SECONDS_DIGITS}f}"
    return repr(value) if isinstance(value, float) else str(value)  # a float reads back bit for bit
