"""The POMDPs.jl solvers, for real: they run where Julia is set up and are skipped elsewhere."""

import subprocess
import time

import numpy as np
import pytest

from bench import load_problem
from pomdp_bridge.export import flatten
from pomdp_bridge.files import formats as files
from pomdp_bridge.julia import environment
from pomdp_bridge.julia.bridge import call_julia
from pomdp_bridge.julia.doctor import diagnose
from pomdp_bridge.julia.errors import BridgeError
from pomdp_bridge.process.status import FAILED, MEMORY, TIMEOUT
from solvers import Budget, SolverError, make_solver, solve
from tests.pomdp_bridge.random_problems import random_problem

pytestmark = pytest.mark.julia


def test_the_doctor_is_content():
    found = diagnose()
    assert found.ok, str(found)


@pytest.mark.parametrize(
    ("name", "k"), [("two-state", 0.25), ("inventory", 0.064), ("frozen-lake-4x4", 0.01)]
)
def test_both_fibs_have_the_same_fixed_point(name, k):
    problem = load_problem(name, k)
    ours = solve(problem, "fib")
    theirs = solve(problem, "julia-fib", max_iterations=10_000, tolerance=1e-12)
    np.testing.assert_allclose(theirs.lower_bound, ours.lower_bound, rtol=0, atol=1e-6)
    assert theirs.value >= theirs.lower - 1e-9


def test_stock_sarsop_reaches_the_published_value_with_scaled_rewards():
    problem = load_problem("frozen-lake-4x4", 0.005)
    found = solve(problem, "julia-sarsop", budget=5, reward_scale=1000.0)
    assert -1000 * found.value >= 36.53 - 0.005
    assert found.lower_bound is None  # its bound is not proven
    assert found.info["settings"]["precision"] == 1e-3
    assert found.info["settings"]["init_upper"] == "FastInformedBound"
    assert {"start_seconds", "export_seconds", "compile_seconds"} <= set(found.info)


@pytest.mark.parametrize("start", ["distribution", "revealed"])
def test_structured_sarsop_closes_in_on_the_optimum(start):
    problem = load_problem("inventory", 0.2)
    found = solve(problem, "julia-sarsop-structured", budget=5, start=start)
    other = solve(problem, "truncation", depth=8)
    assert found.info["start_belief"] == start
    assert "note" not in found.info
    assert (found.lower_bound <= other.values + 1e-7).all()
    assert found.lower <= found.value + 1e-9
    if start == "revealed":
        assert found.value <= other.value + 1e-3 * abs(other.value)


@pytest.mark.slow
def test_pomcp_is_simulated_and_seeded():
    problem = load_problem("frozen-lake-4x4-hard-near", 0.01)
    options = {"episodes": 3, "tree_queries": 50}
    one = solve(problem, "julia-pomcp", budget=60, seed=1, **options)
    same = solve(problem, "julia-pomcp", budget=60, seed=1, **options)
    assert one.value == same.value and one.standard_error is not None
    assert one.info["episodes"] == 3 and 0 <= one.sensing_rate <= 1


@pytest.mark.slow
@pytest.mark.parametrize("name", ["julia-qmdp", "julia-pbvi"])
def test_the_small_planners_run(name):
    problem = load_problem("two-state", 0.25)
    found = solve(problem, name, budget=60)
    assert found.value >= solve(problem, "fib").lower - 1e-9


def test_an_unknown_julia_option_lists_those_there_are():
    with pytest.raises(BridgeError, match="FIBSolver has no option speed; its options are") as e:
        call_julia(load_problem("two-state"), "fib", {"speed": 3})
    assert e.value.kind == FAILED
    assert "FIBSolver has no option speed" in e.value.log.read_text()


def test_a_planner_without_a_clock_is_stopped_and_the_next_one_runs():
    problem = load_problem("frozen-lake-8x8", 0.01)
    with pytest.raises(BridgeError, match="timeout after 2 s") as caught:
        call_julia(problem, "pbvi", {"max_iterations": 50}, limit=2.0)
    assert (caught.value.stage, caught.value.kind) == ("planning", TIMEOUT)
    assert call_julia(load_problem("two-state"), "fib", {}).arrays["alphas"].shape == (4, 2)


def test_memory_is_limited():
    began = time.monotonic()
    with pytest.raises(BridgeError) as caught:
        call_julia(load_problem("two-state"), "fib", {}, memory_gb=0.05)
    assert caught.value.kind == MEMORY
    assert time.monotonic() - began < 120


def test_a_wrong_start_is_refused():
    with pytest.raises(SolverError, match="expected one of"):
        make_solver("julia-sarsop", start="anywhere").solve(random_problem(1), Budget(1))


def test_julia_reads_the_files_we_write(tmp_path):
    problem = random_problem(7, sensing="per state and action")
    path = files.write(problem, tmp_path / "p.npz")
    env, _ = environment.check()
    script = (
        f'using SensingPOMDPs; m = load_problem("{path}"); '
        'println(join(m.R, " ")); println(join(Matrix(m.T[2]), " ")); println(m.discount)'
    )
    command = [env.executable, f"--project={env.project}", "--startup-file=no", "-e", script]
    R, T, discount = subprocess.run(
        command, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    S, A = problem.num_states, problem.num_actions
    read = np.array(R.split(), float).reshape(2 * A, S).T
    np.testing.assert_array_equal(read, flatten(problem).rewards)
    np.testing.assert_array_equal(
        np.array(T.split(), float).reshape(S, S), problem.transitions[1].toarray()
    )
    assert float(discount) == problem.discount
