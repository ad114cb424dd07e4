"""How every figure looks: sizes of print, colours safe for the colour-blind (Okabe and Ito), and
markers and line styles that tell methods apart in grey.  Saving is reproducible to the byte."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullLocator

from bench.analysis.labels import solver_rank
from bench.store.files import written_beside

SINGLE, DOUBLE = 3.3, 7.0
"""Column widths of a printed page; this and all sizes in inches."""
LEGEND_LINE, SPARE_LINE = 0.15, 0.127
LEGEND_LETTER, LEGEND_HANDLE = 0.051, 0.42
"""About the width of a letter in a legend, and of the handle and space that come with a label."""
MOST_TICKS = 4
FILE_TYPES = (".png", ".svg", ".pdf")
DPI = 200
INK, GREY, PALE = "#222222", "#777777", "#dddddd"
BAND = "#b8c4cc"
STRIP = "#f1f1f1"
FAMILIES = {
    # solver id without "julia-" -> colour, marker, first of its line styles
    "always-sense": ("#666666", "x", 2),
    "atm": ("#E69F00", "s", 1),
    "truncation": ("#009E73", "^", 3),
    "pomcp": ("#56B4E9", "P", 2),
    "qmdp": ("#8A6D00", "<", 1),
    "pbvi": ("#000000", "X", 4),
    "hold": ("#6A3D9A", "p", 2),
    "fib": ("#CC79A7", "v", 4),
    "dips": ("#D55E00", "D", 0),
    "delayed-information": ("#332288", "h", 1),
    "spi": ("#0072B2", "o", 0),
}
OTHERS: tuple[tuple[str, Any], ...] = (
    *(("#117733", "p"), ("#AA4499", "d"), ("#882255", ">"), ("#44AA99", "H"), ("#999933", "*")),
    *(("#CC6677", "8"), ("#661100", (4, 1, 0)), ("#6699CC", (3, 1, 0)), ("#AA7744", (4, 1, 45))),
    ("#4B5D16", (6, 1, 0)),
)
"""Of any other family; as many as the suite with the most of them needs.  Three numbers are a star:
its points, 1, and how far it is turned."""
LINES = ("-", (0, (4, 1.5)), (0, (1.2, 1.2)), (0, (5, 1.2, 1.2, 1.2)), (0, (8, 2, 1, 2, 1, 2)))
FILLS = ("full", "none", "left", "bottom")
"""Of the markers of a family: points have no line to tell them apart."""
MARKERS = {"full": 4.0, "none": 6.5, "left": 5.0, "bottom": 5.0}
"""Their sizes in points.  An open marker is a ring about a full one: where two variants of a method
have the same value, both are seen."""
RC = {
    "font.family": "DejaVu Sans",
    "font.size": 7.5,
    "axes.titlesize": 8,
    "axes.labelsize": 7.5,
    "xtick.labelsize": 6.5,
    "ytick.labelsize": 6.5,
    "legend.fontsize": 6.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": GREY,
    "axes.linewidth": 0.6,
    "axes.grid": True,
    "grid.color": PALE,
    "grid.linewidth": 0.4,
    "axes.axisbelow": True,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "xtick.minor.size": 1.5,
    "lines.linewidth": 1.2,
    "lines.markersize": 4,
    "legend.frameon": False,
    "legend.handlelength": 2.6,
    "figure.constrained_layout.use": True,
    "svg.hashsalt": "sensebench",
    "svg.fonttype": "path",
    "pdf.fonttype": 42,
    "path.simplify": True,
}
METADATA = {
    ".png": {"Software": None},
    ".svg": {"Date": None, "Creator": "sensebench"},
    ".pdf": {"CreationDate": None, "ModDate": None, "Producer": "sensebench", "Creator": None},
}


@dataclass(frozen=True)
class Style:
    """How one method is drawn; ``fill`` of its marker tells the variants of a family apart."""

    colour: str
    marker: Any
    line: Any
    fill: str

    def of_line(self) -> dict[str, Any]:
        """Keywords for ``Axes.plot``."""
        return {
            "color": self.colour,
            "marker": self.marker,
            "linestyle": self.line,
            "fillstyle": self.fill if self.fill != "none" else "full",
            "markerfacecolor": "none" if self.fill == "none" else self.colour,
            "markerfacecoloralt": "none",
            "markeredgecolor": self.colour,
            "markeredgewidth": 0.8,
            "markersize": MARKERS[self.fill],
        }

    def pale(self) -> Style:
        """The same in the background: a thin grey line without markers."""
        return Style(PALE, "", "-", "full")

    def of_point(self) -> dict[str, Any]:
        """The same without the line."""
        return {**self.of_line(), "linestyle": "none"}


def method_styles(frame: pd.DataFrame) -> dict[str, Style]:
    """A style for each method of a suite; variants of a solver share its colour and marker."""
    styles: dict[str, Style] = {}
    seen: dict[str, int] = {}
    columns = (frame[c] for c in ("solver", "options", "method"))
    ranked = sorted((solver_rank(s, o), s, m) for s, o, m in zip(*columns, strict=True))
    for _, solver, method in ranked:
        if method in styles:
            continue
        family = solver.removeprefix("julia-").removesuffix("-structured")
        variant = seen.setdefault(family, 0)
        seen[family] += 1
        if family in FAMILIES:
            colour, marker, line = FAMILIES[family]
        else:
            line = [f for f in seen if f not in FAMILIES].index(family)
            colour, marker = OTHERS[line % len(OTHERS)]
        line = LINES[(line + variant) % len(LINES)]
        styles[method] = Style(colour, marker, line, FILLS[variant % len(FILLS)])
    return styles


@contextlib.contextmanager
def styled() -> Iterator[None]:
    """Draw within this, so that a user's own matplotlib settings change nothing."""
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(RC)
        yield


