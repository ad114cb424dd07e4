import numpy as np
import pytest
from hypothesis import given, settings

from bench.problems import find_problem, load_problem
from solvers import solve
from tests.solvers.brute_force import small_problems
from tests.solvers.planners.test_spi import table_one


@pytest.mark.parametrize(("name", "k", "printed"), table_one("ATM"))
def test_published_values_to_the_last_digit(name, k, printed):
    found = solve(load_problem(name, k), "atm")
    shown = find_problem(name)
    assert shown.shown(found.value) == pytest.approx(printed, abs=0.5001 * 10**-shown.digits)


def test_near_start_lake_gives_the_published_value():
    found = solve(load_problem("frozen-lake-4x4-hard-near", 0.01), "atm")
    assert round(-found.value, 3) == 0.047


@settings(max_examples=30, deadline=None)
@given(problem=small_problems(max_states=4, max_actions=3))
def test_dominates_always_sensing_when_the_cost_is_uniform(problem):
    # App. D proves it for a uniform cost and no end: V_AS = V* + k / (1 - alpha) needs both.
    if problem.terminal.any() or not np.isscalar(problem.sensing_cost):
        return
    assert (solve(problem, "atm").values <= solve(problem, "always-sense").values + 1e-9).all()


@settings(max_examples=20, deadline=None)
@given(problem=small_problems())
def test_one_rule_for_numbers_arrays_and_functions(problem):
    k = problem.sensing_costs()
    by_array = problem.with_sensing_cost(k)
    by_function = problem.with_sensing_cost(lambda belief, a: float(belief @ k[:, a]))
    values = solve(problem, "atm").values
    assert np.allclose(solve(by_array, "atm").values, values, atol=1e-8)
    assert np.allclose(solve(by_function, "atm").values, values, atol=1e-8)
