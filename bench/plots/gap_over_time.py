"""Gap against time of anytime methods, from the traces in the details of their cells.

A trace holds (seconds, lower, upper) bounds on the optimal cost under the start distribution; the
gap is ``(upper - lower) / |upper|``.  A method with a policy that proves no lower bound, or one
that ends below what others prove, is given the best bound of its instance, so that its curve ends
at the gap tables and the other figures show for it; one that only proves bounds, the best value.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from matplotlib.figure import Figure

from bench.analysis.labels import cost_title
from bench.plots.drawing import Drawing, costs_of
from bench.plots.gap_axis import CEILING, FLOOR, log_gap
from bench.plots.style import add_legend, line_handle, log_seconds, panels

COLUMNS = 4
HEIGHT = 2.1
MOST_POINTS = 80
"""Of a longer trace this many points are drawn, evenly on the logarithmic axis."""
MOST_COSTS = 8
SHORT = 1e-4
"""A method's own bound that ends this share below the best one is not the one gaps are told by."""


def draw(results: Drawing) -> Iterator[tuple[str, Figure]]:
    """``gap-over-time-<problem>``, a panel per sensing cost."""
    for problem, rows in results.problems():
        curves: dict[float, list[tuple[str, np.ndarray, np.ndarray]]] = {}
        for row in rows[rows["failure"] == ""].itertuples():
            known = rows[rows["k"] == row.k]
            best = known["value"][known["failure"] == ""].min()
            trace = results.details(row.key).get("trace") or []
            upper = best if np.isnan(row.value) else row.value
            t, gap = gap_curve(trace, row.best_lower, upper)
            if len(t) and isinstance(row.k, float):
                curves.setdefault(row.k, []).append((row.method, t, gap))
        costs = [k for k in costs_of(rows) if any(len(t) > 1 for _, t, _ in curves.get(k, []))]
        if not costs or len(costs) > MOST_COSTS:
            continue
        columns = min(COLUMNS, len(costs))
        figure, axes = panels(len(costs), columns, HEIGHT, width=max(3.3, 1.75 * columns))
        for ax, k in zip(axes, costs, strict=True):
            for method, t, gap in curves[k]:
                style = results.styles[method].of_line()
                marks = (0.0, 0.35) if len(t) > 1 else None  # a single point is a marker
                ax.plot(t, gap, drawstyle="steps-post", markevery=marks, **style)
            times = np.concatenate([t for _, t, _ in curves[k]])
            log_seconds(ax, times.min() / 1.3, max(times.max() * 1.3, times.min() * 3))
            lowest = min(gap.min() for _, _, gap in curves[k])
            highest = max(gap.max() for _, _, gap in curves[k])
            log_gap(ax, lowest, highest)
            ax.set_title(f"k = {cost_title(k)}")
        for i, ax in enumerate(axes):
            ax.set_ylabel(ax.get_ylabel() if i % columns == 0 else "")
        figure.suptitle(rows["problem_title"].iloc[0], fontsize=8.5)
        present = {method for of in curves.values() for method, _, _ in of}
        handles = [line_handle(s, m) for m, s in results.styles.items() if m in present]
        add_legend(figure, handles, columns=5 if columns > 2 else 2)
        yield f"gap-over-time-{problem}", figure


def gap_curve(
    trace: Sequence[Sequence[float | None]], lower_known: float, upper_known: float
) -> tuple[np.ndarray, np.ndarray]:
    """Times (n,) and the least gap by then (n,), between FLOOR and CEILING.

    lower_known, upper_known : what is known in the end; for a side on which the trace has nothing,
    or a lower bound that ends short of the known one, this is taken all along
    """
    if not len(trace):
        return np.empty(0), np.empty(0)
    t, lower, upper = np.array(trace, float).T  # None becomes NaN
    bounds_only, none = np.isnan(upper).all(), np.isnan(lower).all()
    short = none or np.nanmax(lower) < lower_known - SHORT * abs(lower_known)
    lower = np.full_like(lower, lower_known) if none or (short and not bounds_only) else lower
    upper = np.full_like(upper, upper_known) if bounds_only else upper
    upper[-1] = np.fmin(upper[-1], upper_known)
    whole = ~(np.isnan(lower) | np.isnan(upper))
    t, lower, upper = t[whole], lower[whole], upper[whole]
    # Bounds only ever get better: a method that forgets an earlier one is not held to it.
    lower, upper = np.maximum.accumulate(lower), np.minimum.accumulate(upper)
    with np.errstate(divide="ignore", invalid="ignore"):
        gap = np.where(upper == lower, 0.0, (upper - lower) / np.abs(upper))
    keep = np.isfinite(gap)
    t, gap = np.maximum(t[keep], 1e-3), np.clip(gap[keep], FLOOR, CEILING)
    if len(t) > MOST_POINTS:
        at = np.geomspace(t[0], t[-1], MOST_POINTS)
        chosen = np.unique([0, *np.minimum(np.searchsorted(t, at), len(t) - 1), len(t) - 1])
        t, gap = t[chosen], gap[chosen]
    return t, gap
