import numpy as np
from hypothesis import given, settings

from bench.problems import load_problem
from solvers import AlphaVectorPolicy, evaluate, solve
from tests.solvers.brute_force import bracket, small_problems


@settings(max_examples=25, deadline=None)
@given(problem=small_problems())
def test_brackets_the_optimum_and_never_looks(problem):
    solution = solve(problem, "qmdp")
    lower, upper = bracket(problem, 6)
    assert (solution.lower_bound <= upper + 1e-9).all()
    assert (solution.values >= lower - 1e-9).all()
    assert solution.sensing_rate == 0


@settings(max_examples=25, deadline=None)
@given(problem=small_problems())
def test_same_as_with_all_choices_written_out(problem):
    """QMDP on the POMDP's 2A actions by value iteration: where a look costs, none is chosen."""
    A = problem.num_actions
    k = np.broadcast_to(problem.sensing_cost, problem.costs.shape)
    T = [t.toarray() for t in problem.transitions]
    V = np.zeros(problem.num_states)
    for _ in range(200):
        Q = [problem.costs[:, a] + problem.discount * T[a] @ V for a in range(A)]
        V = np.min(Q, axis=0)
    written_out = AlphaVectorPolicy(
        problem,
        np.vstack([Q, [q + k[:, a] for a, q in enumerate(Q)]]),
        np.tile(np.arange(A), 2),
        np.repeat([False, True], A),
    )
    solution = solve(problem, "qmdp")
    assert np.allclose(solution.lower_bound, V, atol=1e-9)
    assert np.allclose(solution.values, evaluate(problem, written_out), atol=1e-7)


def test_takes_a_sensing_cost_of_the_belief():
    problem = load_problem("two-state", lambda belief, action: 1 - belief.max())
    constant = solve(load_problem("two-state", 0.25), "qmdp")
    assert np.allclose(solve(problem, "qmdp").values, constant.values)


def test_is_far_from_optimal_where_looks_are_worth_it():
    """On the 4x4 lake at k = 0.001 looking earns more than QMDP, which never does."""
    problem = load_problem("frozen-lake-4x4", 0.001)
    assert solve(problem, "qmdp").value > solve(problem, "always-sense").value
