"""A Julia user's own model enters a suite, for real; skipped where POMDPModels is not installed."""

import subprocess

import numpy as np
import pytest

from bench import load_problem
from bench.cli import main
from bench.store.store import Store
from pomdp_bridge.julia.projects import project_for
from pomdp_bridge.julia.solver_file import Package, SolverFile
from solvers import solve

pytestmark = pytest.mark.julia

GRID = """
using SensingPOMDPs, POMDPModels, POMDPTools
m = SensingPOMDP(SimpleGridWorld(), 0.1; start=Deterministic(GWPos(1, 1)))
save_problem("{path}", m)
"""
SUITE = """
title = "A grid from Julia"
budget = 20

[[problem]]
id = "{path}"

[[solver]]
id = "dips"

[[solver]]
id = "julia-sarsop-structured"
"""


@pytest.fixture(scope="module")
def grid(tmp_path_factory):
    """SimpleGridWorld of POMDPModels, written by Julia."""
    env, finding = project_for(SolverFile("", packages=(Package("POMDPModels"),)))
    if finding is not None:
        pytest.skip(str(finding))
    path = tmp_path_factory.mktemp("julia") / "grid.npz"
    command = [env.executable, f"--project={env.project}", "--startup-file=no", "-e"]
    done = subprocess.run([*command, GRID.format(path=path)], capture_output=True, text=True)
    if "not found in current path" in done.stderr:
        pytest.skip(f"{env.project} has it for others only: {done.stderr.splitlines()[0]}")
    assert done.returncode == 0, done.stderr
    return path


def test_it_is_the_model_that_julia_has(grid):
    problem = load_problem(str(grid))
    assert (problem.num_states, problem.num_actions) == (101, 4)  # ten by ten, and the end
    assert problem.discount == 0.95 and problem.start.max() == 1.0
    assert (problem.sensing_costs()[~problem.terminal] == 0.1).all()
    # Rewards of 10 and 3 and of -10 and -5, each in one cell.
    assert sorted(np.unique(-problem.costs)) == [-10.0, -5.0, 0.0, 3.0, 10.0]
    found = solve(problem, "dips", budget=5)
    assert found.lower <= found.value + 1e-9 and found.value < 0


def test_it_runs_in_a_suite_beside_julias_own_sarsop(grid, tmp_path):
    (tmp_path / "mine.toml").write_text(SUITE.format(path=grid))
    out = tmp_path / "results"
    assert main(["run", str(tmp_path / "mine.toml"), "--results", str(out), "--jobs", "1"]) == 0
    rows = Store(out, "mine").read()
    assert [row.status for row in rows] == ["ok", "ok"]
    ours, theirs = sorted(rows, key=lambda row: row.solver)
    assert theirs.lower <= ours.value + 1e-9 and ours.lower <= theirs.value + 1e-9
