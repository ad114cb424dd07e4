"""What the report's explorer needs to follow a policy: models, plans, beliefs of large models.

Between looks a belief obeys ``b' = b T(a)``.  A small model goes into the page as it is and the
page works the beliefs out; of a large one (ICU-Sepsis has 1.5 million transitions) the page gets
the beliefs of the plans from the likeliest start roots, cut to their likeliest states, up to the
first look.  Plans and beliefs that several policies share are stored once.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from typing import Any

import numpy as np

from bench.problems import Problem, load_problem
from bench.store.costs import from_text
from solvers.core.model import SensingMDP

MOST_TRANSITIONS = 50_000
"""Models with more transitions than this do not travel with the page."""
STORED_ROOTS, STORED_STEPS, STORED_STATES = 6, 30, 12
"""Of a large model: start roots, steps and states per belief that are stored."""


class PolicyData:
    """Collects policies one by one; :meth:`content` is what goes into the page."""

    def __init__(self) -> None:
        self._problems: dict[str, dict[str, Any]] = {}
        self._models: dict[str, SensingMDP] = {}
        self._plans: dict[str, int] = {}
        self._walks: dict[tuple[str, float | str, int, str], int] = {}
        self._frames: list[list] = []
        self._policies: dict[str, dict[str, Any]] = {}

    def add(self, key: str, problem: Problem, cost_text: str, details: Mapping[str, Any]) -> bool:
        """Take the policy of a cell; False if it left no plans that this model can follow."""
        plans = details.get("plans") or {}
        if not plans or problem.build is None:
            return False
        if problem.id not in self._models:
            self._models[problem.id] = load_problem(problem.id, from_text(cost_text))
            self._problems[problem.id] = _problem_data(problem, self._models[problem.id])
        model = load_problem(problem.id, from_text(cost_text))  # a file may keep its own cost
        if not _fits(plans, model):
            return False
        likely = [s for s in np.argsort(-model.start, kind="stable") if str(s) in plans]
        small = self._problems[problem.id]["transitions"] is not None
        kept = [int(s) for s in plans] if small else [int(s) for s in likely[:STORED_ROOTS]]
        values = details.get("values") or []
        policy = {
            "k": np.asarray(model.sensing_cost).T.tolist() if small else None,
            "plans": {s: self._plan(_short(plans[str(s)])) for s in kept},
            "values": {s: _digits(values[s], 6) for s in kept if s < len(values)},
        }
        if not small:
            policy["walks"] = {s: self._walk(model, cost_text, s, plans[str(s)]) for s in kept}
        self._policies[key] = policy
        return True

    def content(self) -> dict[str, Any]:
        """Everything collected, as plain lists and numbers."""
        return {
            "problems": self._problems,
            "plans": list(self._plans),
            "walks": self._frames,
            "policies": self._policies,
        }

    def _plan(self, short: str) -> int:
        return self._plans.setdefault(short, len(self._plans))

    def _walk(self, model: SensingMDP, cost_text: str, root: int, plan: Mapping[str, Any]) -> int:
        place = (model.name, cost_text, root, _short(plan))
        if place not in self._walks:
            self._walks[place] = len(self._frames)
            self._frames.append(_walk_frames(model, root, plan))
        return self._walks[place]


def _fits(plans: Mapping[str, Any], model: SensingMDP) -> bool:
    """Whether plans are of this model: a user's file may have changed since the run."""
    actions = {a for plan in plans.values() for a in plan["actions"]}
    return max(map(int, plans)) < model.num_states and max(actions, default=0) < model.num_actions


def _short(plan: Mapping[str, Any]) -> str:
    """``0x3,2!``: action 0 three times, then 2 with a look; ``~`` where the plan was cut."""
    runs = [(a, len(list(same))) for a, same in groupby(plan["actions"])]
    words = ",".join(f"{a}x{n}" if n > 1 else str(a) for a, n in runs)
    cut = plan.get("length", 0) > len(plan["actions"])
    return words + ("~" if cut else "") + ("!" if plan["senses"] else "")


def _problem_data(problem: Problem, model: SensingMDP) -> dict[str, Any]:
    grid = problem.grid() if problem.grid else None
    small = sum(T.nnz for T in model.transitions) <= MOST_TRANSITIONS and not callable(
        model.sensing_cost
    )
    order = np.argsort(-model.start, kind="stable")
    return {
        "states": list(model.state_names),
        "actions": list(model.action_names),
        "discount": model.discount,
        "terminal": np.flatnonzero(model.terminal).tolist(),
        "start": [[int(s), _digits(model.start[s], 4)] for s in order if model.start[s] > 0],
        "grid": grid
        and {
            "cells": grid.cells,
            "position": grid.position,
            "walls": [list(w) for w in grid.walls],
        },
        "transitions": [_rows(T) for T in model.transitions] if small else None,
        "costs": [[_digits(c, 10) for c in column] for column in model.costs.T] if small else None,
    }


def _rows(T: Any) -> list[list]:
    """T(a) as [row starts, columns, probabilities]."""
    return [T.indptr.tolist(), T.indices.tolist(), [_digits(p, 12) for p in T.data]]


def _walk_frames(model: SensingMDP, root: int, plan: Mapping[str, Any]) -> list[list]:
    """[[state, chance, …] likeliest first, terminal mass, cost so far, paid for looks] per step."""
    belief = np.zeros(model.num_states)
    belief[root] = 1.0
    cost = paid = 0.0
    frames = [_frame(model, belief, cost, paid)]
    for t, action in enumerate(plan["actions"][:STORED_STEPS]):
        discount = model.discount**t
        cost += discount * float(belief @ model.costs[:, action])
        last = t + 1 == plan.get("length", len(plan["actions"]))
        if plan["senses"] and last:
            look = discount * float(model.sensing_cost_at(belief)[0, action])
            cost, paid = cost + look, paid + look
        belief = belief @ model.transitions[action]
        frames.append(_frame(model, belief, cost, paid))
    return frames


def _frame(model: SensingMDP, belief: np.ndarray, cost: float, paid: float) -> list:
    top = np.argsort(-belief, kind="stable")[:STORED_STATES]
    pairs = [x for s in top if belief[s] > 5e-5 for x in (int(s), round(float(belief[s]), 4))]
    terminal = round(float(belief[model.terminal].sum()), 5)
    return [pairs, terminal, _digits(cost, 5), _digits(paid, 5)]


def _digits(x: float | None, digits: int) -> float | int | None:
    """Rounded to significant digits; a whole number loses its ``.0``."""
    if x is None:
        return None
    short = float(f"{float(x):.{digits}g}")
    return int(short) if short.is_integer() else short
