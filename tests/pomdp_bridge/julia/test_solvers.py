"""The POMDPs.jl solvers, for real: they run where Julia is set up and are skipped elsewhere."""

import subprocess
import time

import numpy as np
import pytest

from bench import load_problem
from pomdp_bridge.export import flatten
from pomdp_bridge.files import formats as files
from pomdp_bridge.julia import environment
from pomdp_bridge.julia.bridge import LIMITS, Call, call_julia
from pomdp_bridge.julia.doctor import diagnose
from pomdp_bridge.julia.errors import COMPILE, BridgeError
from pomdp_bridge.julia.solver_file import read_head
from pomdp_bridge.process.status import FAILED, MEMORY, TIMEOUT
from solvers import (
    Budget,
    PlanPolicy,
    SolverError,
    evaluate,
    load_policy,
    make_solver,
    save_policy,
    solve,
)
from solvers.bounds.delayed_information import DelayedInformation
from tests.pomdp_bridge.random_problems import random_plans, random_problem

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


def test_a_single_episode_is_refused_because_it_has_no_standard_error():
    with pytest.raises(BridgeError, match="only one episode"):
        solve(load_problem("two-state", 0.25), "julia-pomcp", episodes=1, tree_queries=10)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["julia-qmdp", "julia-pbvi"])
def test_the_small_planners_run(name):
    problem = load_problem("two-state", 0.25)
    found = solve(problem, name, budget=60)
    assert found.value >= solve(problem, "fib").lower - 1e-9


def shipped(name):
    return read_head(environment.JULIA_PACKAGE / "solvers" / f"{name}.jl")


def test_an_unknown_julia_option_is_told_in_one_line():
    with pytest.raises(BridgeError, match=r"fib\.jl.*speed") as e:
        call_julia(load_problem("two-state"), Call(shipped("fib"), options={"speed": 3}))
    assert e.value.kind == FAILED and len(str(e.value).splitlines()) == 1
    assert "speed" in e.value.log.read_text()


FAULTS = {
    "throws.jl": (
        'function make_solver(m; options...)\n    error("no luck")\nend',
        "line 2: no luck",
    ),
    "loops.jl": ("make_solver(m; options...) = (while true; end)", "timeout"),
    "wrong.jl": ("make_solver(m; options...) = 3", r"returned a Int64; expected a POMDPs\.Solver"),
    "absent.jl": ("using Absent\nmake_solver(m; options...) = 3", "line 1.*Absent"),
    "syntax.jl": ("make_solver(m; = 3", "syntax.jl, line 1"),
}


def test_a_bad_solver_file_ends_in_one_line_and_the_next_cell_runs(tmp_path, monkeypatch):
    monkeypatch.setitem(LIMITS, COMPILE, 20.0)
    problem = load_problem("two-state")
    for name, (text, message) in FAULTS.items():
        (tmp_path / name).write_text(text)
        with pytest.raises(BridgeError, match=message) as caught:
            call_julia(problem, Call(read_head(tmp_path / name), budget=5))
        assert len(str(caught.value).splitlines()) == 1
    assert call_julia(problem, Call(shipped("fib"))).arrays["alphas"].shape == (4, 2)


def test_a_planner_without_a_clock_is_stopped_and_the_next_one_runs():
    problem = load_problem("frozen-lake-8x8", 0.01)
    slow = Call(shipped("pbvi"), options={"max_iterations": 50}, budget=1.0)
    with pytest.raises(BridgeError, match="timeout after 6 s") as caught:
        call_julia(problem, slow)
    assert (caught.value.stage, caught.value.kind) == ("planning", TIMEOUT)
    assert call_julia(load_problem("two-state"), Call(shipped("fib"))).arrays["alphas"].shape == (
        4,
        2,
    )


def test_memory_is_limited():
    began = time.monotonic()
    with pytest.raises(BridgeError) as caught:
        call_julia(load_problem("two-state"), Call(shipped("fib"), memory_gb=0.05))
    assert caught.value.kind == MEMORY
    assert time.monotonic() - began < 120


def test_a_deterministic_policy_without_vectors_is_judged_exactly(tmp_path):
    (tmp_path / "ahead.jl").write_text(
        "using SensingPOMDPs, POMDPs\n"
        "make_solver(m; options...) = Known(OneStepLookahead(m, b -> 0.0))\n"
    )
    problem = load_problem("inventory", 0.2)
    found = solve(problem, f"julia:{tmp_path / 'ahead.jl'}", budget=20)
    assert isinstance(found.policy, PlanPolicy) and found.standard_error is None
    assert found.value >= solve(problem, "dips", budget=2).lower - 1e-9


