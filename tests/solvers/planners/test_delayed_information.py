import pytest

from bench.problems import load_problem
from solvers import SensingMDP, SolverError, solve
from solvers.bounds.delayed_information import delayed_information_bound
from solvers.bounds.table_limits import memory_needed


def test_solver_deepens_within_its_budget():
    problem = load_problem("frozen-lake-4x4", 0.01)
    solution = solve(problem, "delayed-information", budget=0.5)
    assert solution.info["depth"] > 2
    assert solution.lower >= problem.start @ delayed_information_bound(problem, 2) - 1e-6
    lowers = [lower for _, lower, _ in solution.trace]
    assert lowers == sorted(lowers)


def test_deepening_on_and_on_stops_where_memory_would_end(monkeypatch):
    monkeypatch.setattr("solvers.bounds.table_limits.MEMORY_UNASKED", 1e5)
    problem = load_problem("two-state", 0.25)
    solution = solve(problem, "delayed-information", budget=30)
    assert solution.seconds < 30
    assert memory_needed(problem.num_actions, solution.info["depth"], 4) <= 1e5


def test_target_gap_is_measured_against_a_policy():
    problem = load_problem("frozen-lake-4x4", 0.005)
    solution = solve(problem, "delayed-information", target_gap=0.01, budget=60)
    assert solution.gap <= 0.01
    assert solution.policy is not None


def test_bad_input_is_refused():
    problem = load_problem("two-state", 0.25)
    with pytest.raises(SolverError, match="needs an end"):
        solve(problem, "delayed-information")
    curved = problem.with_sensing_cost(lambda belief, action: 0.1 + belief[0] * belief[1])
    with pytest.raises(SolverError, match="function of the belief"):
        solve(curved, "delayed-information", depth=2)


def test_it_stops_where_the_discount_leaves_nothing():
    T = [[[0.5, 0.5], [0.25, 0.75]]]
    problem = SensingMDP.from_arrays(T, [[0], [1.0]], 0.1, 1e-3)
    found = solve(problem, "delayed-information", budget=10)
    blind = problem.constant_action_values[:, 0]
    assert (found.lower_bound <= blind).all() and found.lower == pytest.approx(blind.mean())
    with pytest.raises(SolverError, match=r"depth 201 .* leaves less than 1e-200"):
        delayed_information_bound(problem, 300)
