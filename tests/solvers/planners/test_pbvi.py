import numpy as np
import pytest
from hypothesis import given, settings

from bench.problems import load_problem
from solvers import BUDGET, SOLVED, SensingMDP, SolverError, delayed_information_bound, solve
from tests.solvers.brute_force import bracket, small_problems


@settings(max_examples=25, deadline=None)
@given(problem=small_problems())
def test_is_an_upper_bound_no_worse_than_its_start(problem):
    solution = solve(problem, "pbvi", points=30)
    lower, _ = bracket(problem, 6)
    assert (solution.values >= lower - 1e-9).all()
    assert (solution.values <= solution.upper_bound + 1e-9).all()
    always = solve(problem, "always-sense")
    assert (solution.upper_bound <= always.values + 1e-9).all()


@settings(max_examples=25, deadline=None)
@given(problem=small_problems())
def test_with_enough_points_it_is_optimal(problem):
    """What PBVI may miss shrinks with the distance between points: on tiny problems to nothing."""
    solution = solve(problem, "pbvi", points=400, epsilon=1e-12)
    _, upper = bracket(problem, 6)
    assert (solution.values <= upper + 1e-4).all()


@pytest.mark.parametrize(
    ("problem_id", "k", "optimum"),
    [
        ("two-state", 0.25, 0.2933916),
        ("frozen-lake-4x4", 0.01, -0.0230763),
        ("frozen-lake-4x4-hard", 0.005, -0.0037037),
    ],
)
def test_reaches_values_proven_optimal(problem_id, k, optimum):
    problem = load_problem(problem_id, k)
    solution = solve(problem, "pbvi")
    assert solution.status == SOLVED
    assert solution.value == pytest.approx(optimum, abs=1e-6)
    bound = delayed_information_bound(problem, 3)
    assert (bound <= solution.values + 1e-9).all()


def test_more_points_never_harm():
    problem = load_problem("frozen-lake-4x4-hard", 0.001)
    values = [solve(problem, "pbvi", points=n).upper_bound for n in (16, 60, 300)]
    assert (values[1] <= values[0] + 1e-12).all() and (values[2] <= values[1] + 1e-9).all()
    assert values[2][2] < values[0][2]


def test_stops_at_its_budget_with_a_valid_policy():
    problem = load_problem("taxi", 1.0)
    solution = solve(problem, "pbvi", budget=0.5)
    assert solution.status == BUDGET
    assert (solution.values <= solve(problem, "always-sense").values + 1e-9).all()
    assert (solution.values >= solve(problem, "qmdp").lower_bound - 1e-9).all()


def test_bound_falls_over_time():
    trace = solve(load_problem("frozen-lake-8x8", 0.01), "pbvi", points=200).trace
    assert all(lower <= upper for _, lower, upper in trace)
    uppers = [upper for _, _, upper in trace]
    assert len(uppers) > 1 and (np.diff(uppers) <= 1e-15).all()


def test_refuses_a_sensing_cost_of_the_belief():
    problem = load_problem("two-state", lambda belief, action: 1 - belief.max())
    with pytest.raises(SolverError, match="pbvi needs a number or an array"):
        solve(problem, "pbvi")


@pytest.mark.parametrize("option", ["points", "sweeps", "iterations"])
def test_refuses_options_below_one(option):
    with pytest.raises(SolverError, match=f"{option} is 0"):
        solve(load_problem("two-state", 0.25), "pbvi", **{option: 0})


@pytest.mark.parametrize("gone", [1e-6, 1e-8])
def test_the_upper_bound_is_what_the_plans_cost(gone):
    """Found by an adversary: plans a little dearer than the vectors said, which were rounded."""
    rng = np.random.default_rng(1)
    for _ in range(12):
        T, C = rng.dirichlet(np.ones(3), 3), rng.uniform(0.5, 2, 3)
        costs = np.stack([C + 5e-13 / gone, C], axis=1)
        found = solve(SensingMDP.from_arrays([T, T], costs, 1 - gone, 0.0), "pbvi")
        assert (found.upper_bound >= found.values + found.error).all()
