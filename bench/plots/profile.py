"""Performance profile over all instances: how often a method's value is how close to the best.

With ``v`` a method's cost on an instance and ``v*`` the best cost any method found there, its
distance is ``(v - v*) / |v*|``, and 0 if the two print the same digits: the rule by which tables
and the report page call a value best, so that all count the same ties.  Left, the share of
instances within a distance; right, the share solved to within NEAR of the best after a planning
time.  A failed cell counts as never, and so does one that was not run; the legend tells how many
were.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullLocator, PercentFormatter

from bench.analysis.frame import INSTANCE
from bench.plots.drawing import Drawing
from bench.plots.style import add_legend, line_handle, log_seconds, panels

NEAR = 0.01
EQUAL, FLOOR = 1e-5, 2e-5
"""Where equal values are drawn, and the least distance of values that are not equal."""
CEILING = 10.0
LEAST_SECONDS = 1e-3
LEAST_INSTANCES = 6
LEAST_SHARE = 0.3
"""A method with a value on a smaller share of the instances is not compared here."""


def draw(results: Drawing) -> Iterator[tuple[str, Figure]]:
    """``profile``: quality and time profiles side by side."""
    table = distances(results.frame)
    table = table[table.index.isin(results.compared.index)]
    instances = table.groupby(INSTANCE).ngroups
    if instances < LEAST_INSTANCES:
        return
    tried = table[np.isfinite(table["distance"])].groupby("method").size() / instances
    methods = [m for m in results.styles if tried.get(m, 0) >= LEAST_SHARE]
    first = table["solve_seconds"].clip(lower=LEAST_SECONDS).min()
    last = 1.5 * table["solve_seconds"].clip(lower=LEAST_SECONDS).max()
    figure, (quality, time) = panels(2, 2, 2.6)
    for i, method in enumerate(methods):
        of = table[table["method"] == method]
        style = results.styles[method].of_line() | {"drawstyle": "steps-post"}
        marks = (0.05 * i % 0.25, 0.25)  # staggered, so that equal curves can be told apart
        away = of["distance"].clip(lower=FLOOR).where(of["distance"] > 0, EQUAL)
        x, y = _steps(away, instances, EQUAL, CEILING)
        quality.plot(x, y, label=method, markevery=marks, **style)
        near = of["solve_seconds"].where(of["distance"] <= NEAR, np.inf)
        x, y = _steps(near.clip(lower=first), instances, first, last)
        time.plot(x, y, label=method, markevery=marks, **style)
    quality.set_xscale("log")
    quality.set_xlim(EQUAL, CEILING)
    quality.xaxis.set_minor_locator(NullLocator())
    quality.set_xlabel(
        "distance from the best value found (share of it)\nequal: the same in all printed digits"
    )
    quality.xaxis.set_major_formatter(
        FuncFormatter(lambda x, _: "equal" if x <= EQUAL else f"{100 * x:g} %")
    )
    log_seconds(time, first, last)
    quality.set_title("How close to the best")
    time.set_title(f"How soon within {NEAR:.0%} of the best")
    for ax in (quality, time):
        ax.set_ylim(-0.02, 1.04)
        ax.yaxis.set_major_formatter(PercentFormatter(1.0))
    quality.set_ylabel(f"share of the {instances} instances")
    runs = table.groupby("method").size()
    part = {m: f"{m} ({runs[m]} run)" if runs[m] < instances else m for m in methods}
    add_legend(figure, [line_handle(results.styles[m], part[m]) for m in methods])
    yield "profile", figure


def distances(frame: pd.DataFrame) -> pd.DataFrame:
    """Each row's distance from the best cost found on its instance; infinite if it failed.

    It is 0 for those rows, and only those, that the frame calls best.
    """
    table = frame[["method", *INSTANCE, "solve_seconds"]].copy()
    cost = frame["compared_cost"]
    best = cost.groupby([frame[c] for c in INSTANCE]).transform("min")
    with np.errstate(divide="ignore", invalid="ignore"):
        away = (cost - best) / best.abs()
    table["distance"] = away.mask(frame["best"], 0.0).where(cost.notna(), np.inf)
    only_bound = (frame["failure"] == "") & frame["value"].isna()
    return table[best.notna() & ~only_bound]


def _steps(
    values: pd.Series, instances: int, first: float, last: float
) -> tuple[np.ndarray, np.ndarray]:
    """The rising share of ``instances`` with a value up to x, from ``first`` to ``last``."""
    reached = values[np.isfinite(values)].to_numpy()
    x = np.unique(np.concatenate([[first], reached[reached < last], [last]]))
    return x, np.array([np.sum(reached <= at) for at in x]) / instances
