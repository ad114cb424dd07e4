"""Planning time against value, one figure per problem and one panel per sensing cost.

The line is the proven bound: no policy does better.  A method far worse than the best would
squeeze all others together; it stands on the edge of the frame with its value written beside it.
The legend tells of methods without a value why they have none.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from bench.analysis.labels import cost_title, number
from bench.plots.drawing import Drawing, costs_of, value_axis_name
from bench.plots.style import GREY, INK, add_legend, darker, log_seconds, panels, point_handle

COLUMNS = 4
HEIGHT = 2.1
LEAST_METHODS = 4
LEAST_SECONDS = 1e-3
LABEL = 0.3
"""Width of a written value as a share of a panel."""
NEAR = 0.1
"""A loss up to this share of the best value is always inside the frame."""
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
    edge = low if rewards else high
    moved = []
    for row in rows.itertuples():
        x = max(row.solve_seconds, LEAST_SECONDS)
        y = edge if outside[row.Index] else row.shown
        ax.plot([x], [y], clip_on=False, zorder=3, **results.styles[row.method].of_point())
        if outside[row.Index]:
            moved.append((x, row.shown, results.styles[row.method].colour))
        elif pd.notna(row.shown_error):
            ends = [y - row.shown_error, y + row.shown_error]
            ax.plot([x, x], ends, color=results.styles[row.method].colour, lw=0.8, zorder=2)
    times = rows["solve_seconds"].clip(lower=LEAST_SECONDS)
    log_seconds(ax, times.min() / 5, times.max() * 3)
    ax.set_ylim((low, high))
    _write_moved(ax, sorted(moved), times, digits, edge, rewards)


def _write_moved(
    ax: Axes,
    moved: list[tuple[float, float, str]],
    times: pd.Series,
    digits: int,
    edge: float,
    rewards: bool,
) -> None:
    """Write the values of methods outside the frame: beside a line that leads up from the marker,
    to the side with more room, one over the other where they would meet."""
    first, reach = np.log(times.min() / 5), np.log(times.max() * 15 / times.min())
    level, last = 0, -np.inf
    for x, shown, colour in moved:
        level = level + 1 if (np.log(x) - last) < LABEL * reach else 0
        last = np.log(x)
        right = (np.log(x) - first) / reach < 0.7
        ax.annotate(
            f"{_brief(shown, digits)} {'↓' if rewards else '↑'}",
            (x, edge),
            xytext=(3 if right else -3, (8 + 9.5 * level) * (1 if rewards else -1)),
            textcoords="offset points",
            ha="left" if right else "right",
            va="center",
            fontsize=5.5,
            color=darker(colour),
            arrowprops={
                **{"arrowstyle": "-", "lw": 0.4, "color": colour, "shrinkA": 0, "shrinkB": 3},
                "relpos": (0.0 if right else 1.0, 0.5),
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
    span = (high - low) or 0.05 * abs(high) or 1.0
    pad_lose = 0.35 + 0.2 * outside.sum() if outside.any() else 0.12  # room for what is written
    below, above = (pad_lose, 0.12) if rewards else (0.12, pad_lose)
    return low - below * span, high + above * span, outside
