"""Small charts as SVG text, for pages that must stand alone: lines, steps, bars and bands."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from html import escape

WIDTH, HEIGHT = 560, 240
LEFT, RIGHT, TOP, BOTTOM = 66, 12, 12, 40
TICKS = 5

Point = tuple[float, float]


class Chart:
    """A chart over x and y ranges; parts are added in the order they are drawn."""

    def __init__(
        self, x_range: Point, y_range: Point, x_title: str, y_title: str, about: str
    ) -> None:
        self.x0, self.x1 = x_range
        low, high = y_range
        room = 0.06 * (high - low) or 0.5 * abs(high) or 1.0
        self.y0, self.y1 = low - room, high + room
        self.x_title, self.y_title, self.about = x_title, y_title, about
        self.parts: list[str] = []

    def x(self, value: float) -> float:
        return LEFT + (value - self.x0) / (self.x1 - self.x0) * (WIDTH - LEFT - RIGHT)

    def y(self, value: float) -> float:
        return HEIGHT - BOTTOM - (value - self.y0) / (self.y1 - self.y0) * (HEIGHT - TOP - BOTTOM)

    def line(self, points: Sequence[Point], style: str) -> None:
        """A line through points; ``style`` is a class of the page's style sheet."""
        path = " ".join(f"{self.x(x):.1f},{self.y(y):.1f}" for x, y in points)
        self.parts.append(f'<polyline class="{style}" points="{path}"/>')

    def dots(self, points: Sequence[Point], style: str) -> None:
        for x, y in points:
            self.parts.append(
                f'<circle class="{style}" cx="{self.x(x):.1f}" cy="{self.y(y):.1f}" r="3"/>'
            )

    def band(self, points: Sequence[tuple[float, float, float]], style: str) -> None:
        """A band between two heights: (x, low, high)."""
        there = [f"{self.x(x):.1f},{self.y(high):.1f}" for x, _, high in points]
        back = [f"{self.x(x):.1f},{self.y(low):.1f}" for x, low, _ in reversed(points)]
        self.parts.append(f'<polygon class="{style}" points="{" ".join(there + back)}"/>')

    def upright(self, x: float, style: str) -> None:
        self.line([(x, self.y0), (x, self.y1)], style)

    def svg(self) -> str:
        """The chart as SVG text."""
        ticks = [_tick_y(self, v) for v in nice_ticks(self.y0, self.y1)]
        ticks += [_tick_x(self, v) for v in nice_ticks(self.x0, self.x1)]
        middle = (TOP + HEIGHT - BOTTOM) / 2
        return (
            f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(self.about)}">'
            + "".join(ticks)
            + "".join(self.parts)
            + f'<text class="title" x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 6}" '
            f'text-anchor="middle">{escape(self.x_title)}</text>'
            f'<text class="title" transform="translate(12 {middle}) rotate(-90)" '
            f'text-anchor="middle">{escape(self.y_title)}</text></svg>'
        )


def nice_ticks(low: float, high: float) -> list[float]:
    """About TICKS round numbers in a range."""
    step = 10 ** math.floor(math.log10((high - low) / TICKS))
    step = next(m * step for m in (1, 2, 5, 10) if (high - low) / (m * step) <= TICKS)
    first = math.ceil(low / step - 1e-9)
    return [i * step for i in range(first, math.floor(high / step + 1e-9) + 1)]


def _tick_y(chart: Chart, value: float) -> str:
    y = chart.y(value)
    return (
        f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
        f'<text x="{LEFT - 6}" y="{y + 3.5:.1f}" text-anchor="end">{value:.4g}</text>'
    )


def _tick_x(chart: Chart, value: float) -> str:
    x, base = chart.x(value), HEIGHT - BOTTOM
    return (
        f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{base}" y2="{base + 4}"/>'
        f'<text x="{x:.1f}" y="{base + 16}" text-anchor="middle">{value:.4g}</text>'
    )


def bars(
    lines: Sequence[tuple[str, float]], mark: float, mark_title: str, number: Callable[[float], str]
) -> str:
    """Bars with their names above them, and a mark across: HTML, so that names wrap."""
    top = max([value for _, value in lines] + [mark, 1e-300])
    rows = "".join(
        f'<div class="bar"><span>{escape(name)}</span><div class="track">'
        f'<div class="{"fill" if value > mark else "fill low"}" '
        f'style="width:{100 * value / top:.1f}%"></div>'
        f'<div class="mark" style="left:{100 * mark / top:.1f}%"></div></div>'
        f"<b>{number(value)}</b></div>"
        for name, value in lines
    )
    return f'<div class="bars">{rows}<p class="small">{escape(mark_title)}</p></div>'
