import numpy as np
import pytest
from hypothesis import given, settings

from bench.problems import load_problem
from solvers import SolverError, evaluate, solve
from solvers.bounds.delayed_information import delayed_information_bound
from tests.solvers.brute_force import bracket, small_problems


@settings(max_examples=40, deadline=None)
@given(problem=small_problems())
def test_bounds_bracket_the_optimum_at_every_root(problem):
    lower, upper = bracket(problem, N=8)
    solution = solve(problem, "dips", target_gap=1e-7, budget=5)
    assert (solution.lower_bound <= solution.upper_bound).all()
    assert (solution.lower_bound <= upper + 1e-12).all()
    assert (solution.upper_bound >= lower - 1e-12).all()
    # what it says of its policy is what the policy is worth
    assert solution.values == pytest.approx(solution.upper_bound, abs=1e-8)
    for _, low, high in solution.trace:
        assert low <= high + 1e-12


@settings(max_examples=15, deadline=None)
@given(problem=small_problems(max_states=4, max_actions=3))
def test_closed_bounds_meet_the_brute_force_optimum(problem):
    lower, upper = bracket(problem, N=5)
    solution = solve(problem, "dips", target_gap=1e-7, budget=5)
    start = problem.start
    assert start @ lower - 1e-6 <= solution.value <= start @ upper + 1e-6
    assert start @ lower - 1e-6 <= solution.lower or solution.gap > 1e-7


@pytest.mark.parametrize(
    ("problem_id", "k"),
    [("two-state", 0.25), ("two-state-b", 0.125), ("inventory", 0.064)],
)
def test_closed_to_a_millionth_it_equals_settled_truncation(problem_id, k):
    problem = load_problem(problem_id, k)
    solution = solve(problem, "dips", target_gap=1e-7, budget=20)
    assert solution.gap <= 1e-6
    depth = 7 if problem_id == "inventory" else 12
    settled = solve(problem, "truncation", depth=depth)
    assert solution.value == pytest.approx(settled.value, abs=1e-6)


@pytest.mark.parametrize(
    ("problem_id", "k", "reward"),
    [
        ("frozen-lake-4x4", 0.001, 62.42),
        ("frozen-lake-4x4", 0.005, 36.53),
        ("frozen-lake-4x4", 0.01, 23.08),
        ("frozen-lake-4x4", 0.05, 23.08),
        ("frozen-lake-4x4-hard", 0.001, 8.95),
        ("frozen-lake-4x4-hard", 0.005, 3.70),
        ("frozen-lake-4x4-hard", 0.01, 1.77),
        ("frozen-lake-4x4-hard", 0.05, 1.45),
        ("frozen-lake-8x8", 0.001, 3.55),
        ("frozen-lake-8x8", 0.01, 3.36),
    ],
)
def test_lakes_are_closed_within_one_percent(problem_id, k, reward):
    """At least the best published value, and proven."""
    problem = load_problem(problem_id, k)
    solution = solve(problem, "dips", target_gap=0.005, budget=60)
    assert solution.gap <= 0.01
    assert -1000 * solution.value == pytest.approx(reward, rel=0.01)
    assert solution.values == pytest.approx(evaluate(problem, solution.policy), abs=1e-12)


def test_bounds_only_get_better():
    problem = load_problem("frozen-lake-8x8", 0.001)
    solution = solve(problem, "dips", target_gap=1e-4, budget=60)
    seconds, lowers, uppers = zip(*solution.trace, strict=True)
    assert list(seconds) == sorted(seconds)
    assert (np.diff(lowers) >= -1e-12).all()
    assert (np.diff(uppers) <= 1e-12).all()
    assert (solution.lower_bound >= delayed_information_bound(problem, 2) - 1e-7).all()


@pytest.mark.parametrize("warm_start", [False, True])
def test_a_run_that_reaches_its_target_is_the_same_again(warm_start):
    problem = load_problem("frozen-lake-4x4-hard", 0.001)
    first, again = (solve(problem, "dips", seed=3, warm_start=warm_start) for _ in range(2))
    assert first.gap <= 1e-6
    assert np.array_equal(first.lower_bound, again.lower_bound)
    assert np.array_equal(first.upper_bound, again.upper_bound)
    assert first.policy.plans == again.policy.plans
    assert first.info == again.info


def test_the_seed_draws_the_order_of_the_roots_and_not_the_value():
    problem = load_problem("taxi", 0.1)
    solutions = [solve(problem, "dips", seed=seed, target_gap=1e-4) for seed in range(3)]
    assert len({tuple(s.lower_bound) for s in solutions}) > 1
    for solution in solutions:
        assert solution.gap <= 1e-4
        assert max(s.lower for s in solutions) <= solution.value + 1e-12
    with pytest.raises(SolverError, match="seed is -1"):
        solve(problem, "dips", seed=-1)


@pytest.mark.parametrize(("problem_id", "k"), [("frozen-lake-8x8", 0.001), ("taxi", 1)])
def test_a_warm_start_is_at_least_as_good_as_what_it_starts_from(problem_id, k):
    problem = load_problem(problem_id, k)
    spi = solve(problem, "spi", max_iterations=2)
    warm = solve(problem, "dips", warm_start=True, target_gap=0.5, budget=600)
    assert (warm.upper_bound <= spi.values + 1e-9).all()
    cold = solve(problem, "dips", target_gap=0.5, budget=600)
    assert warm.trace[0][1:] == cold.trace[0][1:]
    assert warm.trace[1][2] <= cold.trace[0][2]


def test_a_warm_start_is_left_out_where_it_would_eat_the_budget(monkeypatch):
    problem = load_problem("frozen-lake-4x4", 0.01)
    monkeypatch.setattr("solvers.planners.dips.STEPS_SPEED", 1.0)  # every update takes for ever
    cold, unwarmed = (solve(problem, "dips", warm_start=w, budget=60) for w in (False, True))
    assert len(unwarmed.trace) == len(cold.trace)
    assert np.array_equal(unwarmed.upper_bound, cold.upper_bound)


def test_a_belief_dependent_sensing_cost_is_refused():
    problem = load_problem("two-state", lambda belief, action: 0.1 * belief[0] * belief[1])
    with pytest.raises(SolverError, match="function of the belief"):
        solve(problem, "dips", budget=1)