def test_a_plain_type_runs_without_a_file():
    problem = load_problem("two-state", 0.25)
    plain = solve(problem, "julia:FIB.FIBSolver", max_iterations=1000, tolerance=1e-9)
    file = solve(problem, "julia-fib", max_iterations=1000, tolerance=1e-9)
    assert plain.value == file.value


@pytest.mark.parametrize(
    ("name", "k"),
    [
        ("two-state", 0.25),
        ("inventory", 0.064),
        ("frozen-lake-4x4", 0.01),
        ("frozen-lake-8x8", 0.01),
        ("taxi", 1.0),
    ],
)
def test_delayed_information_in_julia_is_ours(tmp_path, name, k):
    problem = load_problem(name, k)
    path = files.write(problem, tmp_path / "p.npz")
    script = (
        f'using SensingPOMDPs, POMDPs; m = load_problem("{path}"); '
        "p = solve(DelayedInformation(2; tolerance=1e-12), m); "
        'println(join(map(maximum, zip(p.alphas...)), " "))'
    )
    theirs = np.array(julia(script).split(), float)
    ours = DelayedInformation(problem)
    ours.deepen()
    ours.climb(enough=1e-12)  # its limit; as a bound it is stopped earlier
    live = ~problem.terminal
    np.testing.assert_allclose(theirs[live], -ours.W0[live], rtol=0, atol=1e-8)


def test_problems_and_policies_go_to_julia_and_back_to_the_last_bit(tmp_path):
    problem = random_problem(7, sensing="per state and action")
    plans = random_plans(problem, 7)
    one, policy = files.write(problem, tmp_path / "p.npz"), tmp_path / "plans.npz"
    save_policy(policy, plans)
    julia(
        f'using SensingPOMDPs; m = load_problem("{one}"); save_problem("{tmp_path}/q.npz", m); '
        f'save_policy("{tmp_path}/again.npz", m, load_policy("{policy}", m))'
    )
    back = files.read(tmp_path / "q.npz")
    for T, U in zip(back.transitions, problem.transitions, strict=True):
        assert (T.data == U.data).all() and (T.indices == U.indices).all()
    for key in ("costs", "start", "terminal", "sensing_cost"):
        assert np.array_equal(getattr(back, key), getattr(problem, key))
    assert back.state_names == problem.state_names and back.name == problem.name
    assert load_policy(tmp_path / "again.npz", problem).plans == plans.plans


def test_a_policy_of_julias_own_sarsop_scores_what_its_row_has(tmp_path):
    problem = load_problem("inventory", 0.2)
    path = files.write(problem, tmp_path / "p.npz")
    julia(
        "using SensingPOMDPs, POMDPs, SensingPOMDPs.NativeSARSOP; "
        f'm = load_problem("{path}"); '
        "policy = solve(SARSOPSolver(max_steps=20, verbose=false), m); "
        f'save_policy("{tmp_path}/s.npz", m, policy)'
    )
    scored = evaluate(problem, load_policy(tmp_path / "s.npz", problem))
    row = solve(problem, "julia-sarsop", budget=30, max_steps=20)
    np.testing.assert_allclose(scored, row.values, rtol=0, atol=1e-12)


def julia(script):
    env, _ = environment.check()
    command = [env.executable, f"--project={env.project}", "--startup-file=no", "-e", script]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_wrong_start_is_refused():
    with pytest.raises(SolverError, match="expected one of"):
        make_solver("julia-sarsop", start="anywhere").solve(random_problem(1), Budget(1))


def test_julia_reads_the_files_we_write(tmp_path):
    problem = random_problem(7, sensing="per state and action")
    path = files.write(problem, tmp_path / "p.npz")
    script = (
        f'using SensingPOMDPs; m = load_problem("{path}"); '
        'println(join(m.R, " ")); println(join(Matrix(m.T[2]), " ")); println(m.discount)'
    )
    R, T, discount = julia(script).splitlines()
    S, A = problem.num_states, problem.num_actions
    read = np.array(R.split(), float).reshape(2 * A, S).T
    np.testing.assert_array_equal(read, flatten(problem).rewards)
    np.testing.assert_array_equal(
        np.array(T.split(), float).reshape(S, S), problem.transitions[1].toarray()
    )
    assert float(discount) == problem.discount
