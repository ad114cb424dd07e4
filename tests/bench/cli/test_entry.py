"""The command line: what it prints, and mistakes in one line with exit code 2."""

import json
import re
import subprocess
import sys

import numpy as np
import pytest

from bench.cli import main
from bench.problems import load_problem, problems, registry
from pomdp_bridge.files.formats import write
from solvers import SensingMDP, certify, solve


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
    assert "\ncost " in out and "optimum at least" in out and ", 1 iteration\n" in out


def test_solve_proves_nothing_by_simulation(capsys):
    options = ["--option", "tree_queries=10", "--option", "episodes=4"]
    assert main(["solve", "two-state", "pomcp", "-k", "0.25", *options]) == 0
    out = capsys.readouterr().out
    assert "(simulated)" in out and "none proven: the value is simulated" in out


def test_solve_shows_ten_plans_and_says_how_many_more(capsys):
    assert main(["solve", "taxi", "always-sense", "-k", "1"]) == 0
    out = capsys.readouterr().out
    assert out.count("  from ") == 10 and "and 290 more start states" in out


def test_list_names_problems_solvers_and_suites(capsys):
    assert main(["list"]) == 0
    out = capsys.readouterr().out
    for name in ("taxi", "icu-sepsis", "spi", "delayed-information", "table1", "quick"):
        assert f"\n  {name} " in out


