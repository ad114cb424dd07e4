"""The examples of docs/learning.md, as they stand there, work."""

import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from bench.cli import main
from bench.learning.curves import read_curves
from bench.learning.suite import load_learning_suite

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "learning.md"
BLOCK = re.compile(r"```(?:python|toml)\n# file: (\S+)\n(.*?)```", re.DOTALL)


@pytest.fixture
def example(tmp_path, monkeypatch):
    """The files of the page, in the current directory."""
    for name, text in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    return tmp_path


def ran(name: str) -> str:
    return subprocess.run([sys.executable, name], capture_output=True, text=True, check=True).stdout


def test_the_environment_example_runs(example):
    shown = ran("play.py").split()
    assert shown[1:] == ["-0.01", "True", "0.01", "True"]


@pytest.mark.skipif(
    find_spec("stable_baselines3") is None, reason="stable-baselines3 is not installed"
)
def test_the_deep_example_runs(example):
    assert ran("deep.py").startswith("from the start: ")


def test_the_learner_is_forty_lines_and_conforms(example, capsys):
    code = [line for line in (example / "look_often.py").read_text().splitlines() if line.strip()]
    assert len(code) <= 40
    assert main(["check", "look_often.py"]) == 0
    assert capsys.readouterr().out.endswith("it conforms\n")


def test_a_learner_that_cheats_or_breaks_does_not_conform(example, capsys):
    text = (example / "look_often.py").read_text()
    (example / "chance.py").write_text(
        text.replace('"look-often"', '"chance"').replace("self.rng.random()", "np.random.rand()")
    )
    (example / "short.py").write_text(
        text.replace('"look-often"', '"short"').replace("axis=1)]", "axis=1)[1:]]")
    )
    assert main(["check", "chance.py"]) == 1
    assert "take all chance from the rng" in capsys.readouterr().out
    assert main(["check", "short.py"]) == 1
    assert "plans for the" in capsys.readouterr().out


def test_the_suite_runs_with_the_learner(example):
    assert main(["learn", "run", "mine.toml", "--jobs", "2"]) == 0
    suite = load_learning_suite("mine.toml")
    curves = read_curves(suite, example / "results")
    assert [c.learner.name for c in curves] == ["look-often", "learn-then-spi"]
    assert all(c.values.shape == (2, 4) and not c.failures for c in curves)
