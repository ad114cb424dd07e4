"""The figures of a suite, drawn from its rows: PNG, SVG and PDF, the same bytes every time.

One family of figures per file.  A family is a function ``draw(results) -> iterator of (name,
Figure)`` that yields nothing where the suite has nothing for it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import matplotlib
from matplotlib.figure import Figure

from bench.plots import depth, gap_over_time, over_cost, policy_picture, profile, time_and_value
from bench.plots.results import Results, load_results
from bench.plots.style import FILE_TYPES, save, styled
from bench.store.store import Store, write_json
from bench.suites.suite import SuiteError, suite_path

BENCH = Path(__file__).resolve().parent.parent
DRAWN_BY = (
    *("plots/*.py", "problems/*.py", "analysis/*.py", "analysis/data/*.csv"),
    *("store/stale.py", "tables/certificate_table.py"),
)
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


def figures(results: Results) -> Iterator[tuple[str, Figure]]:
    """Every figure the results have data for, with its file name."""
    for family in FAMILIES:
        yield from family(results)


def write_plots(suite: str, results_dir: str | Path) -> list[Path]:
    """Draw the figures of a suite into ``<results_dir>/<suite>/figures``; returns their paths.

    suite : its name, or the path of its file

    What was drawn there before and is not drawn any more is removed.  Where neither the rows,
    the suite nor the drawing code have changed since, nothing is drawn again.
    """
    store = Store(results_dir, suite)
    folder = store.directory / "figures"
    folder.mkdir(parents=True, exist_ok=True)
    stamp = _inputs([store.rows_path, *_suite_files(suite)])
    written = _drawn_already(folder, stamp)
    if written:
        return written
    with styled():
        for name, figure in figures(load_results(suite, results_dir)):
            written += save(figure, folder / name)
    for path in folder.iterdir():
        if path.suffix in FILE_TYPES and path not in written:
            path.unlink()
    write_json(folder / STAMP, {"inputs": stamp, "files": [p.name for p in written]}, indent=1)
    return written


def _suite_files(suite: str) -> list[Path]:
    """The suite's file, which says what rows are shown; none where it is not known here."""
    try:
        return [suite_path(suite)]
    except SuiteError:
        return []


def _inputs(files: list[Path]) -> str:
    """A hash of what the figures are made from: these files and the code that draws them."""
    code = sorted(path for pattern in DRAWN_BY for path in BENCH.glob(pattern))
    parts = [matplotlib.__version__.encode(), *(path.read_bytes() for path in code)]
    parts += [path.read_bytes() for path in files if path.is_file()]
    return hashlib.sha256(b"".join(hashlib.sha256(p).digest() for p in parts)).hexdigest()[:16]


def _drawn_already(folder: Path, stamp: str) -> list[Path]:
    """The figures that are there, if they are all there and made from the same inputs."""
    if not (folder / STAMP).is_file():
        return []
    known = json.loads((folder / STAMP).read_text(encoding="utf-8"))
    paths = [folder / name for name in known["files"]]
    whole = known["inputs"] == stamp and all(path.is_file() for path in paths)
    return paths if whole else []
