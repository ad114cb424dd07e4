"""Merged beliefs, loops and leaps against a solver that writes every belief out."""

import numpy as np
import pytest

from solvers import Budget, SensingMDP
from solvers.bounds.root_bounds import RootBounds
from solvers.kernels.plan_kernel import BY_LOOK
from tests.solvers.belief_tree import bracket_by_beliefs, tricky_problem
from tests.solvers.bounds.test_plan_search import search


@pytest.mark.parametrize("first", range(0, 100, 20))
def test_no_step_of_the_search_crosses_the_optimum(first):
    """Rounds cut short anywhere, leaps and sweeps in any order, on problems made to trip them."""
    for seed in range(first, first + 20):
        problem, rng = tricky_problem(seed), np.random.default_rng(seed)
        low, high = bracket_by_beliefs(problem)
        close = 1e-9 * np.maximum(1e-2, np.abs(high))
        bounds = RootBounds(problem, seed)
        for _ in range(int(rng.integers(2, 7))):
            bounds.round(int(rng.choice([1, 3, 10, 100, 1000])), rng.choice([0, 0.1]), Budget())
            if rng.random() < 0.6:
                bounds.leap(int(rng.choice([10, 100, 1000])), Budget())
            if rng.random() < 0.5:
                bounds.spread(float(rng.choice([1e-3, 1e-9])), Budget())
            if rng.random() < 0.3 and bounds.information.deepest < 4:
                bounds.deepen()
            if rng.random() < 0.5 and bounds.information.depth > 1:
                follow_some(bounds, rng)
            assert (high + 0.1 * close >= bounds.L).all(), seed
            assert (low - close <= bounds.V).all(), seed


def follow_some(bounds, rng):
    """Follow longer strings of a few actions, drawn at random, unless it does already."""
    information, A = bounds.information, bounds.problem.num_actions
    if information.common is None and A > 1:
        actions = np.flatnonzero(rng.permutation(A) < rng.integers(1, A))
        information.follow_common(actions)
        bounds.searcher.take(information)


def test_a_free_loop_is_a_plan_and_not_a_detour():
    """Root 0 goes round for free for ever; dropping its loop as a detour would prove a cost."""
    T = [[[0, 1.0], [1, 0]], [[1.0, 0], [0, 1]]]
    problem = SensingMDP.from_arrays(T, [[0.0, 1.0], [0.0, 1.0]], 0.9, 0.1)
    bounds = RootBounds(problem)
    bounds.V = np.array([5.0, 5.0])  # as if nothing cheap were known
    for root in (0, 1):
        found = search(bounds, root)
        assert found.lower <= 1e-12
        assert found.upper <= 1e-6


def test_staying_for_free_is_not_a_detour_of_staying_for_free():
    """All costs at the root are 0 and so is any margin for rounding: only "strictly" saves it."""
    T = [[[0.75, 0.25], [0.5, 0.5]], [[1.0, 0.0], [0.25, 0.75]]]
    problem = SensingMDP.from_arrays(T, [[0.0, 0.0], [1e6, 1.0]], 0.6, 0.05)
    bounds = RootBounds(problem)
    for _ in range(3):
        bounds.round(1000, 0.0, Budget())
    assert bounds.L[0] <= 0
    assert bounds.L[1] <= bounds.V[1]


def test_a_loop_that_pays_is_found_and_written_out():
    """The best plan alternates two actions for ever and never looks."""
    T = [[[0, 1.0], [1, 0]], [[0, 1.0], [1, 0]]]
    problem = SensingMDP.from_arrays(T, [[0.0, 1.0], [1.0, 0.2]], 0.9, 10.0)
    exact = np.array([0.9 * 0.2, 0.2]) / (1 - 0.9**2)
    bounds = RootBounds(problem)
    for root in (0, 1):
        found = search(bounds, root)
        assert found.dropped
        assert found.lower == pytest.approx(exact[root], abs=1e-9)
        assert found.lower <= exact[root]
        assert found.upper == pytest.approx(exact[root], abs=1e-9)


def test_a_string_that_comes_back_to_its_root_is_dropped():
    """Start, then good or bad unseen, then back: searched as a tree it never ends."""
    T = np.zeros((2, 4, 4))
    T[:, 0, 1:3], T[:, 3, 3] = (0.8, 0.2), 1
    T[0, 1:3, 3], T[1, 1:3, 0] = 1, 1
    C = np.zeros((4, 2))
    C[1, 0] = -1
    problem = SensingMDP.from_arrays(T, C, 0.9999, 0.15, terminal=[3], start=0)
    bounds = RootBounds(problem)
    found = search(bounds, 0, limit=10**5)
    assert found.why == BY_LOOK
    assert found.expanded < 20
    assert found.dropped > 0


def test_a_leap_from_optimal_plans_always_lands():
    """F is concave: with V optimal every guess between L and V satisfies U ≤ F(U)."""
    rng = np.random.default_rng(1)
    S, A = 4, 2
    T = 0.97 * np.eye(S)[rng.integers(S, size=(A, S))] + 0.03 / S
    problem = SensingMDP.from_arrays(T, rng.uniform(size=(S, A)), 0.95, 0.05)
    bounds = RootBounds(problem)
    while (bounds.V - bounds.L).max() > 1e-9:
        bounds.round(1000, 0.0, Budget())
        bounds.spread(1e-12, Budget())
    fresh = RootBounds(problem)
    fresh.take_plans(bounds.table.plans)
    before = fresh.V - fresh.L
    assert before.max() > 1e-3
    assert fresh.leap(10**5, Budget())
    assert (fresh.L <= fresh.V).all()
    assert ((fresh.V - fresh.L) @ problem.start <= 0.11 * before @ problem.start).all()
