"""Always sense, also where no discount tells going from waiting."""

import pytest

from bench import load_problem
from solvers import evaluate_fully, solve


def test_without_discount_it_does_not_stand_and_look():
    """Steps are free on these lakes: only haste tells going from waiting."""
    problem = load_problem("semi-slippery-4x4@horizon=40,discount=1", 0.05)
    found = solve(problem, "always-sense")
    exact = evaluate_fully(problem, found.policy)
    free = solve(problem.with_sensing_cost(0.0), "always-sense").value
    assert free == pytest.approx(-1, abs=1e-5)  # it gives up nothing for its haste
    assert float(problem.start @ exact.steps) < 10