def save(figure: Figure, stem: Path) -> list[Path]:
    """Write a figure as PNG, SVG and PDF without dates; returns the paths."""
    paths = [stem.with_name(stem.name + suffix) for suffix in FILE_TYPES]
    # Once laid out, a figure stays so: laying out takes longer than drawing.
    figure.draw_without_rendering()
    with mpl.rc_context({"figure.constrained_layout.use": False}):
        figure.set_layout_engine(None)
    for path in paths:
        with written_beside(path) as beside:
            form = path.suffix.removeprefix(".")
            figure.savefig(beside, format=form, dpi=DPI, metadata=METADATA[path.suffix])
    return paths


def panels(
    count: int, columns: int, height: float, width: float = DOUBLE
) -> tuple[Figure, list[Axes]]:
    """A figure of ``count`` panels, row by row, each row ``height`` inches high."""
    columns = min(columns, count)
    lines = math.ceil(count / columns)
    figure = Figure(figsize=(width, height * lines))
    axes = list(figure.subplots(lines, columns, squeeze=False).flat)
    for spare in axes[count:]:
        spare.axis("off")
    return figure, axes[:count]


def add_legend(figure: Figure, handles: list[Any], columns: int = 5) -> None:
    """One legend for all panels: in the place of spare panels if it fits there, else below."""
    spare = [ax for ax in figure.axes if not ax.axison]
    fitting = figure.get_figheight() / (_grid_lines(figure) * SPARE_LINE) - 1
    if not spare or len(handles) > fitting * len(spare):
        legend_below(figure, handles, columns)
        return
    each = math.ceil(len(handles) / len(spare))
    for i, ax in enumerate(spare):
        own = handles[i * each : (i + 1) * each]
        ax.legend(handles=own, loc="center left", labelspacing=0.35)


def legend_below(figure: Figure, handles: list[Any], columns: int = 5) -> None:
    """One legend for the whole figure, below it."""
    columns = min(columns, len(handles))
    while columns > 1 and _legend_width(handles, columns) > figure.get_figwidth():
        columns -= 1
    lines = math.ceil(len(handles) / columns)
    figure.set_figheight(figure.get_figheight() + LEGEND_LINE * lines)
    figure.legend(handles=handles, loc="outside lower center", ncols=columns, columnspacing=1.4)


def _legend_width(handles: list[Any], columns: int) -> float:
    """About how wide a legend is; it is filled column by column, the first ones fuller."""
    sizes = [len(handle.get_label()) for handle in handles]
    least, more = divmod(len(sizes), columns)
    width, at = 0.0, 0
    for column in range(columns):
        end = at + least + (column < more)
        width += LEGEND_HANDLE + LEGEND_LETTER * max(sizes[at:end])
        at = end
    return width


def _grid_lines(figure: Figure) -> int:
    return figure.axes[0].get_subplotspec().get_gridspec().nrows


def line_handle(style: Style, label: str) -> Line2D:
    """A legend entry for a method's line."""
    return Line2D([], [], label=label, **style.of_line())


def point_handle(style: Style, label: str) -> Line2D:
    """A legend entry for a method's points."""
    return Line2D([], [], label=label, **style.of_point())


def darker(colour: str) -> tuple[float, ...]:
    """A method's colour as small print needs it."""
    return tuple(0.7 * part for part in mpl.colors.to_rgb(colour))


def log_costs(ax: Axes, costs: list[float]) -> None:
    """A sensing-cost axis: logarithmic over more than a decade, ticks with plain numbers."""
    ax.set_xlabel("sensing cost k")
    if len(costs) > 1 and min(costs) > 0 and max(costs) / min(costs) > 8:
        ax.set_xscale("log")
        if len(costs) <= 5:
            ax.xaxis.set_major_locator(FixedLocator(costs))
        else:
            ax.xaxis.set_major_locator(LogLocator(numticks=5))
        ax.xaxis.set_minor_locator(NullLocator())
        ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))


def log_seconds(ax: Axes, low: float, high: float) -> None:
    """A logarithmic axis of planning seconds from ``low`` to ``high``, with plain numbers."""
    decades = math.log10(high / low)
    steps = (1,) if decades > 2.2 else (1, 3) if decades > 1.2 else (1, 2, 5)
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    ticks = [s * 10.0**e for e in range(first, last + 1) for s in steps]
    ticks = [t for t in ticks if low <= t <= high]
    ax.set_xscale("log")
    ax.set_xlim(low, high)
    ax.set_xlabel("planning time (s)")
    ax.xaxis.set_major_locator(FixedLocator(ticks[:: math.ceil(len(ticks) / MOST_TICKS)]))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
    ax.xaxis.set_minor_locator(NullLocator())
