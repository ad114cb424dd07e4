"""Longer strings of common actions: a bound, no worse than without them, and the recursion said."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers import Budget, SensingMDP
from solvers.bounds.delayed_information import DelayedInformation, delayed_information_bound
from solvers.bounds.root_bounds import RootBounds
from tests.solvers.brute_force import bracket, small_problems


@settings(max_examples=25, deadline=None)
@given(problem=small_problems(max_states=3, max_actions=3), first=st.integers(0, 2))
def test_the_bound_is_below_the_optimum_and_not_below_that_of_its_base(problem, first):
    A = problem.num_actions
    if A < 2:
        return
    _, upper = bracket(problem, N=6)
    information = DelayedInformation(problem)
    information.deepen()
    information.climb()
    information.follow_common(np.array([first % A]))
    for _ in range(3):
        information.climb()
        assert (upper + 1e-12 >= information.W0).all()
        information.deepen()
    assert (delayed_information_bound(problem, 2) - 1e-8 <= information.W0).all()


def random_problem(S, A, seed):
    rng = np.random.default_rng(seed)
    T, C = rng.dirichlet(np.ones(S), size=(A, S)), rng.uniform(size=(S, A))
    return SensingMDP.from_arrays(T, C, 0.7, 0.1)


@pytest.mark.parametrize("n", [2, 3])
def test_values_are_the_literal_recursion(n):
    """At the fixed point every W(s, σ) obeys the equations of the module, belief by belief."""
    S, A, N, common, others = 4, 3, n + 2, (0, 2), (1,)
    problem = random_problem(S, A, 3)
    information = DelayedInformation(problem)
    while information.depth < n:
        information.deepen()
    information.follow_common(np.array(common))
    information.deepen()
    assert information.deepest == N
    for _ in range(200):
        information.sweep()
    T, C, V = [t.toarray() for t in problem.transitions], problem.costs, information.W0
    tables = information.common

    def W(s, string):
        if len(string) == n and not set(string[1:]) <= set(common):
            column = int("0" + "".join(map(str, string[1:])), A)
            return information.W(n)[information.rows.row_of[s, string[0]], column]
        column = int("0" + "".join(str(common.index(a)) for a in string[1:]), len(common))
        row = information.rows.row_of[s, string[0]]
        return tables.block(tables.levels.W, len(string))[row, column]

    def belief(s, string):
        b = np.eye(S)[s]
        for a in string:
            b = b @ T[a]
        return b

    def cost(s, string, a, ahead):
        b = belief(s, string)
        told = b @ (C[:, a] + 0.7 * T[a] @ V)
        return min(told + 0.1, max(told, b @ C[:, a] + 0.7 * ahead))

    def revealed(s, string, a):
        return sum(T[string[0]][s, x] * W(x, (*string[1:], a)) for x in range(S))

    def cap(s, string):
        if len(string) > n:
            return sum(T[string[0]][s, x] * cap(x, string[1:]) for x in range(S))
        return min(cost(s, string, a, revealed(s, string, a)) for a in others)

    for m in range(n + 1, N + 1):
        strings = [(x, *rest) for x in range(A) for rest in itertools.product(common, repeat=m - 1)]
        for s, string in itertools.product(range(S), strings[::3]):
            ahead = revealed if m == N else lambda s, string, a: W(s, (*string, a))
            best = min(cost(s, string, a, ahead(s, string, a)) for a in common)
            assert W(s, string) == pytest.approx(min(best, cap(s, string)), abs=1e-9)


def test_many_actions_of_which_few_are_used_are_followed_further():
    """Twelve actions, ten of them dear: the plans use two, and strings of these go deeper."""
    problem = random_problem(5, 12, 1)
    C = problem.costs + np.where(np.arange(12) < 2, 0.0, 0.5)
    problem = SensingMDP.from_arrays(problem.transitions, C, 0.7, 0.3)
    bounds = RootBounds(problem)
    for _ in range(4):
        bounds.round(50, 0.1, Budget())
        bounds.deepen()
        bounds.spread(1e-6, Budget())
    assert set(bounds.information.common.actions) <= {0, 1}
    assert bounds.information.deepest == 6
    assert (bounds.L <= bounds.V + 1e-12).all()
    assert (delayed_information_bound(problem, 2) - 1e-5 <= bounds.L).all()
