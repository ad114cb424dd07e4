"""A sheet of small grids with beliefs on them: lines of a plan, one grid per step.

The belief before an action is shaded, arrows show the action where the agent may well be; in the
last grid of a line the cells are outlined in which a look may find it.
"""

from __future__ import annotations

import textwrap
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.colors import LinearSegmentedColormap, PowerNorm
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, PathPatch
from matplotlib.path import Path

from bench.analysis.labels import cost_title
from bench.plots.style import DOUBLE, GREY, INK, legend_below
from bench.problems import Grid
from solvers.core.model import SensingMDP

LOOKS, NEVER_LOOKS, STILL_BLIND = "looks here", "never looks", "still blind"
LIKELY, POSSIBLE = 0.3, 0.01
"""Cells with an arrow, as a share of the likeliest; cells outlined where the agent will look."""
MOST_LETTERS = 22
"""Of a line of the words before the grids."""
MOST_NUMBERED = 5
"""Grids up to this wide have room for the probabilities in the last picture."""
SIDE, WORDS = 0.3, 1.6
"""Room beside a grid, and for the words before a line, in widths of a grid."""
ACCENT, HATCH = "#D55E00", "#9a9a9a"
DIRECTIONS = {
    **{"left": (0, -1), "right": (0, 1), "up": (-1, 0), "down": (1, 0)},
    **{"west": (0, -1), "east": (0, 1), "north": (-1, 0), "south": (1, 0)},
}
SHADES = LinearSegmentedColormap.from_list("belief", ["#ffffff", "#a6c8e4", "#2b6ca8", "#0b2e57"])
NORM = PowerNorm(0.5, 0.0, 1.0)
STAR = {"marker": "*", "ls": "none", "mfc": "#F0E442", "mec": INK, "mew": 0.4}


def on_grid(grid: Grid, belief: np.ndarray) -> np.ndarray:
    """A belief (S,) over cells: (rows, columns)."""
    cells = np.zeros((len(grid.cells), len(grid.cells[0])))
    np.add.at(cells, tuple(np.array(grid.position).T), belief)
    return cells


