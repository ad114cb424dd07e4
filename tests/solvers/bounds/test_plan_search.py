import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.problems import load_problem
from solvers import Budget
from solvers.bounds.root_bounds import RootBounds
from solvers.kernels.plan_kernel import BY_LOOK, BY_VALUE
from tests.solvers.brute_force import bracket, small_problems


def search(bounds, root, slack=0.0, limit=3000):
    QL, QV = (bounds.information.look_values(X) for X in (bounds.L, bounds.V))
    slacks = np.full(len(bounds.V), slack)
    bounds.information.look_ahead()
    values = QL, QV, bounds.V, bounds.size
    return bounds.searcher.search([root], *values, slacks, limit, Budget())[0]


def cost_of(problem, root, found, V):
    """What the plan found costs, step by step, V after its look or repeating at its end."""
    belief, cost = np.eye(problem.num_states)[root], 0.0
    alpha, actions = problem.discount, list(found.actions)
    k = problem.sensing_costs()
    if not found.senses:
        actions += [actions[-1]] * 200
    for t, a in enumerate(actions):
        cost += alpha**t * belief @ problem.costs[:, a]
        looked = found.senses and t == len(actions) - 1
        cost += alpha**t * belief @ k[:, a] if looked else 0.0
        belief = belief @ problem.transitions[a]
    return cost + (alpha ** len(actions) * belief @ V if found.senses else 0.0)


@settings(max_examples=40, deadline=None)
@given(problem=small_problems(), limit=st.integers(1, 200), depth=st.integers(1, 3))
def test_lower_is_proven_and_the_plan_is_worth_what_it_says(problem, limit, depth):
    low, high = bracket(problem, N=7)
    bounds = RootBounds(problem)
    for _ in range(depth - 1):
        bounds.deepen()
    for root in np.flatnonzero(~problem.terminal):
        found = search(bounds, root, limit=limit)
        assert found.lower <= high[root] + 1e-9
        assert found.upper >= low[root] - 1e-9
        assert found.expanded <= limit
        if len(found.actions):
            assert found.upper == pytest.approx(cost_of(problem, root, found, bounds.V), abs=1e-9)
        if found.why == BY_VALUE:
            assert found.lower == pytest.approx(found.upper, abs=1e-9)


def test_a_search_that_closes_by_look_has_solved_its_root_against_L():
    """With L the optimum itself, the search returns the optimum."""
    problem = load_problem("two-state", 0.25)
    _, optimum = bracket(problem, N=10)
    bounds = RootBounds(problem)
    bounds.L = optimum
    for root in range(2):
        found = search(bounds, root)
        assert found.why in (BY_LOOK, BY_VALUE)
        assert found.lower == pytest.approx(optimum[root], abs=1e-6)


def test_more_nodes_never_lower_the_bound():
    bounds = RootBounds(load_problem("frozen-lake-4x4-hard", 0.01))
    start = int(np.argmax(bounds.problem.start))
    lowers = [search(bounds, start, limit=n).lower for n in (1, 10, 100, 1000)]
    assert lowers == sorted(lowers)
