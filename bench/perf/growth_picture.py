"""The picture of ``sensebench perf growth``: time, memory and gap against the number of states."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from bench.perf.growth_lines import Line
from bench.plots.style import FAMILIES, GREY, LINES, legend_below, panels, save, styled

PLANNERS = ("spi", "atm")
TITLES = {"spi": "SPI", "atm": "ATM", "dips": "DIPS (ours)", "julia-sarsop": "NativeSARSOP"}
HEIGHT = 2.4
LINE = 0.07
"""Share of a panel's height that a label takes."""


def draw(lines: list[Line], path: Path) -> list[Path]:
    """Write the picture; returns the files."""
    good = [line for line in lines if np.isfinite(line.seconds)]
    planners = [line for line in good if line.solver in PLANNERS]
    anytime = [line for line in good if line.solver not in PLANNERS and np.isfinite(line.gap)]
    wanted = [
        (planners, lambda line: line.seconds, "seconds"),
        (planners, lambda line: line.cpu_seconds, "processor seconds"),
        ([p for p in planners if p.threads == 1], lambda line: line.peak_mb / 1024, "peak, GiB"),
        (anytime, lambda line: 100 * line.gap, "proven gap after 20 s, %"),
    ]
    wanted = [panel for panel in wanted if panel[0]]
    with styled():
        figure, axes = panels(len(wanted), 2, HEIGHT)
        handles: dict[str, Line2D] = {}
        for ax, (of, number, name) in zip(axes, wanted, strict=True):
            handles.update(_panel(ax, of, number))
            ax.set_title(name)
        legend_below(figure, list(handles.values()), 4)
        return save(figure, path)


def _panel(ax: Axes, lines: list[Line], number: Callable[[Line], float]) -> dict[str, Line2D]:
    """Draw a curve for each solver, choice of roots and number of threads, its slope at its end."""
    handles, ends = {}, []
    for solver, roots, threads in dict.fromkeys((p.solver, p.roots, p.threads) for p in lines):
        curve = sorted(
            (line.states, number(line))
            for line in lines
            if (line.solver, line.roots, line.threads) == (solver, roots, threads)
            and number(line) > 0  # a gap that is closed has no place on a logarithmic axis
        )
        if not curve:
            continue
        x, y = np.array(curve, float).T
        style = _style(solver, roots, threads)
        ax.plot(x, y, **style)
        label = _label(solver, roots, threads)
        handles[label] = Line2D([], [], label=label, **style)
        if len(x) > 1:
            ends.append((y[-1], x[-1], slope(x, y), style["color"]))
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlabel("states")
    ax.margins(x=0.2, y=0.12)
    low, high = ax.get_ylim()
    for y, x, power, colour in _apart(ends, (high / low) ** LINE):
        ax.annotate(
            f"{power:.1f}", (x, y), (4, 0), textcoords="offset points", color=colour, va="center"
        )
    ax.grid(color=GREY, alpha=0.15)
    return handles


def slope(x: np.ndarray, y: np.ndarray) -> float:
    """The power of x that y grows like, by least squares on logarithms."""
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])


def _apart(
    ends: list[tuple[float, float, float, Any]], apart: float
) -> list[tuple[float, float, float, Any]]:
    """The same labels, those that would lie on one another moved up until y is ``apart`` times as
    large."""
    placed: list[tuple[float, float, float, Any]] = []
    for y, x, power, colour in sorted(ends, key=lambda end: end[:2]):
        near = [p[0] for p in placed if abs(np.log10(p[1] / x)) < 0.5]
        lowest = max(near, default=0.0) * apart
        placed.append((max(y, lowest), x, power, colour))
    return placed


def _style(solver: str, roots: str, threads: int) -> dict[str, Any]:
    colour, marker, _ = FAMILIES.get(solver.removeprefix("julia-"), ("#117733", "p", 0))
    return {
        "color": colour,
        "marker": marker,
        "linestyle": LINES[0] if threads == 1 else LINES[2],
        "fillstyle": "none" if roots == "all" else "full",
        "markersize": 4,
        "linewidth": 1,
    }


def _label(solver: str, roots: str, threads: int) -> str:
    title = TITLES.get(solver, solver)
    words = f"{title}, {roots} roots" if solver in PLANNERS else title
    return f"{words}, {threads} threads" if threads > 1 else words
