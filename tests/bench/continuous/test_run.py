"""The continuous suite runs, resumes, and shows what it found."""

import json
import sys
from dataclasses import replace

import pytest

from bench.cli import main
from bench.continuous import run as suite
from bench.continuous.figures import draw
from bench.continuous.suites import QUICK, Effort, Settings
from bench.continuous.table import load, markdown

TINY = replace(
    QUICK,
    name="tiny",
    efforts={"walk-1d": Effort(20, 20, 40, 20, 8, 16, 1, ((30,),))},
    samples=50,
)
WALK = ("walk-1d", 0.05, 0)


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    folder = tmp_path_factory.mktemp("results")
    suite.run(TINY, folder)
    return folder


@pytest.mark.slow
def test_every_method_has_a_value_at_every_cost(results):
    frame = load("tiny", results)
    assert set(frame["sensing_cost"]) == {0.05, 0.3, 1.0}
    assert {"spi-continuous", "network", "atm", "grid-dips 30"} <= set(frame["method"])
    text = markdown(frame)
    assert "walk-1d" in text and "not run" not in text


@pytest.mark.slow
def test_what_is_done_is_not_done_again(results, capsys, monkeypatch):
    monkeypatch.setattr(suite, "run_task", None)
    assert len(suite.run(TINY, results)) == 3
    assert "3 cells: 3 done before" in capsys.readouterr().out


@pytest.mark.slow
def test_other_settings_are_run_anew(results):
    file, *_ = suite.run(TINY, results)
    other = replace(TINY, efforts={"walk-1d": replace(TINY.efforts["walk-1d"], episodes=41)})
    assert not suite._is_done(file, other, WALK)
    cell = json.loads(file.read_text())
    file.write_text(json.dumps({**cell, "code": "another"}))
    assert not suite._is_done(file, TINY, WALK)
    file.write_text(json.dumps(cell))
    assert suite._is_done(file, TINY, WALK)


def test_a_cell_that_fails_says_why_and_leaves_the_others_alone(tmp_path, monkeypatch):
    cells = (("walk-1d", -1.0, 0), ("no-such", 0.1, 0))
    monkeypatch.setattr(Settings, "cells", lambda self: iter(cells))
    said = []
    failed = suite.run(TINY, tmp_path, jobs=2, say=said.append)
    assert len(failed) == 2 and all(failed.values()) and len(said) == 3
    assert "unknown" in failed[tmp_path / "tiny" / "cells" / "no-such-k0.1-s0.json"]
    assert not list((tmp_path / "tiny" / "cells").glob("*"))


@pytest.mark.slow
def test_figures_are_drawn(results):
    names = {path.name for path in draw(TINY, results)}
    assert {"value-and-looks-over-cost.png", "value-over-updates.png", "map-walk-1d.png"} <= names


def test_without_scikit_learn_only_the_network_is_missing(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "sklearn.neural_network", None)
    small = replace(TINY, efforts={"walk-1d": Effort(5, 5, 40, 20, 4, 8, 1)})
    found = suite.run_cell(small, *WALK)
    assert set(found["methods"]) == {
        *("spi-continuous", "always-look", "never-look", "every-n", "atm")
    }
    assert "pip install 'sensebench[continuous]'" in capsys.readouterr().out


def test_a_table_of_nothing_says_how_to_make_it(tmp_path, capsys):
    code = main(["continuous", "table", "continuous-quick", "--results", str(tmp_path)])
    assert code == 2 and "sensebench continuous run continuous-quick" in capsys.readouterr().err
