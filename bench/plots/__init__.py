"""The figures of a suite, drawn from its rows: PNG, SVG and PDF, the same bytes every time.

One family of figures per file.  A family is a function ``draw(results) -> iterator of (name,
Figure)`` that yields nothing where the suite has nothing for it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from importlib.resources import files
from pathlib import Path

import matplotlib
from matplotlib.figure import Figure

from bench.analysis.labels import file_word
from bench.analysis.results import Results
from bench.plots import depth, gap_over_time, over_cost, policy_picture, profile, time_and_value
from bench.plots.drawing import Drawing
from bench.plots.style import FILE_TYPES, save, styled
from bench.run.code_hash import hash_of
from bench.store.files import write_json

STAMP = "drawn.json"
"""What the figures in a folder were made from."""
FAMILIES = (
    over_cost.draw_values,
    over_cost.draw_sensing_rates,
    over_cost.draw_gaps,
    profile.draw,
    time_and_value.draw,
    gap_over_time.draw,
    depth.draw,
    policy_picture.draw,
)


def figures(results: Drawing) -> Iterator[tuple[str, Figure]]:
    """Every figure the results have data for, with its file name."""
    for family in FAMILIES:
        yield from family(results)


NEEDS = {
    "value-over-cost": "a problem with a method at three uniform sensing costs or more",
    "sensing-rate": "a problem with a method at three uniform sensing costs or more",
    "gap-over-cost": "a proven bound at three uniform sensing costs or more",
    "profile": "six instances or more",
    "time-and-value": "a problem with four methods or more at no more than eight sensing costs",
    "gap-over-time": "a method that keeps a trace of its bounds, as dips does",
    "depth": "truncation at three depths or more on a problem of few states",
    "policy": "a grid world with a plan that acts blind",
}
"""What each family of figures needs to be drawn."""


def undrawn(written: Iterable[Path]) -> list[str]:
    """Families of figures that a suite has nothing for, each with what it would need."""
    names = [path.name for path in written]
    missing = [f for f in NEEDS if not any(name.startswith(f) for name in names)]
    return [f"{family} (it needs {NEEDS[family]})" for family in missing]


def write_plots(results: Results) -> list[Path]:
    """Draw the figures of a suite into ``figures`` beside its rows; returns their paths.

    What was drawn there before and is not drawn any more is removed.  Where neither the rows,
    the suite nor the drawing code have changed since, nothing is drawn again.
    """
    folder = results.folder / "figures"
    folder.mkdir(parents=True, exist_ok=True)
    stamp = _inputs(results)
    written = _drawn_already(folder, stamp)
    if written:
        return written
    with styled():
        for name, figure in figures(Drawing.of(results)):
            written += save(figure, folder / file_word(name))
    for path in folder.iterdir():
        if path.suffix in FILE_TYPES and path not in written:
            path.unlink()
    write_json(folder / STAMP, {"inputs": stamp, "files": [p.name for p in written]}, indent=1)
    return written


def _inputs(results: Results) -> str:
    """A hash of what the figures are made from: rows, suite, published numbers, drawing code."""
    code = hash_of((("bench.plots", "figures"), ("bench.plots.style", "save")))
    data = [results.store.rows_path, *files("bench.analysis").joinpath("data").iterdir()]
    data += [results.suite.path] if results.suite is not None else []
    parts = [matplotlib.__version__.encode(), code.encode()]
    parts += [path.read_bytes() for path in data]
    return hashlib.sha256(b"".join(hashlib.sha256(p).digest() for p in parts)).hexdigest()[:16]


def _drawn_already(folder: Path, stamp: str) -> list[Path]:
    """The figures that are there, if they are all there and made from the same inputs."""
    try:
        known = json.loads((folder / STAMP).read_text(encoding="utf-8"))
        paths = [folder / name for name in known["files"]]
        whole = known["inputs"] == stamp and all(path.is_file() for path in paths)
    except (OSError, ValueError, LookupError, TypeError):  # none, or damaged: draw again
        return []
    return paths if whole else []
