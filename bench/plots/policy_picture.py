"""Pictures of policies on a grid: the blind path planned from one state, step by step.

A line of small grids per sensing cost; the last one is where the agent will look, or where it ends
up if it never looks again.  Plans come from the best method of each instance.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from bench.analysis.frame import problem_facts
from bench.plots.drawing import Drawing, costs_of
from bench.plots.grid_sheet import LOOKS, NEVER_LOOKS, STILL_BLIND, Sheet
from bench.problems import Grid
from solvers.core.model import SensingMDP

STEPS = 7
"""Grids on a line; of a longer plan the first ones, the last and some between are shown."""
LINES = 4
GONE = 0.05
"""A plan that never looks is shown until this much probability is left outside the ends."""


def draw(results: Drawing) -> Iterator[tuple[str, Figure]]:
    """``policy-<problem>`` for every problem on a grid whose cells kept their plans."""
    for problem, rows in results.problems():
        facts = problem_facts(problem)
        if facts.grid is None:
            continue
        chosen = _best_plans(results, rows)
        if not chosen:
            continue
        model = facts.build(chosen[-1][0]["k"])
        root = _root(model, [plans for _, plans in chosen])
        lines = _joined([(row, plans[str(root)]) for row, plans in chosen if str(root) in plans])
        yield f"policy-{problem}", _figure(facts.grid(), model, root, lines, facts.title)


def _best_plans(results: Drawing, rows: pd.DataFrame) -> list[tuple[pd.Series, dict]]:
    """For up to LINES sensing costs the best row that has plans, with the plans.

    Where several are best, the method that is best at most sensing costs, or else comes first.
    """
    costs = costs_of(rows)
    if len(costs) > LINES:
        costs = [costs[i] for i in np.linspace(0, len(costs) - 1, LINES).round().astype(int)]
    wins = rows.groupby("method")["best"].sum()
    found = []
    for k in costs:
        good = rows[(rows["k"] == k) & rows["best"]]
        good = good.assign(wins=good["method"].map(wins))
        for _, row in good.sort_values("wins", ascending=False, kind="stable").iterrows():
            plans = results.details(row["key"]).get("plans")
            if plans:
                found.append((row, plans))
                break
    return found


def _root(model: SensingMDP, plans: list[dict[str, Any]]) -> int:
    """The start state with the longest plan that ends in a look, over all sensing costs."""
    starts = [int(s) for s in np.flatnonzero(model.start > 0) if str(s) in plans[0]]
    if not starts:
        return int(next(iter(plans[0])))
    looks = [[p[str(s)] for p in plans if str(s) in p and p[str(s)]["senses"]] for s in starts]
    lengths = [max([len(plan["actions"]) for plan in of], default=0) for of in looks]
    return starts[int(np.argmax(lengths))]


def _joined(chosen: list[tuple[pd.Series, dict]]) -> list[tuple[list[pd.Series], dict]]:
    """Neighbouring sensing costs with the same plan as one line."""
    lines: list[tuple[list[pd.Series], dict]] = []
    for row, plan in chosen:
        if lines and lines[-1][1] == plan:
            lines[-1][0].append(row)
        else:
            lines.append(([row], plan))
    return lines


def _figure(
    grid: Grid, model: SensingMDP, root: int, lines: list[tuple[list[pd.Series], dict]], title: str
) -> Figure:
    sheet = Sheet(grid, model)
    paths = [beliefs(model, root, plan) for _, plan in lines]
    for line, ((rows, plan), path) in enumerate(zip(lines, paths, strict=True)):
        sheet.describe(line, rows)
        for column, step in enumerate(shown_steps(path)):
            if step < len(path) - 1:
                sheet.draw_step(line, column, step, path[step], plan["actions"][step])
            else:
                sheet.draw_end(line, column, path[step], ending(plan, path))
    columns = max(len(shown_steps(path)) for path in paths)
    where = f"{title}: plans from state {model.state_names[root]}"
    return sheet.finish(len(lines), max(columns, 5), where)


def beliefs(model: SensingMDP, root: int, plan: dict[str, Any]) -> np.ndarray:
    """The belief before each action of a plan and after the last: (L + 1, S)."""
    path = [np.eye(model.num_states)[root]]
    for a in plan["actions"]:
        live = path[-1][~model.terminal].sum()
        if live < GONE and (not plan["senses"] or "length" in plan):
            break
        path.append(model.step(path[-1][None, :], np.array([a]))[0])
    return np.array(path)


def ending(plan: dict[str, Any], path: np.ndarray) -> str:
    """How a plan ends, as far as it was kept: a long one is cut before its end is known."""
    if "length" in plan and len(path) > len(plan["actions"]):
        return STILL_BLIND
    return LOOKS if plan["senses"] else NEVER_LOOKS


def shown_steps(path: np.ndarray) -> list[int]:
    """Which beliefs of a path are drawn: at most STEPS, denser at the beginning, and the last."""
    last = len(path) - 1
    if last < STEPS:
        return list(range(last + 1))
    return [max(i, round(last * (i / (STEPS - 1)) ** 2)) for i in range(STEPS)]
