"""The figures of a suite, drawn from its rows: PNG, SVG and PDF, the same bytes every time.

One family of figures per file.  A family is a function ``draw(results) -> iterator of (name,
Figure)`` that yields nothing where the suite has nothing for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from matplotlib.figure import Figure

from bench.plots import depth, gap_over_time, over_cost, policy_picture, profile, time_and_value
from bench.plots.results import Results, load_results
from bench.plots.style import FILE_TYPES, save, styled

FAMILIES = (
    over_cost.draw_values,
    over_cost.draw_sensing_rates,
    profile.draw,
    time_and_value.draw,
    gap_over_time.draw,
    depth.draw,
    policy_picture.draw,
)


def figures(results: Results) -> Iterator[tuple[str, Figure]]:
    """Every figure the results have data for, with its file name."""
    for family in FAMILIES:
        yield from family(results)


def write_plots(suite: str, results_dir: str | Path) -> list[Path]:
    """Draw the figures of a suite into ``<results_dir>/<suite>/figures``; returns their paths.

    What was drawn there before and is not drawn any more is removed.
    """
    folder = Path(results_dir) / suite / "figures"
    folder.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    with styled():
        for name, figure in figures(load_results(suite, results_dir)):
            written += save(figure, folder / name)
    for path in folder.iterdir():
        if path.suffix in FILE_TYPES and path not in written:
            path.unlink()
    return written
