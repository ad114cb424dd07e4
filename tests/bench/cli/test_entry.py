"""The command line: what it prints, and mistakes in one line with exit code 2."""

import subprocess
import sys

import numpy as np
import pytest

from bench.cli import main
from bench.problems import load_problem
from solvers import solve


def test_solve_prints_value_bounds_gap_and_plan(capsys):
    assert main(["solve", "frozen-lake-4x4", "spi", "-k", "0.005"]) == 0
    out = capsys.readouterr().out
    problem = load_problem("frozen-lake-4x4", 0.005)
    value = -1000 * solve(problem, "spi").value
    assert f"reward ×1000      {value:.2f}" in out
    assert "optimum at most" in out and "of optimal (proven)" in out
    plan = solve(problem, "spi").policy.plan(0).describe(problem.action_names)
    assert f"from r0c0: {plan}" in out


def test_solve_prints_costs_where_the_problem_has_costs_and_takes_options(capsys):
    arguments = ["solve", "inventory", "spi", "-k", "0.2", "--option", "max_iterations=1"]
    assert main(arguments) == 0
    out = capsys.readouterr().out
    assert "\ncost " in out and "optimum at least" in out and ", 1 iterations" in out


def test_solve_shows_ten_plans_and_says_how_many_more(capsys):
    assert main(["solve", "taxi", "always-sense", "-k", "1"]) == 0
    out = capsys.readouterr().out
    assert out.count("  from ") == 10 and "and 290 more start states" in out


def test_list_names_problems_solvers_and_suites(capsys):
    assert main(["list"]) == 0
    out = capsys.readouterr().out
    for name in ("taxi", "icu-sepsis", "spi", "delayed-information", "table1", "quick"):
        assert f"\n  {name} " in out


def test_export_writes_a_file_that_solves_to_the_same_value(tmp_path, capsys):
    file = str(tmp_path / "stock.npz")
    assert main(["export", "inventory", "-k", "0.2", "--format", "npz", "-o", file]) == 0
    original, read = load_problem("inventory", 0.2), load_problem(file)
    assert np.allclose(solve(read, "spi").values, solve(original, "spi").values, atol=1e-12)


def test_python_m_bench_is_the_same_command():
    done = subprocess.run([sys.executable, "-m", "bench", "list"], capture_output=True, text=True)
    assert done.returncode == 0 and "frozen-lake-4x4" in done.stdout


MISTAKES = {
    "unknown problem 'taxy'": ["solve", "taxy", "spi"],
    "unknown solver 'spy'": ["solve", "taxi", "spy"],
    "no such option": ["solve", "taxi", "spi", "--option", "depht=3"],
    "expected a whole number, found 'x'": ["solve", "taxi", "spi", "--option", "max_steps=x"],
    "expected NAME=VALUE": ["solve", "taxi", "spi", "--option", "max_steps"],
    "expected a number of at least 0": ["solve", "taxi", "spi", "-k=-1"],
    "expected a number of seconds above 0": ["solve", "taxi", "spi", "--budget", "0"],
    "no such solver file": ["check", "nowhere.py"],
    "unknown suite 'tabel1'": ["run", "tabel1"],
    "expected SOLVER/PROBLEM": ["run", "quick", "--only", "spi"],
    "no cell of this suite": ["run", "quick", "--only", "spi/nowhere"],
    "expected a whole number above 0": ["run", "quick", "--jobs", "0"],
    "--scheduler needs --executor dask": ["run", "quick", "--scheduler", "tcp://x:1"],
    "sensebench run quick": ["table", "quick"],
    "there is no folder": ["export", "taxi", "-o", "nowhere/x.npz"],
    "required: COMMAND": [],
    "invalid choice": ["dance"],
}


@pytest.mark.parametrize("told", MISTAKES)
def test_a_mistake_is_one_line_and_exit_code_2(told, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    try:
        code = main(MISTAKES[told])
    except SystemExit as ended:  # the parser's own way
        code = ended.code
    captured = capsys.readouterr()
    if MISTAKES[told][:1] == ["check"]:
        assert code == 1 and told in captured.out
        return
    assert code == 2
    assert told in captured.err and len(captured.err.splitlines()) == 1
    assert captured.err.startswith("sensebench") and "Traceback" not in captured.err