class Sheet:
    """Grids in one pair of axes whose unit is a cell; lines and columns count from 0."""

    def __init__(self, grid: Grid, model: SensingMDP) -> None:
        self.grid, self.model = grid, model
        self.height, self.width = len(grid.cells), len(grid.cells[0])
        self.figure = Figure()
        self.ax = self.figure.subplots()
        self._paths: dict[str, list] = {"lines": [], "holes": [], "frames": [], "walls": []}
        self._found: list = []
        self._arrows: dict[str, list[tuple[float, float]]] = {}
        self._stars: list[tuple[float, float]] = []

    def _corner(self, line: int, column: int) -> tuple[float, float]:
        """(x, y) of the middle of a grid's first cell."""
        x = (WORDS + column * (1 + SIDE / 2)) * self.width
        return x, line * (1 + SIDE) * self.height

    def describe(self, line: int, rows: list[pd.Series]) -> None:
        """Sensing costs, method and sensing rates before a line."""
        words = ["k = " + ", ".join(cost_title(row["k"]) for row in rows)]
        words += dict.fromkeys(row["method"] for row in rows)
        rates = [f"{row['sensing_rate']:.0%}" for row in rows if pd.notna(row["sensing_rate"])]
        words += [f"looks at {' or '.join(dict.fromkeys(rates))} of steps"] if rates else []
        words = [line for text in words for line in textwrap.wrap(text, MOST_LETTERS)]
        y = self._corner(line, 0)[1] + (self.height - 1) / 2
        self.ax.text(-0.5, y, "\n".join(words), va="center", linespacing=1.5, fontsize=6.5)

    def draw_step(self, line: int, column: int, step: int, belief: np.ndarray, action: int) -> None:
        """The belief before an action, and the action."""
        name = self.model.action_names[action]
        x0, y0 = self._draw_belief(line, column, belief, f"{step + 1}. {name}")
        if name in DIRECTIONS:
            live = on_grid(self.grid, np.where(self.model.terminal, 0.0, belief))
            where = np.argwhere(live >= max(LIKELY * live.max(), 1e-12))
            self._arrows.setdefault(name, []).extend((x0 + c, y0 + r) for r, c in where)

    def draw_end(self, line: int, column: int, belief: np.ndarray, words: str) -> None:
        """Where the agent LOOKS, is left blind for good, or is when the picture ends."""
        ink = ACCENT if words == LOOKS else GREY
        x0, y0 = self._draw_belief(line, column, belief, words, color=ink, fontweight="bold")
        cells = on_grid(self.grid, belief)
        for r, c in np.argwhere(cells >= POSSIBLE):
            if words == LOOKS:
                self._found.append(_square(x0 + c, y0 + r, 0.44))
            if self.width <= MOST_NUMBERED:
                style = {"color": "white" if cells[r, c] > 0.2 else INK, "fontsize": 4.8}
                style |= {"ha": "center", "va": "center", "zorder": 6}
                self.ax.text(x0 + c, y0 + r, f"{100 * cells[r, c]:.0f}", **style)

    def _draw_belief(
        self, line: int, column: int, belief: np.ndarray, title: str, **style: Any
    ) -> tuple[float, float]:
        x0, y0 = self._corner(line, column)
        w, h = self.width, self.height
        extent = (x0 - 0.5, x0 + w - 0.5, y0 + h - 0.5, y0 - 0.5)
        image = {"cmap": SHADES, "norm": NORM, "interpolation": "none", "zorder": 1}
        self.ax.imshow(on_grid(self.grid, belief), extent=extent, **image)
        middle = x0 + (w - 1) / 2
        style = {"ha": "center", "va": "bottom", "fontsize": 6.5, **style}
        self.ax.text(middle, y0 - 0.5 - 0.03 * h, title, **style)
        for i in range(1, w):
            self._paths["lines"].append(((x0 + i - 0.5, y0 - 0.5), (x0 + i - 0.5, y0 + h - 0.5)))
        for i in range(1, h):
            self._paths["lines"].append(((x0 - 0.5, y0 + i - 0.5), (x0 + w - 0.5, y0 + i - 0.5)))
        left, right, bottom, top = extent
        frame = ((left, top), (right, top), (right, bottom), (left, bottom), (left, top))
        self._paths["frames"].append(frame)
        for (r, c), (r2, c2) in self.grid.walls:
            x, y = x0 + (c + c2) / 2, y0 + (r + r2) / 2
            dx, dy = (0.0, 0.5) if r == r2 else (0.5, 0.0)
            self._paths["walls"].append(((x - dx, y - dy), (x + dx, y + dy)))
        self._draw_letters(x0, y0)
        return x0, y0

    def _draw_letters(self, x0: float, y0: float) -> None:
        lake = "H" in "".join(self.grid.cells)
        for r, row in enumerate(self.grid.cells):
            for c, letter in enumerate(row):
                if letter == "H":
                    self._paths["holes"].append(_square(x0 + c, y0 + r, 0.5))
                elif letter == "G" and lake:
                    self._stars.append((x0 + c + 0.3, y0 + r - 0.3))
                elif letter not in "SF":
                    style = {"fontsize": 4.5, "color": GREY, "va": "top"}
                    self.ax.text(x0 + c - 0.45, y0 + r - 0.45, letter, **style)

    def finish(self, lines: int, columns: int, title: str) -> Figure:
        """Everything collected, drawn, with its legend; the sheet is used up."""
        ax, w, h = self.ax, self.width, self.height
        self._draw_path("lines", edgecolor="#cccccc", lw=0.4, zorder=2)
        self._draw_path("holes", edgecolor=HATCH, lw=0, hatch="/////", zorder=2)
        self._draw_path("frames", edgecolor=GREY, lw=0.7, zorder=3)
        self._draw_path("walls", edgecolor=INK, lw=1.4, zorder=3)
        self._paths["found"] = self._found
        self._draw_path("found", edgecolor=ACCENT, lw=0.9, zorder=5)
        if self._stars:
            ax.plot(*np.array(self._stars).T, ms=14 / h, zorder=4, **STAR)
        right = self._corner(0, columns - 1)[0] + w - 0.3
        bottom = self._corner(lines - 1, 0)[1] + h - 0.3
        ax.set(xlim=(-0.5, right), ylim=(bottom, -0.5 - 0.2 * h), aspect="equal")
        ax.axis("off")
        cell = DOUBLE * 72 / (right + 0.5)  # in points
        for name, where in self._arrows.items():
            style = {"ms": 0.8 * cell, "mfc": ACCENT, "mec": "white", "mew": 0.25, "ls": "none"}
            ax.plot(*np.array(where).T, marker=_arrow(*DIRECTIONS[name]), zorder=4, **style)
        inches = DOUBLE * (bottom + 0.5 + 0.2 * h) / (right + 0.5)
        self.figure.set_size_inches(DOUBLE, inches + 0.42)
        self.figure.suptitle(title, fontsize=8.5)
        legend_below(self.figure, self._handles(), columns=8)
        return self.figure

    def _draw_path(self, name: str, **style: Any) -> None:
        """All outlines of a kind as one path: small files, quick to draw."""
        if self._paths[name]:
            joined = Path.make_compound_path(*(Path(points) for points in self._paths[name]))
            self.ax.add_patch(PathPatch(joined, fill=False, clip_on=False, **style))

    def _handles(self) -> list[Any]:
        shades = [
            Patch(facecolor=SHADES(NORM(p)), edgecolor=GREY, lw=0.4, label=f"{p:.0%}")
            for p in (0.01, 0.1, 0.5, 1.0)
        ]
        shades[0].set_label("belief 1%")
        label = "may be found here" + (" (in %)" if self.width <= MOST_NUMBERED else "")
        handles = [*shades, Patch(facecolor="white", edgecolor=ACCENT, label=label)]
        if self._paths["holes"]:
            hole = {"facecolor": "white", "edgecolor": HATCH, "hatch": "/////", "lw": 0.4}
            handles += [Patch(label="hole", **hole), Line2D([], [], label="goal", **STAR)]
        return handles


def _arrow(down: int, right: int) -> Path:
    """An arrow of length 1 about the origin, as a marker (whose y axis points up)."""
    shape = [(-0.5, 0.12), (0.05, 0.12), (0.05, 0.36), (0.5, 0.0)]
    shape += [(x, -y) for x, y in reversed(shape[:-1])]
    turned = [(x * right + y * down, -x * down + y * right) for x, y in shape]
    return Path([*turned, turned[0]], closed=True)


def _square(x: float, y: float, half: float) -> tuple[tuple[float, float], ...]:
    corners = ((-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1))
    return tuple((x + dx * half, y + dy * half) for dx, dy in corners)
