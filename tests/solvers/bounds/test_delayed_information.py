import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.problems import load_problem
from solvers import SensingMDP, SolverError, solve
from solvers.bounds.delayed_information import (
    DelayedInformation,
    delayed_information_bound,
)
from solvers.bounds.table_limits import refuse_beyond_memory
from solvers.kernels.mixtures import distinct_rows
from tests.solvers.brute_force import bracket, small_problems
from tests.solvers.kernels.test_mixtures import as_matrix


@settings(max_examples=25, deadline=None)
@given(problem=small_problems())
def test_bound_is_below_the_optimum_and_rises_with_depth(problem):
    _, upper = bracket(problem, N=7)
    previous = np.full(problem.num_states, -np.inf)
    for depth in (1, 2, 3, 4):
        bound = delayed_information_bound(problem, depth)
        assert (bound <= upper + 1e-12).all()
        assert (bound >= previous - 1e-9).all()
        previous = bound
    assert (bound[problem.terminal] == 0).all()


@settings(max_examples=8, deadline=None)
@given(problem=small_problems())
def test_bound_of_great_depth_meets_the_optimum(problem):
    lower, upper = bracket(problem, N=8)
    bound = delayed_information_bound(problem, 9)
    assert (bound >= lower - 1e-7).all()
    assert (bound <= upper + 1e-12).all()


@settings(max_examples=8, deadline=None)
@given(problem=small_problems(), sweeps=st.integers(0, 5))
def test_every_iterate_is_a_bound(problem, sweeps):
    _, upper = bracket(problem, N=7)
    information = DelayedInformation(problem)
    for _ in range(sweeps):
        information.sweep()
        assert (upper + 1e-12 >= information.W0).all()
    information.deepen()
    for _ in range(sweeps):
        information.sweep()
        assert (upper + 1e-12 >= information.W0).all()


def test_inner_values_are_the_literal_recursion():
    """At the fixed point every W(s, σ) obeys the equation of the docstring, belief by belief."""
    rng = np.random.default_rng(3)
    S, A, n = 4, 3, 2
    problem = SensingMDP.from_arrays(
        rng.dirichlet(np.ones(S), size=(A, S)), rng.uniform(size=(S, A)), 0.7, 0.1
    )
    information = DelayedInformation(problem)
    information.deepen()
    for _ in range(200):
        information.sweep()
    T = [t.toarray() for t in problem.transitions]

    def W(s, string):
        if not string:
            return information.W0[s]
        column = 0
        for a in string[1:]:
            column = column * A + a
        return information.W(len(string))[information.rows.row_of[s, string[0]], column]

    def belief(s, string):
        b = np.eye(S)[s]
        for a in string:
            b = b @ T[a]
        return b

    for s in range(S):
        for string in [(), (0,), (2,), (0, 1), (2, 2), (1, 0)]:
            b = belief(s, string)
            scores = []
            for a in range(A):
                now = b @ problem.costs[:, a]
                scores.append(now + 0.1 + 0.7 * b @ T[a] @ information.W0)
                if len(string) < n:
                    scores.append(now + 0.7 * W(s, (*string, a)))
                else:
                    rest = (*string[1:], a)
                    scores.append(
                        now + 0.7 * sum(T[string[0]][s, x] * W(x, rest) for x in range(S))
                    )
            assert W(s, string) == pytest.approx(min(scores), abs=1e-9)


def test_actions_that_do_the_same_change_nothing():
    problem = load_problem("two-state", 0.25)
    T, C = [t.toarray() for t in problem.transitions], problem.costs
    one = SensingMDP.from_arrays([T[0]], C[:, :1], 0.5, 0.25)
    twice = SensingMDP.from_arrays([T[0], T[0]], C[:, [0, 0]], 0.5, 0.25)
    for depth in (1, 2, 3, 4):
        expected = delayed_information_bound(one, depth)
        assert delayed_information_bound(twice, depth) == pytest.approx(expected, abs=1e-8)


def test_equal_rows_are_kept_once():
    problem = load_problem("taxi", 1)
    rows = distinct_rows(problem.transitions)
    dense = as_matrix(rows)
    assert len(dense) < problem.num_states * problem.num_actions
    for a, T in enumerate(problem.transitions):
        assert np.array_equal(dense[rows.row_of[:, a]], T.toarray())


@pytest.mark.parametrize(
    ("problem_id", "k", "depth", "reward"),
    [
        ("frozen-lake-4x4", 0.005, 4, 0.036534),
        ("frozen-lake-8x8", 0.05, 3, 0.00356),
        ("taxi", 0.1, 4, 0.913),
        ("taxi", 5, 2, -4.513),
    ],
)
def test_known_bounds(problem_id, k, depth, reward):
    problem = load_problem(problem_id, k)
    bound = delayed_information_bound(problem, depth)
    assert -problem.start @ bound == pytest.approx(reward, rel=6e-4)


@pytest.mark.parametrize(("problem_id", "k"), [("two-state", 0.25), ("inventory", 0.064)])
def test_closed_at_depth_two(problem_id, k):
    problem = load_problem(problem_id, k)
    _, upper = bracket(problem, N=5)
    assert delayed_information_bound(problem, 2) == pytest.approx(upper, abs=2e-6)


def test_bad_input_is_refused():
    problem = load_problem("two-state", 0.25)
    with pytest.raises(SolverError, match="depth is 0"):
        delayed_information_bound(problem, 0)
    with pytest.raises(SolverError, match=r"needs .* GB"):
        refuse_beyond_memory(load_problem("icu-sepsis"), 12, 3000)


@pytest.mark.parametrize("k", [0.579, 3e7, 1e8])
def test_a_dear_look_does_not_raise_the_bound_by_its_rounding(k):
    costs = [[0.0], [-1.0]]
    T = np.array([[0.504, 0.496], [0.497, 0.503]])
    problem = SensingMDP.from_arrays([T], costs, 0.2, k)
    value = np.linalg.solve(np.eye(2) - 0.2 * T, np.ravel(costs))  # one action: nothing to plan
    for depth in (1, 2, 3):
        assert (delayed_information_bound(problem, depth) <= value + 1e-15).all()


@pytest.mark.parametrize("k", [1.0, 1e4, 1e8])
def test_a_dear_look_ends_no_climb_early(k):
    """Both states are as likely after every action, so nobody looks: each step after the first
    costs 1/2, and late news of the state is worth nothing."""
    alpha = 0.99
    problem = SensingMDP.from_arrays(np.full((2, 2, 2), 0.5), [[0, 1.0], [1.0, 0]], alpha, k)
    optimum = 0.5 * alpha / (1 - alpha)
    for depth in (1, 2, 3):
        np.testing.assert_allclose(delayed_information_bound(problem, depth), optimum, rtol=1e-6)
    assert solve(problem, "fib").lower == pytest.approx(optimum, rel=1e-6)
