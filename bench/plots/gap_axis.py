"""The axis of a proven gap: logarithmic, in per cent, with an end for gaps that are closed."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

FLOOR = 1e-6
"""Smaller gaps are drawn here and called closed."""
CEILING = 10.0


def log_gap(ax: Axes, lowest: float, highest: float) -> None:
    """A vertical axis for gaps between FLOOR and CEILING that reach from lowest to highest."""
    ax.set_yscale("log")
    ax.set_ylim(0.6 * lowest, 2.5 * max(highest, 10 * lowest))
    ax.set_ylabel("proven gap (% of |value|)")
    ax.yaxis.set_major_locator(LogLocator(numticks=6))
    ax.yaxis.set_minor_locator(NullLocator())
    ax.yaxis.set_major_formatter(FuncFormatter(_percent))


def _percent(share: float, _: int) -> str:
    if share <= FLOOR * 1.01:
        return "closed"
    return f"{'≥ ' if share >= CEILING * 0.99 else ''}{100 * share:g} %"
