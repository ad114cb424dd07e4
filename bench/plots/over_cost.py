"""Value, sensing rate and proven gap of each method against the sensing cost k, by problem.

The band is where the optimum must lie: between the best value found and the best proven bound.
Curves far below it leave the frame, so that what matters stays readable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from bench.plots.drawing import Drawing, costs_of, value_axis_name
from bench.plots.gap_axis import CEILING, FLOOR, log_gap
from bench.plots.style import BAND, INK, PALE, add_legend, line_handle, log_costs, panels

COLUMNS = 3
HEIGHT = 1.9
MOST_BRIGHT = 6
"""Methods of the figure of gaps that keep their colour; more curves cannot be told apart."""
LEAST_COSTS = 3
"""Fewer sensing costs make no curve."""


def draw_values(results: Drawing) -> Iterator[tuple[str, Figure]]:
    """``value-over-cost``: value against k with the proven band."""

    def finish(ax: Axes, rows: pd.DataFrame) -> None:
        _draw_band(ax, rows)
        ax.set_ylabel(value_axis_name(rows["problem"].iloc[0]))

    label = "optimum lies here (proven)"
    band = Patch(facecolor=BAND, edgecolor=INK, linewidth=0.4, label=label)
    proven = results.frame["shown_bound"].notna().any()
    yield from _draw(results, "value-over-cost", "shown", finish, [band] if proven else [])


def draw_sensing_rates(results: Drawing) -> Iterator[tuple[str, Figure]]:
    """``sensing-rate``: share of discounted steps at which the agent looks, against k."""

    def finish(ax: Axes, rows: pd.DataFrame) -> None:
        ax.set_ylim(-0.03, 1.03)
        ax.set_ylabel("looks per step")

    yield from _draw(results, "sensing-rate", "sensing_rate", finish)


def draw_gaps(results: Drawing) -> Iterator[tuple[str, Figure]]:
    """``gap-over-cost``: how far from optimal each method's value may be, against k."""

    def finish(ax: Axes, rows: pd.DataFrame) -> None:
        log_gap(ax, rows["gap"].min(), rows["gap"].max())

    shown = results.frame["gap"].clip(FLOOR, CEILING)
    frame = results.frame.assign(gap=shown)
    clipped = replace(results, results=replace(results.results, frame=frame))
    yield from _draw(_focused(clipped), "gap-over-cost", "gap", finish)


def _focused(results: Drawing) -> Drawing:
    """The same with the methods that come closest in their own styles, all others pale."""
    rows = results.compared
    rows = rows[(rows["failure"] == "") & rows["gap"].notna()]
    tried = rows.groupby("method")["gap"]
    common = tried.size()[tried.size() >= 0.5 * tried.size().max()].index
    mean = np.log(rows["gap"].astype(float)).groupby(rows["method"]).mean()
    closest = set(mean[mean.index.isin(common)].sort_values(kind="stable").index[:MOST_BRIGHT])
    pale = {m: s if m in closest else s.pale() for m, s in results.styles.items()}
    return replace(results, styles=pale)


def _draw(
    results: Drawing,
    name: str,
    column: str,
    finish: Callable[[Axes, pd.DataFrame], None],
    more: Sequence[Patch] = (),
) -> Iterator[tuple[str, Figure]]:
    """A figure of a column against k, if there are curves; ``finish`` sees to the vertical axis."""
    drawn = _curved(results, column)
    if not drawn:
        return
    figure, axes = panels(len(drawn), COLUMNS, HEIGHT)
    for ax, rows in zip(axes, drawn, strict=True):
        _draw_lines(ax, results, rows, column)
        log_costs(ax, costs_of(rows))
        finish(ax, rows)
        ax.set_title(rows["problem_title"].iloc[0])
    present = set(np.concatenate([rows["method"].unique() for rows in drawn]))
    styles = {m: s for m, s in results.styles.items() if m in present}
    handles = [line_handle(s, m) for m, s in styles.items() if s.colour != PALE]
    others = [m for m, s in styles.items() if s.colour == PALE]
    if others:
        handles.append(line_handle(styles[others[0]], f"{len(others)} other methods"))
    add_legend(figure, [*handles, *more])
    yield name, figure


def _curved(results: Drawing, column: str) -> list[pd.DataFrame]:
    """The rows that have a value, of each problem with enough sensing costs for a curve."""
    found = []
    for _, rows in results.problems():
        uniform = rows["k"].map(lambda k: isinstance(k, float))
        rows = rows[uniform & (rows["failure"] == "") & rows[column].notna()]
        if len(costs_of(rows)) >= LEAST_COSTS:
            found.append(rows)
    return found


def _draw_lines(ax: Axes, results: Drawing, rows: pd.DataFrame, column: str) -> None:
    for i, method in enumerate(rows["method"].unique()):
        of = rows[rows["method"] == method].sort_values("k", key=lambda k: k.astype(float))
        every = max(1, len(of) // 5)
        ax.plot(
            of["k"].astype(float),
            of[column],
            label=method,
            markevery=(i % every, every),  # where curves coincide, each shows its own
            zorder=1.5 if results.styles[method].colour == PALE else 2,  # pale ones behind
            **results.styles[method].of_line(),
        )


def _draw_band(ax: Axes, rows: pd.DataFrame) -> None:
    better = "max" if rows["rewards"].iloc[0] else "min"
    rows = rows.assign(k=rows["k"].astype(float))
    best = rows.groupby("k")["shown"].agg(better)
    bound = rows.groupby("k")["shown_bound"].first()
    if bound.isna().all():
        return  # nothing is proven: every value is shown
    ax.fill_between(
        best.index, best, bound, facecolor=BAND, edgecolor=INK, linewidth=0.4, zorder=0.5
    )
    reach = pd.concat([best, bound.dropna()])
    low, high = reach.min(), reach.max()
    span = (high - low) or abs(high) or 1.0
    lose, win = (0.5, 0.06) if rows["rewards"].iloc[0] else (0.06, 0.5)
    shown = rows["shown"]
    ax.set_ylim(
        max(low - lose * span, min(shown.min(), low) - 0.06 * span),
        min(high + win * span, max(shown.max(), high) + 0.06 * span),
    )
