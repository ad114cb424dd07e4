"""What a solver file prints or writes does not become the answer of ``sensebench solve``."""

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
def test_a_solver_that_changes_the_problem_gets_no_value(tmp_path, capsys, name):
    assert solve(tmp_path, name, WRITES[name]) == 2
    told = capsys.readouterr()
    assert "cost " not in told.out
    assert f"writer-{name}" in told.err and told.err.count("\n") == 1


def test_json_is_alone_on_standard_output(tmp_path, capsys):
    assert solve(tmp_path, "prints", "pass", "--json") == 0
    told = capsys.readouterr()
    assert json.loads(told.out)["solver"] == "writer-prints"
    assert "read" in told.err and "at work" in told.err
