"""Planning time against value, one figure per problem and one panel per sensing cost.

The line is the proven bound: no policy does better.  A method far worse than the best would
squeeze all others together; it stands on the edge of the frame, in a shaded strip that has no
scale, with its value written beside it.
The legend tells of methods without a value why they have none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, MaxNLocator

from bench.analysis.labels import cost_title, number
from bench.plots.drawing import Drawing, costs_of, value_axis_name
from bench.plots.style import (
    GREY,
    INK,
    STRIP,
    add_legend,
    darker,
    log_seconds,
    panels,
    point_handle,
)

COLUMNS = 4
HEIGHT = 2.1
LEAST_METHODS = 4
LEAST_SECONDS = 1e-3
LABEL = 0.3
"""Width of a written value as a share of a panel."""
PANEL_POINTS, FIRST_POINTS, LEVEL_POINTS = 85.0, 8.0, 7.5
"""About the height of a panel; how far from its edge the first value is written, and each next."""
PAD = 0.12
NEAR = 0.1
"""A loss up to this share of the best value is always inside the frame."""
LEAST_UNITS = 4
"""A frame is at least this many units of the last printed digit high."""
MOST_COSTS = 8
"""A problem with more sensing costs than this is better shown as curves over k."""


def draw(results: Drawing) -> Iterator[tuple[str, Figure]]:
    """``time-and-value-<problem>`` for every problem with several methods."""
    for problem, tried in results.problems():
        rows = tried[(tried["failure"] == "") & tried["value"].notna()]
        costs = costs_of(rows)
        if rows["method"].nunique() < LEAST_METHODS or len(costs) > MOST_COSTS or not costs:
            continue
        columns = min(COLUMNS, len(costs))
        figure, axes = panels(len(costs), columns, HEIGHT, width=max(3.3, 1.75 * columns))
        for ax, k in zip(axes, costs, strict=True):
            _draw_panel(ax, results, rows[rows["k"] == k])
            ax.set_title(f"k = {cost_title(k)}")
        for ax in axes[::columns]:
            ax.set_ylabel(value_axis_name(problem))
        figure.suptitle(rows["problem_title"].iloc[0], fontsize=8.5)
        present = set(rows["method"]) | set(tried["method"][tried["failure"] != ""])
        handles = [
            point_handle(s, m + why_missing(tried[tried["method"] == m]))
            for m, s in results.styles.items()
            if m in present
        ]
        if rows["shown_error"].notna().any():
            handles.append(Line2D([], [], color=GREY, lw=0.8, label="± standard error"))
        if rows["shown_bound"].notna().any():
            handles.append(Line2D([], [], color=INK, lw=0.9, label="no policy is better (proven)"))
        add_legend(figure, handles, columns=5 if columns > 2 else 2)
        yield f"time-and-value-{problem}", figure


def _draw_panel(ax: Axes, results: Drawing, rows: pd.DataFrame) -> None:
    rewards, digits = rows["rewards"].iloc[0], rows["digits"].iloc[0]
    low, high, outside = value_window(rows)
    bound = rows["shown_bound"].iloc[0]
    if pd.notna(bound) and low <= bound <= high:
        ax.axhline(bound, color=INK, lw=0.9, zorder=1)
    seconds = rows["solve_seconds"].clip(lower=LEAST_SECONDS)
    first, last = seconds.min() / 5, seconds.max() * 3
    if outside.any():  # the slowest of them has its value to its right
        last = max(last, first * (seconds[outside].max() / first) ** (1 / (1 - LABEL)))
    moved = seconds[outside].sort_values(kind="stable")
    levels = label_levels(list(np.log(moved / first) / np.log(last / first)))
    edge = _make_frame(ax, low, high, levels, rewards)
    log_seconds(ax, first, last)
    for row in rows.itertuples():
        x, y = seconds[row.Index], edge if outside[row.Index] else row.shown
        ax.plot([x], [y], clip_on=False, zorder=3, **results.styles[row.method].of_point())
        if not outside[row.Index] and pd.notna(row.shown_error):
            ends = [y - row.shown_error, y + row.shown_error]
            ax.plot([x, x], ends, color=results.styles[row.method].colour, lw=0.8, zorder=2)
    for index, level in zip(moved.index, levels, strict=True):
        text = f"{_brief(rows['shown'][index], digits)} {'↓' if rewards else '↑'}"
        height = (FIRST_POINTS + LEVEL_POINTS * level) * (1 if rewards else -1)
        colour = results.styles[rows["method"][index]].colour
        _write_moved(ax, text, (moved[index], edge), height, colour)


def label_levels(places: Sequence[float]) -> list[int]:
    """How high the values of markers on the edge are written, one over the other where they meet.

    ``places`` of the markers rise from 0, left, to 1, right.  A value stands right of the line
    that leads up from its marker, and of neighbours the left one's is higher: so no line crosses
    a value.
    """
    levels: list[int] = []
    after = np.inf
    for place in reversed(places):
        levels.append(levels[-1] + 1 if after - place < LABEL else 0)
        after = place
    return levels[::-1]


def _make_frame(ax: Axes, low: float, high: float, levels: Sequence[int], rewards: bool) -> float:
    """Set the vertical axis, with a strip without a scale for values outside; the strip's edge."""
    ax.yaxis.set_major_locator(FixedLocator(_ticks(low, high)))
    ax.ticklabel_format(axis="y", useOffset=False)  # numbers that are read as they stand
    if not levels:
        ax.set_ylim(low, high)
        return low if rewards else high
    share = (FIRST_POINTS + LEVEL_POINTS * (max(levels) + 0.7)) / PANEL_POINTS
    strip = share / (1 - share) * (high - low)
    inner, edge = (low, low - strip) if rewards else (high, high + strip)
    ax.set_ylim(min(low, edge), max(high, edge))
    ax.axhspan(inner, edge, facecolor=STRIP, zorder=0)
    return edge


