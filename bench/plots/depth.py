"""The paper's figures: value and lower bound against the depth N, with SPI, ATM and always sense.

A panel per root shows ``V*`` of the truncated problem M_{k,N} falling and the bound of App. E.1
rising; vertical lines stand where Lemma 4.3 and Theorem 4.4 first hold at all roots.  The last
panel shows the two bounds on what truncation may lose: ε_N (Theorem 4.4) and α^N k / (1 - α).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from bench.analysis.frame import problem_facts
from bench.analysis.labels import cost_title
from bench.plots.drawing import Drawing, value_axis_name
from bench.plots.style import GREY, INK, LINES, add_legend, panels
from bench.store.costs import from_text
from bench.tables.certificate_table import certificates

LEAST_DEPTHS = 3
MOST_ROOTS = 5
REFERENCES = ("spi", "atm", "always-sense")
CLOSED = 1e-9
"""An ε_N below this is zero; a logarithmic axis has none."""
VALUE = {"color": "#009E73", "marker": "^", "ls": "-", "label": "optimum of $M_{k,N}$"}
BOUND = {"color": INK, "marker": "v", "ls": LINES[1], "mfc": "white", "label": "lower bound"}
EPSILON = {"color": "#CC79A7", "marker": "D", "ls": "-", "label": "$ε_N$ (Theorem 4.4)"}
CRUDE = {"color": GREY, "marker": "o", "ls": LINES[2], "mfc": "white", "label": "Theorem 4.2"}
LEMMA = {"color": GREY, "ls": LINES[2], "lw": 0.8, "label": "Lemma 4.3 holds from here"}
THEOREM = {"color": INK, "ls": LINES[3], "lw": 0.8, "label": "Theorem 4.4 holds from here"}


def draw(results: Drawing) -> Iterator[tuple[str, Figure]]:
    """``depth-<problem>-k<k>`` for every instance with certificates at several depths."""
    for (problem, cost), rows in results.frame.groupby(["problem", "sensing_cost"], sort=False):
        cells = certificates(results.results, rows)
        if len(cells) < LEAST_DEPTHS or len(cells[0]["values"]) > MOST_ROOTS:
            continue
        if problem_facts(problem).build is None:
            continue
        k = cost_title(rows["k"].iloc[0])
        yield f"depth-{problem}-k{k}", _figure(results, problem, cost, rows, cells)


def _figure(
    results: Drawing, problem: str, cost: str, rows: pd.DataFrame, cells: list[dict[str, Any]]
) -> Figure:
    facts = problem_facts(problem)
    names = facts.build(from_text(cost)).state_names
    roots = len(cells[0]["values"])
    figure, axes = panels(roots + 1, 3, 2.0)
    N = np.array([cell["N"] for cell in cells])
    lines = _references(results, rows)
    holds = [(_first(cells, "one_step"), LEMMA), (_first(cells, "settled"), THEOREM)]
    for j, ax in enumerate(axes[:-1]):
        for values, style in lines:
            ax.axhline(values[j], **style)
        ax.plot(N, [cell["values"][j] for cell in cells], ms=3.5, **VALUE)
        bounds = [cell["info"]["lower_bound"][j] for cell in cells]
        ax.plot(N, np.maximum.accumulate(bounds), ms=3.5, **BOUND)
        name = names[j] if not names[j].isdigit() else f"state {names[j]}"
        ax.set_title(f"from {name}")
    _draw_losses(axes[-1], N, cells)
    for ax in axes:
        ax.set_ylabel(value_axis_name(problem))
        for first, style in holds:
            if first is not None:
                ax.axvline(first, zorder=0.8, **style)
        ax.set_xlabel("blind steps allowed, N")
        ax.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=7))
    k = cost_title(rows["k"].iloc[0])
    figure.suptitle(f"{facts.title}, k = {k}", fontsize=8.5)
    kept = [style for first, style in holds if first is not None]
    styles = [VALUE, BOUND, *(style for _, style in lines), EPSILON, CRUDE, *kept]
    add_legend(figure, [Line2D([], [], **{"ms": 3.5, **s}) for s in styles], columns=5)
    return figure


def _draw_losses(ax: Axes, N: np.ndarray, cells: list[dict[str, Any]]) -> None:
    epsilon = np.array([cell["info"]["epsilon"] for cell in cells])
    crude = np.array([cell["info"]["depth_bound"] for cell in cells])
    open_ = epsilon > CLOSED
    ax.plot(N[open_], epsilon[open_], ms=3.5, **EPSILON)
    ax.plot(N, crude, ms=3.5, **CRUDE)
    ax.set_yscale("log")
    ax.set_title("at most lost by truncation")


def _references(results: Drawing, rows: pd.DataFrame) -> list[tuple[list[float], dict[str, Any]]]:
    """Root values of the paper's other methods, each with the style of its line."""
    found = []
    for solver in REFERENCES:
        of = rows[(rows["solver"] == solver) & (rows["failure"] == "")]
        if of.empty:
            continue
        row = of.iloc[0]
        values = results.details(row["key"]).get("values")
        if values is None:
            continue
        style = results.styles[row["method"]]
        line = LINES[REFERENCES.index(solver)]
        label = row["method"]
        found.append((values, {"color": style.colour, "ls": line, "lw": 1.2, "label": label}))
    return found


def _first(cells: list[dict[str, Any]], criterion: str) -> int | None:
    """The first N from which a criterion holds at all roots for good, or None."""
    first = None
    for cell in cells:
        if not np.all(cell["info"][criterion]):
            first = None
        elif first is None:
            first = cell["N"]
    return first
