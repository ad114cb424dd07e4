"""How a problem is counted: discount, number of steps, and whether the end is noticed.

Papers of the field share environments but not these three.  They are data here: a problem has its
own, and ``ID@NAME=VALUE,…`` is the same problem under others, in a suite, on the command line and
in ``load_problem``::

    snake-maze@horizon=300                       the same maze, cut later
    frozen-lake-4x4@horizon=50,discount=1        the paper's lake, 50 steps, without discount
    taxi@end_is_seen                             the taxi that notices when it has arrived
    inventory@capacity=20,mean=8                 another member of a family (its own parameters)

``horizon`` and ``discount`` may be ``none``: no limit of steps, the problem's plain discount.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import lru_cache, partial
from typing import Any

import numpy as np

from bench.problems.problem import Grid, Problem
from solvers.core.model import SensingMDP
from solvers.core.sensing_cost import SensingCost
from solvers.core.validation import ModelError

KEPT_MODELS = 4
"""Models kept between calls; the largest take some hundred megabytes."""


@dataclass(frozen=True)
class Conventions:
    """None leaves a thing as the plain model has it.

    discount : in (0, 1]; horizon : steps of an episode; end_is_seen : the end is noticed for free
    """

    discount: float | None = None
    horizon: int | None = None
    end_is_seen: bool | None = None

    def apply(self, model: SensingMDP) -> SensingMDP:
        """The model under these conventions."""
        if self.end_is_seen:
            model = model.with_end_seen()
        if self.horizon is not None:
            return model.with_horizon(self.horizon, self.discount)
        return model if self.discount is None else model.with_discount(self.discount)

    def words(self) -> str:
        """``40 steps, discount 1, end seen``; empty if all is left as it is."""
        said = []
        if self.horizon is not None:
            said.append(f"{self.horizon} steps")
        if self.discount is not None:
            said.append(f"discount {self.discount:g}")
        if self.end_is_seen:
            said.append("end seen")
        return ", ".join(said)


NAMES = tuple(f.name for f in fields(Conventions))


def counted(problem: Problem, conventions: Conventions) -> Problem:
    """The problem under these conventions, whatever it was under before."""
    plain = problem.plain or problem.build
    build = partial(_built, plain, conventions) if conventions != Conventions() else plain
    grid = problem.plain_grid or problem.grid
    layers = grid is not None and conventions.horizon is not None
    return replace(
        problem,
        build=build,
        plain=plain,
        conventions=conventions.words(),
        counting=conventions,
        grid=partial(_layered_grid, grid, build) if layers else grid,
        plain_grid=grid,
    )


def _built(
    plain: Callable[[SensingCost], SensingMDP], conventions: Conventions, k: SensingCost
) -> SensingMDP:
    if np.ndim(k) == 0 and not callable(k):
        return _free(plain, conventions).with_sensing_cost(k)
    return conventions.apply(plain(k))


@lru_cache(KEPT_MODELS)
def _free(plain: Callable[[SensingCost], SensingMDP], conventions: Conventions) -> SensingMDP:
    return conventions.apply(plain(0.0))


def _layered_grid(grid: Callable[[], Grid], build: Callable[[float], SensingMDP]) -> Grid:
    """Where the layered states lie; "time is up" is drawn in the first cell."""
    plain, layers = grid(), build(0.0)
    names = build.args[0](0.0).state_names  # of the plain model
    where = dict(zip(names, plain.position, strict=True))
    at = (where.get(name.rsplit(", step ", 1)[0], (0, 0)) for name in layers.state_names)
    return replace(plain, position=tuple(at))


def with_settings(problem: Problem, text: str) -> Problem:
    """The problem that ``ID@text`` means."""
    given = _parsed(problem.id, text)
    parameters = {name: value for name, value in given.items() if name not in NAMES}
    if parameters:
        problem = _member(problem, parameters)
    own = problem.counting or Conventions()
    chosen = replace(own, **{name: given[name] for name in NAMES if name in given})
    found = counted(problem, chosen)
    name = f"{problem.id}@{text}"
    return replace(found, id=name, title=f"{problem.title} ({text})", size=None)


def _parsed(problem_id: str, text: str) -> dict[str, Any]:
    given: dict[str, Any] = {}
    for part in text.split(","):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not name or (equals and not value):
            raise ModelError(f"{problem_id}@{text}: expected NAME=VALUE, found {part!r}")
        given[name] = _value(value) if equals else True
    return given


def _value(text: str) -> Any:
    if text.lower() in ("none", "true", "false"):
        return {"none": None, "true": True, "false": False}[text.lower()]
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def _member(problem: Problem, parameters: dict[str, Any]) -> Problem:
    """The member of the problem's family with these parameters."""
    known = list(inspect.signature(problem.family).parameters) if problem.family else []
    for name in parameters:
        if name not in known:
            raise ModelError(
                f"{problem.id} has no setting {name!r}; expected one of: "
                f"{', '.join([*known, *NAMES])}"
            )
    try:
        return problem.family(**parameters)
    except (TypeError, ValueError) as error:
        raise ModelError(f"{problem.id}: {error}") from None