def test_list_says_how_large_each_problem_is_and_where_it_is_from(capsys):
    assert main(["list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    for problem in problems().values():
        at = next(i for i, line in enumerate(lines) if line.startswith(f"  {problem.id} "))
        states, actions = problem.size
        assert f"{states:,} states, {actions} actions" in lines[at]
        assert lines[at + 1].strip() == f"from {problem.source}"


def test_export_writes_a_file_that_solves_to_the_same_value(tmp_path, capsys):
    file = str(tmp_path / "stock.npz")
    assert main(["export", "inventory", "-k", "0.2", "--format", "npz", "-o", file]) == 0
    original, read = load_problem("inventory", 0.2), load_problem(file)
    assert np.allclose(solve(read, "spi").values, solve(original, "spi").values, atol=1e-12)


def test_python_m_bench_is_the_same_command():
    done = subprocess.run([sys.executable, "-m", "bench", "list"], capture_output=True, text=True)
    assert done.returncode == 0 and "frozen-lake-4x4" in done.stdout


def printed(capsys, *arguments, code=0):
    assert main([*arguments]) == code
    return capsys.readouterr()


def test_version_is_the_packages(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0 and re.match(r"sensebench \S+\n", capsys.readouterr().out)


def test_solve_as_json_says_what_it_prints(capsys):
    found = json.loads(printed(capsys, "solve", "two-state", "spi", "-k", "0.25", "--json").out)
    problem = load_problem("two-state", 0.25)
    solution = solve(problem, "spi")
    assert found["value"] == pytest.approx(solution.value, rel=1e-9)
    assert found["lower"] <= found["value"] + 1e-9 and found["sensing_cost"] == 0.25
    plan = solution.policy.plan(0)
    names = [problem.action_names[a] for a in plan.actions]
    assert found["plans"]["0"] == {"actions": names, "senses": plan.senses}


def test_certify_as_json_and_within_a_budget(capsys):
    arguments = ["certify", "two-state", "-k", "0.25", "--depth", "4"]
    found = json.loads(printed(capsys, *arguments, "--json").out)
    expected = certify(load_problem("two-state", 0.25), 4)
    assert found["asked_depth"] == 4 and found["stopped"] is None
    assert found["depth"] == 4 and np.allclose(found["values"], expected.values)
    assert np.all(np.array(found["lower_bound"]) <= np.array(found["values"]) + 1e-9)
    told = printed(capsys, "certify", "taxi", "--depth", "30", "--budget", "0.001", code=1)
    assert "give a larger --budget" in told.err and "truncated at N = " in told.out
    arguments = ["certify", "taxi", "--depth", "30", "--budget", "0.001", "--json"]
    found = json.loads(printed(capsys, *arguments, code=1).out)
    assert found["depth"] < found["asked_depth"] == 30
    assert "give a larger --budget" in found["stopped"]


def test_list_as_json_has_what_list_prints(capsys):
    found = json.loads(printed(capsys, "list", "--json").out)
    assert {"taxi", "icu-sepsis"} <= {p["id"] for p in found["problems"]}
    assert {"spi", "dips"} <= {s["id"] for s in found["solvers"] if s["unavailable"] is None}
    assert {"table1", "quick"} <= {s["id"] for s in found["suites"]}


def test_quiet_says_less_and_verbose_more(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    arguments = ["run", "quick", "--only", "atm/*", "--jobs", "1"]
    quiet = printed(capsys, *arguments, "-q")
    assert quiet.err == "" and len(quiet.out.splitlines()) == 1
    verbose = printed(capsys, *arguments, "-v", "--rerun", "all")
    assert "[1/1]" in verbose.err and "MiB)" in verbose.err


def test_how_much_is_said_can_stand_before_the_command(capsys):
    arguments = ["solve", "two-state", "spi", "-k", "0.25"]
    quiet = printed(capsys, *arguments, "-q").out
    assert printed(capsys, "-q", *arguments).out == quiet
    assert "plans" in printed(capsys, "-q", *arguments, "-v").out and "plans" not in quiet


def test_a_file_that_is_no_proof_is_refused_with_exit_code_1(tmp_path, capsys):
    (tmp_path / "text.npz").write_text("not a proof")
    assert "refused: " in printed(capsys, "verify", str(tmp_path / "text.npz"), code=1).out


WRONG_FILES = {
    "line 2: invalid syntax": "x = 1\ndef def",
    "line 1: ZeroDivisionError": "1 / 0",
    "it ends Python (sys.exit) while it is read": "import sys; sys.exit(0)",
    "defines neither a solver": "x = 1",
}


@pytest.mark.parametrize("told", WRONG_FILES)
def test_a_solver_file_that_cannot_be_read_is_told_in_one_line(told, tmp_path, capfd):
    path = tmp_path / "mine.py"
    path.write_text(WRONG_FILES[told])
    captured = printed(capfd, "solve", "taxi", "spi", "--solver-file", str(path), code=2)
    assert told in captured.err and len(captured.err.splitlines()) == 1


SOLVER = """
from solvers import Solver
class Mine(Solver):
    name = "mine"
    def solve(self, problem, budget):
        {body}
"""
WRONG_SOLVERS = {
    "mine failed on two-state: ValueError: one two": "raise ValueError('one\\ntwo')",
    "mine: solve returned nothing (None)": "return None",
    "mine failed on two-state: KeyError: 'x'": "return {}['x']",
    "mine failed on two-state: SystemExit: 0": "import sys; sys.exit(0)",
}


@pytest.mark.parametrize("told", WRONG_SOLVERS)
def test_a_solver_that_goes_wrong_is_told_in_one_line(told, tmp_path, capfd):
    path = tmp_path / "mine.py"
    path.write_text(SOLVER.format(body=WRONG_SOLVERS[told]))
    captured = printed(capfd, "solve", "two-state", "mine", "--solver-file", str(path), code=2)
    assert told in captured.err and len(captured.err.splitlines()) == 1


def test_names_from_a_file_cannot_act_on_the_terminal(tmp_path, capsys):
    T = [np.eye(2), np.array([[0.5, 0.5], [0.5, 0.5]])]
    problem = SensingMDP.from_arrays(
        T,
        np.array([[1.0, 0.5], [0.2, 0.9]]),
        0.9,
        0.1,
        name="n\x1b[31m",
        state_names=["a\u202e", "b"],
        action_names=["x\x07", "y"],
        start=0,
    )
    path = str(tmp_path / "nasty.npz")
    write(problem, path)
    for command in (["solve", path, "atm"], ["certify", path, "--depth", "1"]):
        out = printed(capsys, *command).out
        assert not {"\x1b", "\u202e", "\x07"} & set(out) and "\\u202e" in out


def test_a_broken_entry_point_of_another_package_does_not_break_list(monkeypatch, capsys):
    class Broken:
        value = "other.package"

        def load(self):
            raise AttributeError("no such thing")

    registry._installed.cache_clear()
    monkeypatch.setattr(registry, "entry_points", lambda group: [Broken()])
    try:
        captured = printed(capsys, "list")
        assert "taxi" in captured.out and "other.package cannot be loaded" in captured.err
    finally:
        registry._installed.cache_clear()


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
    "nowhere.npz cannot be read: No such file": ["verify", "nowhere.npz"],
    "it is not a regular file": ["export", "two-state", "--format", "npz", "-o", "."],
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
