"""Claims proved again: true ones are verified, false ones stay claims, none is none."""

from dataclasses import replace

import numpy as np
import pytest

from bench.problems import load_problem
from bench.run import verification
from bench.run.verification import verified
from bench.store.status import CLAIMED, NONE, VERIFIED
from solvers import solve


@pytest.mark.parametrize(
    ("problem", "k", "solver"),
    [
        ("two-state", 0.25, "dips"),
        ("inventory", 0.2, "always-sense"),
        ("frozen-lake-4x4", 0.01, "delayed-information"),
    ],
)
def test_a_true_claim_is_verified_and_one_raised_a_little_is_not(problem, k, solver):
    model = load_problem(problem, k)
    solution = solve(model, solver, budget=5)
    found = verified(model, solution, 20.0)
    assert found.word == VERIFIED
    assert found.lower <= solution.lower
    best = solve(model, "dips", budget=5)
    raised = best.values + 1e-2 * (1 + np.abs(best.values))  # above the value of a policy
    false = replace(solution, lower_bound=raised)
    assert verified(model, false, 20.0).word == CLAIMED


def test_a_row_without_a_bound_claims_nothing():
    model = load_problem("two-state", 0.25)
    without = replace(solve(model, "spi"), lower_bound=None)
    assert verified(model, without, 5.0).word == NONE


def test_a_problem_beyond_the_checker_stays_claimed_and_says_so(monkeypatch):
    problem = load_problem("two-state", 0.25)
    found = solve(problem, "dips")
    monkeypatch.setattr(verification, "MOST_PAIRS", problem.costs.size)
    assert verified(problem, found, 60.0).word == VERIFIED
    monkeypatch.setattr(verification, "MOST_PAIRS", problem.costs.size - 1)
    told = verified(problem, found, 60.0)
    assert told.word == CLAIMED and told.lower is None and "4 pairs" in told.reason
