"""The example of docs/extending.md, as it stands there, works."""

import re
from pathlib import Path

import pytest

from bench.cli import main
from bench.store.store import Store

PAGE = Path(__file__).parents[2] / "docs" / "extending.md"
BLOCK = re.compile(r"```(?:python|toml)\n# file: (\S+)\n(.*?)```", re.DOTALL)


@pytest.fixture
def example(tmp_path, monkeypatch):
    """The files of the page, in the current directory."""
    for name, text in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_page_has_a_solver_a_problem_and_a_suite(example):
    names = {path.name for path in example.iterdir()}
    assert names == {"periodic.py", "corridor.py", "mine.toml"}


def test_the_solver_conforms(example, capsys):
    assert main(["check", "periodic.py"]) == 0
    assert capsys.readouterr().out.endswith("it conforms\n")


def test_the_solver_solves(example, capsys):
    command = next(
        line for line in PAGE.read_text().splitlines() if line.startswith("sensebench solve")
    )
    assert main(command.split()[1:]) == 0
    assert "then look" in capsys.readouterr().out


def test_the_suite_runs_and_what_is_proven_holds_for_every_method(example):
    assert main(["run", "mine.toml", "--jobs", "2"]) == 0
    found = Store(example / "results", "mine").read()
    assert len(found) == 12 and {row.status for row in found} == {"ok"}
    assert {row.label for row in found} == {"every 2 steps", "every 3 steps", "spi"}
    proven = {}
    for row in found:
        instance = row.problem, row.sensing_cost
        proven[instance] = max(proven.get(instance, -1e9), float(row.lower))
    assert all(float(r.value) >= proven[r.problem, r.sensing_cost] for r in found)
