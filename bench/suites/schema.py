"""The shape of a suite file, as pydantic models, and their mistakes in our words.

What a table may hold stands here; what it means (is there such a problem, does the solver have that
option) is checked in :mod:`bench.suites.suite_check`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic_core import PydanticCustomError

Table = TypeVar("Table", bound=BaseModel)


def whole(value: Any) -> bool:
    """A whole number; true and false are not."""
    return isinstance(value, int) and not isinstance(value, bool)


def number(value: Any) -> bool:
    """A number, and finite; true and false are not."""
    return whole(value) or (isinstance(value, float) and math.isfinite(value))


def texts(value: Any) -> bool:
    """A list of texts."""
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def expected(what: str, holds: Callable[[Any], bool]) -> BeforeValidator:
    """A check that says what was expected and what was found."""

    def check(value: Any) -> Any:
        if not holds(value):
            raise PydanticCustomError(
                "expected", "expected {what}, found {found}", {"what": what, "found": repr(value)}
            )
        return value

    return BeforeValidator(check)


def _lists(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(v, list) and v for v in value.values())


def _some_whole(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(whole(v) for v in value)


def _each_once(value: Any) -> bool:
    return not _some_whole(value) or len(set(value)) == len(value)


def _costs(value: Any) -> bool:
    return isinstance(value, dict) or (isinstance(value, list) and bool(value))


GRID = "{ from = LOW, to = HIGH, count = NUMBER } with 0 < LOW < HIGH and NUMBER > 1"
Seconds = Annotated[float, expected("a number of seconds above 0", lambda v: number(v) and v > 0)]
Count = Annotated[int, expected("a whole number above 0", lambda v: whole(v) and v > 0)]
Text = Annotated[str, expected("a text", lambda v: isinstance(v, str))]
Label = Annotated[str, expected("a text", lambda v: isinstance(v, str) and bool(v.strip()))]
Seeds = Annotated[
    tuple[int, ...],  # checked from the last to the first
    expected("each seed once", _each_once),
    expected("a list of whole numbers", _some_whole),
]
Files = Annotated[list[str], expected("a list of paths of Python files", texts)]


class Strict(BaseModel):
    """A table whose keys are all known."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class TopTable(Strict):
    """What stands at the top of a suite file; its tables are checked one by one."""

    title: Text | None = None
    description: Text = ""
    budget: Seconds = 60.0
    threads: Count = 1
    memory_mb: Count = 4096
    seeds: Seeds = (0,)
    files: Files = []
    problem: Any = None
    solver: Any = None


class ProblemTable(Strict):
    """A ``[[problem]]``."""

    id: Annotated[str, expected("the id of a problem", lambda v: isinstance(v, str))]
    sensing_costs: Annotated[
        Any, expected("a list of sensing costs, as in [0.01, 0.05]", _costs)
    ] = None


class SolverTable(Strict):
    """A ``[[solver]]``."""

    id: Annotated[str, expected("the id of a solver", lambda v: isinstance(v, str))]
    label: Label | None = None
    options: Annotated[dict, expected("a table", lambda v: isinstance(v, dict))] = {}
    each: Annotated[dict, expected("a table of lists of option values", _lists)] = {}
    budget: Seconds | None = None
    only_problems: Annotated[list[str], expected("a list of problem ids", texts)] = ["*"]


class GridTable(Strict):
    """Sensing costs evenly spaced on a logarithmic scale."""

    low: Annotated[float, expected(GRID, number), Field(alias="from")]
    high: Annotated[float, expected(GRID, number), Field(alias="to")]
    count: Annotated[int, expected(GRID, whole)]


def read_table(
    kind: type[Table], table: Any, where: str, wrong: Callable[[str, str], None]
) -> Table | None:
    """A table as its model; None, with every mistake told to ``wrong(key, text)``, if it is not."""
    try:
        return kind.model_validate(table)
    except ValidationError as error:
        for mistake in error.errors():
            key = ".".join([part for part in (where, *map(str, mistake["loc"][:1])) if part])
            wrong(key, _words(kind, mistake))
        return None


def _words(kind: type[BaseModel], mistake: Any) -> str:
    if mistake["type"] == "extra_forbidden":
        names = sorted(f.alias or name for name, f in kind.model_fields.items())
        return f"unknown key; expected one of: {', '.join(names)}"
    if mistake["type"] == "missing":
        return f"expected {WHAT.get((kind, mistake['loc'][0]), 'a value')}, found None"
    return str(mistake["msg"])


WHAT = {
    (ProblemTable, "id"): "the id of a problem",
    (SolverTable, "id"): "the id of a solver",
    **{(GridTable, name): GRID for name in ("from", "to", "count")},
}
"""What was expected where nothing was found."""
