import numpy as np
import pytest
from hypothesis import given, settings

from bench.problems import load_problem
from solvers import Budget, evaluate
from solvers.bounds.root_bounds import HEAVY_SWEEPS, RootBounds
from tests.solvers.brute_force import bracket, small_problems


@settings(max_examples=25, deadline=None)
@given(problem=small_problems())
def test_bounds_hold_after_every_round(problem):
    low, high = bracket(problem, N=7)
    bounds = RootBounds(problem)
    for limit in (1, 3, 10, 30):
        before = bounds.L.copy(), bounds.V.copy()
        bounds.round(limit, 0.1, Budget())
        bounds.spread(1e-6, Budget())
        assert (bounds.L <= bounds.V + 1e-12).all()
        assert (high + 1e-9 >= bounds.L).all()
        assert (low - 1e-9 <= bounds.V).all()
        assert (before[0] - 1e-9 <= bounds.L).all()
        assert (before[1] + 1e-12 >= bounds.V).all()
        assert evaluate(problem, bounds.policy()) == pytest.approx(bounds.V, abs=1e-8)


def test_first_plans_are_the_better_of_looking_always_and_repeating():
    problem = load_problem("frozen-lake-4x4", 0.05)
    bounds = RootBounds(problem)
    assert evaluate(problem, bounds.policy()) == pytest.approx(bounds.V, abs=1e-10)
    assert (problem.constant_action_values.min(axis=1) + 1e-12 >= bounds.V).all()


def test_visits_count_the_start_and_where_looks_land():
    problem = load_problem("taxi", 0.1)
    bounds = RootBounds(problem)
    visits = bounds.visits()
    assert (visits >= problem.start - 1e-15).all()
    assert visits[problem.terminal].sum() == 0
    assert visits.sum() > 2 * problem.start.sum()
    assert np.isfinite(visits).all()


def test_heavy_sweeps_are_made_a_few_at_a_time(monkeypatch):
    monkeypatch.setattr("solvers.bounds.root_bounds.HEAVY_SWEEP", 1.0)
    bounds = RootBounds(load_problem("frozen-lake-4x4-hard", 0.01))
    before = bounds.information.work
    bounds.spread(1e-12, Budget())
    sweeps = (bounds.information.work - before) / bounds.information.sweep_work()
    assert sweeps == HEAVY_SWEEPS
