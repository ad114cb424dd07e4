"""Growth: the large lakes are Gymnasium's, measurements resume, and slopes are the true ones."""

import argparse
import subprocess
import sys

import matplotlib.pyplot as plt
import numpy as np
import pytest

from bench.perf import growth, growth_picture
from bench.perf.large_lakes import lake_from_cells, random_lake
from bench.problems.frozen_lake import MAPS, lake


@pytest.mark.parametrize("name", ["4x4", "8x8"])
def test_a_lake_from_arrays_is_the_one_from_gymnasium(name):
    rows = MAPS[name]
    cells = np.array([list(row) for row in rows])
    start = int(np.flatnonzero((cells == "S").ravel())[0])
    ours = lake_from_cells(cells == "H", cells == "G", start, 0.01, name)
    theirs = lake(rows, 0.01)
    assert (ours.terminal == theirs.terminal).all()
    np.testing.assert_allclose(ours.costs, theirs.costs, atol=1e-15)
    for mine, other in zip(ours.transitions, theirs.transitions, strict=True):
        np.testing.assert_allclose(mine.toarray(), other.toarray(), atol=1e-15)


def test_the_start_of_a_random_lake_is_live():
    for seed in range(5):
        problem = random_lake(12, seed)
        assert not problem.terminal[problem.start.argmax()]


def test_measurements_are_kept_and_not_made_again(tmp_path, monkeypatch, capsys):
    cells = [growth.Cell("spi", "all", 1, side) for side in (6, 8)]
    monkeypatch.setattr(growth, "cells", lambda: iter(cells))
    args = argparse.Namespace(results=tmp_path)
    assert growth.main(args) == 0
    lines = growth.read(tmp_path / "perf" / "growth.csv")
    assert [line.states for line in lines] == [36, 64]
    assert all(line.status == "solved" and line.peak_mb > 10 for line in lines)
    assert (tmp_path / "perf" / "growth.png").is_file()
    monkeypatch.setattr(growth, "_measured", lambda cell: pytest.fail("measured again"))
    capsys.readouterr()
    assert growth.main(args) == 0
    assert "solved" not in capsys.readouterr().out


def test_a_measurement_that_fails_is_a_line_that_says_so(monkeypatch):
    line = growth._measured(growth.Cell("no-such-solver", "all", 1, 4))
    assert line.status.startswith("failed: ")
    assert "no-such-solver" in line.status


def test_the_slope_is_the_power():
    x = np.array([1e2, 1e3, 1e5])
    assert growth_picture.slope(x, 7 * x**1.5) == pytest.approx(1.5)


def test_a_measurement_that_failed_is_made_again(tmp_path, monkeypatch):
    cell = growth.Cell("spi", "all", 1, 6)
    monkeypatch.setattr(growth, "cells", lambda: iter([cell]))
    path = tmp_path / "perf" / "growth.csv"
    path.parent.mkdir()
    growth.append(path, growth.Line("spi", "all", 1, 6, 36, status="failed: no memory"))
    good = growth.Line("spi", "all", 1, 6, 36, 1.0, 2.0, 30.0, status="solved")
    monkeypatch.setattr(growth, "_measured", lambda cell: good)
    assert growth.main(argparse.Namespace(results=tmp_path)) == 0
    assert [line.status for line in growth.read(path)] == ["solved"]


def test_what_is_promised_is_measured():
    """SPI and ATM at 10⁴, 10⁵ and 10⁶ states, all roots to 10⁵, one and two threads."""
    cells = set(growth.cells())
    for side in (100, 316, 1000):
        for threads in (1, 2):
            assert growth.Cell("spi", "reachable", threads, side) in cells
            assert growth.Cell("dips", "reachable", threads, side) in cells
        assert growth.Cell("atm", "reachable", 1, side) in cells
    for side in (100, 316):
        assert {growth.Cell(solver, "all", 1, side) for solver in ("spi", "atm")} <= cells
        assert growth.Cell("spi", "all", 2, side) in cells


def test_the_picture_tells_one_thread_from_two(tmp_path):
    lines = [
        growth.Line(solver, "reachable", threads, side, side**2, 1.0 / threads, 1.0, 99.0, gap=0.1)
        for solver in ("spi", "dips")
        for threads in (1, 2)
        for side in (10, 100)
    ]
    drawn = growth_picture.draw(lines, tmp_path / "growth")
    text = next(path for path in drawn if path.suffix == ".svg").read_text()
    for words in ("DIPS (ours), 2 threads", "SPI, reachable roots, 2 threads", "processor seconds"):
        assert words in text


def test_a_closed_gap_leaves_the_slope_of_the_others(tmp_path):
    """log 0 would make it nan."""
    figure, ax = plt.subplots()
    lines = [
        growth.Line("dips", "reachable", 1, side, side**2, 1.0, 1.0, 99.0, gap=gap)
        for side, gap in ((10, 0.0), (20, 0.001), (200, 0.1))
    ]
    growth_picture._panel(ax, lines, lambda line: line.gap)
    plt.close(figure)
    assert [text.get_text() for text in ax.texts] == ["1.0"]


def test_the_measuring_process_imports_nothing_that_draws():
    """Its peak memory is the measurement; and what draws needs nothing of what measures."""
    code = "import bench.perf.{}, sys; sys.exit('{}' in sys.modules)"
    for module, absent in (
        ("growth_measure", "matplotlib"),
        ("growth_measure", "bench.perf.growth"),
        ("growth_picture", "bench.perf.growth"),
    ):
        assert subprocess.run([sys.executable, "-c", code.format(module, absent)]).returncode == 0