def _ticks(low: float, high: float) -> list[float]:
    return [t for t in MaxNLocator(nbins=4).tick_values(low, high) if low <= t <= high]


def _write_moved(
    ax: Axes, text: str, marker: tuple[float, float], height: float, colour: str
) -> None:
    """Write the value of a method outside the frame, with a line that leads to its marker."""
    ax.annotate(
        text,
        marker,
        xytext=(3, height),
        textcoords="offset points",
        ha="left",
        va="center",
        fontsize=5.5,
        color=darker(colour),
        arrowprops={
            **{"arrowstyle": "-", "lw": 0.4, "color": colour, "shrinkA": 0, "shrinkB": 3},
            "relpos": (0.0, 0.5),
        },
    )


def why_missing(of: pd.DataFrame) -> str:
    """``: timeout`` of a method without any value, `` (k = 0.1: memory)`` where some fail."""
    failed = of[of["failure"] != ""]
    if failed.empty:
        return ""
    words = ", ".join(dict.fromkeys(failed["status"]))
    if len(failed) == len(of):
        return f": {words}"
    return f" (k = {', '.join(cost_title(k) for k in failed['k'])}: {words})"


def _brief(value: float, digits: int) -> str:
    """A value in few letters, with a proper minus."""
    enough = 0 if abs(value) >= 9.95 else 1 if abs(value) >= 0.995 else 2
    text = number(value, min(digits, enough)).replace("-", "−")
    return text if text.strip("0.") else "0"


def value_window(rows: pd.DataFrame) -> tuple[float, float, pd.Series]:
    """The range of values worth showing, and which rows lie outside it.

    It is never narrower than LEAST_UNITS, so that rounding is not drawn as a difference.
    It holds the bound, the best value, every method not much farther from the best than the middle
    one is, and every simulated one: its error bar must be seen.
    """
    rewards = rows["rewards"].iloc[0]
    loss = (rows["shown"].max() - rows["shown"]) if rewards else rows["shown"] - rows["shown"].min()
    best = rows["shown"].max() if rewards else rows["shown"].min()
    bound = rows["shown_bound"].iloc[0]
    room = abs(bound - best) if pd.notna(bound) else 0.0
    simulated = loss[rows["shown_error"].notna()].max()
    reach = max(2.5 * loss.median(), 1.5 * room, NEAR * abs(best), 1e-9)
    reach = max(reach, simulated) if pd.notna(simulated) else reach
    outside = loss > reach
    inside = rows["shown"][~outside]
    ends = [*inside, *([bound] if pd.notna(bound) else [])]
    low, high = min(ends), max(ends)
    span = max(high - low, LEAST_UNITS * 10.0 ** -rows["digits"].iloc[0])
    middle, half = (low + high) / 2, (0.5 + PAD) * span
    return middle - half, middle + half, outside
