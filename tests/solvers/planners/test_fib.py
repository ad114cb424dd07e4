import numpy as np
import pytest
from hypothesis import given, settings

from bench.problems import load_problem
from solvers import SolverError, solve
from solvers.bounds.delayed_information import delayed_information_bound
from solvers.planners.fib import fib_vectors
from tests.solvers.brute_force import bracket, small_problems


@pytest.mark.parametrize(
    ("problem_id", "published"),
    [
        ("frozen-lake-4x4", (62.42, 31.38, 21.65, 21.65)),
        ("frozen-lake-4x4-hard", (3.86, 0.0, 0.0, 0.98)),
    ],
)
def test_greedy_values_are_those_of_the_reference_vectors(problem_id, published):
    """The very numbers that the vectors of FastInformedBound.jl give."""
    for k, value in zip((0.001, 0.005, 0.01, 0.05), published, strict=True):
        solution = solve(load_problem(problem_id, k), "fib")
        assert -1000 * solution.value == pytest.approx(value, abs=5e-3)
        assert solution.lower <= solution.value


@settings(max_examples=25, deadline=None)
@given(problem=small_problems())
def test_vectors_solve_the_general_equation(problem):
    """The observation-loop form of FIB, literally: (a, look) observes the state, (a, blind) not."""
    alphas, bound, _ = fib_vectors(problem, residual=1e-13)
    A, alpha = problem.num_actions, problem.discount
    k = np.broadcast_to(problem.sensing_cost, problem.costs.shape)
    for a, T in enumerate(problem.transitions):
        T = T.toarray()
        look = np.zeros(problem.num_states)
        for seen in range(problem.num_states):
            look += np.min([T[:, seen] * v[seen] for v in alphas], axis=0)
        blind = np.min([T @ v for v in alphas], axis=0)
        assert alphas[a] == pytest.approx(problem.costs[:, a] + alpha * blind, abs=1e-9)
        assert alphas[A + a] == pytest.approx(
            problem.costs[:, a] + k[:, a] + alpha * look, abs=1e-9
        )
    assert bound == pytest.approx(delayed_information_bound(problem, 1), abs=1e-7)
    assert (bound <= bracket(problem, N=7)[1] + 1e-12).all()


def test_iterations_and_budget_are_kept():
    problem = load_problem("frozen-lake-8x8", 0.01)
    short = solve(problem, "fib", max_iterations=3)
    full = solve(problem, "fib")
    assert short.iterations == 3
    assert short.lower <= full.lower
    with pytest.raises(SolverError, match="function of the belief"):
        solve(problem.with_sensing_cost(lambda belief, action: belief.max()), "fib")
