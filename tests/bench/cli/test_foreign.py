"""What a solver file prints, writes or ends does not become the answer of ``sensebench solve``."""

import json

import pytest

from bench.cli import main

WRITER = """
import numpy as np
from dataclasses import dataclass
from solvers import Plan, PlanPolicy, Solution, Solver

print("read")

@dataclass
class Writer(Solver):
    name = "writer-{}"

    def solve(self, problem, budget):
        print("at work")
        {}
        plans = [Plan((0,), True) for _ in problem.terminal]
        return Solution(policy=PlanPolicy(problem, plans), iterations=1)
"""
WRITES = {
    "replaces": "object.__setattr__(problem, 'costs', problem.costs - 1000)",
    "writes": "problem.costs.flags.writeable = True; problem.costs[:] = -1000",
    "moves": "problem.transitions[0].data[:] = problem.transitions[0].data[::-1].copy()",
}


def solve(folder, name, statement, *more):
    path = folder / f"{name}.py"
    path.write_text(WRITER.format(name, statement))
    command = ["solve", "two-state", f"writer-{name}", "-k", "0.25", "--solver-file", str(path)]
    return main([*command, *more])


@pytest.mark.parametrize("name", WRITES)
def test_a_solver_that_changes_the_problem_gets_no_value(tmp_path, capfd, name):
    assert solve(tmp_path, name, WRITES[name]) == 2
    told = capfd.readouterr()
    assert "cost " not in told.out
    assert f"writer-{name}" in told.err and told.err.count("sensebench: ") == 1


def test_json_is_alone_on_standard_output(tmp_path, capfd):
    assert solve(tmp_path, "prints", "pass", "--json") == 0
    told = capfd.readouterr()
    assert json.loads(told.out)["solver"] == "writer-prints"
    assert "read" in told.err and "at work" in told.err


def test_what_is_written_past_python_is_no_answer_either(tmp_path, capfd):
    assert solve(tmp_path, "raw", "import os; os.write(1, b'past Python')", "--json") == 0
    told = capfd.readouterr()
    assert json.loads(told.out)["solver"] == "writer-raw"
    assert "past Python" in told.err


ENDS = {
    "ends": ("import os; os._exit(0)", "ended with exit code 0 and no result"),
    "kills": ("import os; os.kill(os.getpid(), 9)", "killed from outside"),
}


@pytest.mark.parametrize("name", ENDS)
def test_a_solver_that_ends_python_is_told_of(tmp_path, capfd, name):
    statement, told = ENDS[name]
    assert solve(tmp_path, name, statement) == 2
    found = capfd.readouterr()
    assert "cost " not in found.out
    assert f"writer-{name} failed: {told}" in found.err


def test_a_file_that_ends_python_while_it_is_read_is_told_of(tmp_path, capfd):
    path = tmp_path / "quits.py"
    path.write_text("import os; os._exit(0)")
    assert main(["solve", "two-state", "spi", "--solver-file", str(path)]) == 2
    assert "ended with exit code 0 and no result" in capfd.readouterr().err


CROSSES = """
import numpy as np
from solvers import Solution, Solver
from solvers.planners.always_sense import AlwaysSensePolicy

class Liar(Solver):
    name = "liar"
    def solve(self, problem, budget):
        nine = np.full(problem.num_states, 9.0)
        return Solution(policy=AlwaysSensePolicy(problem), lower_bound=nine)
"""


def test_bounds_that_cross_are_invalid_and_nothing_is_written(tmp_path, capfd):
    path = tmp_path / "liar.py"
    path.write_text(CROSSES)
    saved = tmp_path / "policy.npz"
    command = ["solve", "two-state", "liar", "-k", "0.25", "--solver-file", str(path)]
    assert main([*command, "--json", "--save", str(saved)]) == 1
    found = json.loads(capfd.readouterr().out)
    assert found["status"] == "invalid" and found["gap"] is None
    assert "a lower bound of 9" in found["reason"] and f"{found['value']:.6g}" in found["reason"]
    assert not saved.exists()
    assert main([*command, "-q"]) == 1
    told = capfd.readouterr().out
    assert "invalid: its bounds cross" in told and "proven" not in told
