"""The figures of a learning suite: regret, training return and looks per step, over steps.

One panel per problem; a line is the median over seeds, its band runs from the second lowest to the
second highest of ten (the 10th to the 90th percentile).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, NullFormatter

from bench.learning.curves import Curves, Optimum, published_return, read_curves, read_optima
from bench.learning.suite import LearningSuite
from bench.plots.style import (
    GREY,
    INK,
    LINES,
    Style,
    legend_below,
    line_handle,
    panels,
    save,
    styled,
)

BAND = (10, 90)
COLUMNS, HEIGHT = 3, 1.75
FLOOR = 1e-3
"""Regrets below this share of the optimum are drawn here: nobody sees more on such an axis."""
TOP = 3.0
"""The axis of regrets reaches at least so many optima, and further where a line does."""
PALETTE = (
    Style("#E69F00", "s", LINES[1], "full"),
    Style("#CC79A7", "v", LINES[3], "full"),
    Style("#D55E00", "D", LINES[0], "full"),
    Style("#56B4E9", "P", LINES[2], "full"),
    Style("#009E73", "^", LINES[4], "none"),
    Style("#0072B2", "o", LINES[0], "full"),
    Style("#666666", "x", LINES[1], "full"),
    Style("#332288", "h", LINES[2], "full"),
)
"""Colours safe for the colour-blind; learners take them in the order of the suite."""


def draw_figures(suite: LearningSuite, results: Path) -> list[Path]:
    """Draw all figures into the suite's ``figures`` folder; returns the paths."""
    curves, optima = read_curves(suite, results), read_optima(suite, results)
    if not curves:
        raise ValueError(f"{suite.name} has no runs yet: sensebench learn run {suite.name}")
    folder = Path(results) / suite.name / "figures"
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    with styled():
        for name, draw in (
            ("regret", _regret),
            ("training-return", _training),
            ("looks", _looks),
        ):
            figure = _figure(suite, curves, optima, draw)
            paths += save(figure, folder / name)
    return paths


Draw = Callable[[Axes, Curves, Style, Optimum], None]


def _figure(
    suite: LearningSuite, curves: list[Curves], optima: dict[str, Optimum], draw: Draw
) -> Figure:
    problems = [p for p in suite.problems if any(c.problem == p for c in curves)]
    styles = _styles(curves)
    figure, axes = panels(len(problems), COLUMNS, HEIGHT)
    for ax, problem in zip(axes, problems, strict=True):
        ax.set_title(
            problem.name if "k=" in problem.name else f"{problem.name} k={problem.price:g}"
        )
        ax.set_xscale("log")
        ax.set_xlabel("environment steps")
        ax.xaxis.set_minor_formatter(NullFormatter())
        for c in curves:
            if c.problem == problem and c.values.size:
                draw(ax, c, styles[_family(c)], optima[problem.name])
        if draw is _regret:
            ax.set_yscale("log")
            own = [c for c in curves if c.problem == problem]
            ax.set_ylim(FLOOR / 1.5, highest(own, optima[problem.name]))
            ax.yaxis.set_major_formatter(FuncFormatter(_share))
            ax.set_ylabel("regret, share of optimum")
        elif draw is _training:
            ax.set_ylabel("training return")
            _keep_in_sight(ax, [c for c in curves if c.problem == problem])
        else:
            ax.set_ylim(-0.03, 1.03)
            ax.set_ylabel("looks per step")
    handles = [line_handle(style, name) for name, style in styles.items()]
    if draw is _training:
        handles.append(
            Line2D([], [], color=INK, linestyle=(0, (1, 2)), label="published (last tenth)")
        )
    legend_below(figure, handles, 3)
    return figure


def highest(curves: list[Curves], optimum: Optimum) -> float:
    """Where the axis of regrets ends, as a share of the optimum: above every line of the panel."""
    tops = [np.median(c.regrets, axis=0).max() for c in curves if c.regrets.size]
    return max(TOP, 1.5 * max(tops, default=0.0) / abs(optimum.known))


def _share(value: float, _: int) -> str:
    return f"≤ {100 * FLOOR:g} %" if value <= FLOOR else f"{100 * value:g} %"


def _family(c: Curves) -> str:
    """Learners that differ only in a note in brackets are drawn alike."""
    return c.learner.name.partition(" (")[0]


def _styles(curves: list[Curves]) -> dict[str, Style]:
    names = dict.fromkeys(_family(c) for c in curves)
    return {name: PALETTE[i % len(PALETTE)] for i, name in enumerate(names)}


def _band(ax: Axes, steps: np.ndarray, table: np.ndarray, style: Style) -> None:
    seen = ~np.isnan(table).all(axis=0)
    steps, table = steps[seen], table[:, seen]
    low, high = np.nanpercentile(table, BAND, axis=0)
    ax.fill_between(steps, low, high, color=style.colour, alpha=0.15, linewidth=0)
    ax.plot(steps, np.nanmedian(table, axis=0), **{**style.of_line(), "markersize": 2.5})


def _regret(ax: Axes, c: Curves, style: Style, optimum: Optimum) -> None:
    _band(ax, c.steps, np.maximum(c.regrets / abs(optimum.known), FLOOR), style)


def _training(ax: Axes, c: Curves, style: Style, optimum: Optimum) -> None:
    _band(ax, c.steps, c.returns, style)
    published = published_return(c.problem, c.learner)
    if published is not None:
        ax.axhline(published, color=style.colour, linestyle=(0, (1, 2)), linewidth=0.9)


def _looks(ax: Axes, c: Curves, style: Style, optimum: Optimum) -> None:
    _band(ax, c.steps, c.looks, style)
    ax.axhline(0, color=GREY, linewidth=0.4)


def _keep_in_sight(ax: Axes, curves: list[Curves]) -> None:
    """Show where the curves end; what exploring cost may fall out of sight below."""
    ends = [np.median(c.last_returns) for c in curves if c.last_returns.size]
    ends += [p for p in (published_return(c.problem, c.learner) for c in curves) if p is not None]
    ends = [end for end in ends if math.isfinite(end)]
    if ends:
        span = max(ends) - min(ends) or abs(max(ends)) or 1.0
        ax.set_ylim(min(ends) - span, max(ends) + 0.25 * span)
