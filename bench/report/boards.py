"""Pictures of grid worlds for the documentation: one SVG for each board.

``python -m bench.report.boards docs/boards`` draws them again; a test holds the files against what
the problems say, so a map and its picture cannot part.
"""

from __future__ import annotations

import sys
from html import escape
from pathlib import Path

from bench.problems import find_problem
from bench.problems.drone import corridor
from bench.problems.problem import Grid

DRAWN = (
    *("semi-slippery-4x4", "semi-slippery-8x8", "random-lake-12x12", "random-lake-20x20"),
    *("snake-maze", "drone"),
)
MAPS = {"drone": corridor}
"""Boards of problems whose states are more than places, and lie on no grid."""
WIDTH = 232
MARGIN = 4
FILLS = {"H": "#3f6f8f", "G": "#2e8b57", "S": "#f2c14e", "W": "#59636b"}
ICE, LINE, INK = "#e8f1f6", "#b9c9d3", "#1d2327"
WORDS = {"S": "start", "G": "goal", "H": "hole", "W": "wall"}


def board_svg(title: str, grid: Grid) -> str:
    """A board: its start, goal and holes in colour, walls as thick lines, a legend in words."""
    height, width = len(grid.cells), len(grid.cells[0])
    cell = (WIDTH - 2 * MARGIN) / width
    letters = sorted({c for row in grid.cells for c in row} & set(WORDS), key=list(WORDS).index)
    bottom = 2 * MARGIN + cell * height
    parts = [
        _cell(MARGIN + x * cell, MARGIN + y * cell, cell, letter)
        for y, row in enumerate(grid.cells)
        for x, letter in enumerate(row)
    ]
    parts += [_wall(wall, cell) for wall in grid.walls]
    parts += [_legend(i, letter, bottom) for i, letter in enumerate(letters)]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {bottom + 18:.0f}" '
        f'width="{WIDTH}" role="img"><title>{escape(title)}</title>'
        f'<rect width="100%" height="100%" fill="#fff"/>{"".join(parts)}</svg>\n'
    )


def _cell(x: float, y: float, size: float, letter: str) -> str:
    fill = FILLS.get(letter, ICE)
    return (
        f'<rect x="{x:.2f}" y="{y:.2f}" width="{size:.2f}" height="{size:.2f}" fill="{fill}" '
        f'stroke="{LINE}" stroke-width="0.6"/>'
    )


def _wall(wall: tuple[tuple[int, int], tuple[int, int]], size: float) -> str:
    """The edge that two neighbouring cells share."""
    (row, _), (r, c) = sorted(wall)
    x0, y0 = MARGIN + c * size, MARGIN + r * size
    x1, y1 = (x0, y0 + size) if row == r else (x0 + size, y0)
    return (
        f'<line x1="{x0:.2f}" y1="{y0:.2f}" x2="{x1:.2f}" y2="{y1:.2f}" stroke="{INK}" '
        'stroke-width="2" stroke-linecap="round"/>'
    )


def _legend(place: int, letter: str, y: float) -> str:
    x = MARGIN + 58 * place
    return (
        f'<rect x="{x}" y="{y + 2:.2f}" width="10" height="10" fill="{FILLS[letter]}"/>'
        f'<text x="{x + 14}" y="{y + 11:.2f}" font-family="sans-serif" font-size="11" '
        f'fill="{INK}">{WORDS[letter]}</text>'
    )


def board(problem_id: str) -> str:
    """The picture of a problem that lies on a grid."""
    facts = find_problem(problem_id)
    grid = MAPS.get(problem_id) or facts.plain_grid or facts.grid
    if grid is None:
        raise ValueError(f"{problem_id} does not lie on a grid")
    return board_svg(facts.title, grid())


def main(folder: str) -> None:
    """Draw all boards into a folder."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    for name in DRAWN:
        (Path(folder) / f"{name}.svg").write_text(board(name), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
