"""Every claim of every method here, against optima that are known to certainty."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers import solve
from tests.solvers.brute_force import bracket, small_problems
from tests.solvers.referee import CERTAIN, optimum

METHODS = {
    "always-sense": {},
    "atm": {},
    "spi": {"init": "best"},
    "truncation": {"depth": 4},
    "fib": {},
    "qmdp": {},
    "hold": {},
    "pbvi": {},
    "delayed-information": {"depth": 3, "target_gap": 1e-3},
    "dips": {},
}


@settings(max_examples=10, deadline=None)
@given(problem=small_problems())
def test_the_referee_agrees_with_writing_out_every_plan(problem):
    lower, upper = bracket(problem, N=6)
    best = optimum(problem)
    assert (lower - CERTAIN <= best).all()
    assert (best <= upper + CERTAIN).all()


@pytest.mark.parametrize("solver", METHODS)
@settings(max_examples=8, deadline=None)
@given(problem=small_problems())
def test_no_claim_is_beyond_the_optimum(solver, problem):
    best = optimum(problem)
    solution = solve(problem, solver, budget=0.2, **METHODS[solver])
    if solution.lower_bound is not None:
        assert (solution.lower_bound <= best + CERTAIN).all()
    for above in (solution.upper_bound, solution.values):
        assert above is None or (above >= best - 2 * CERTAIN).all()


@settings(max_examples=25, deadline=None)
@given(
    problem=small_problems(),
    warm_start=st.booleans(),
    seed=st.integers(0, 9),
)
def test_dips_brackets_the_optimum_at_every_moment(problem, warm_start, seed):
    best = optimum(problem)
    solution = solve(problem, "dips", target_gap=1e-9, seed=seed, warm_start=warm_start, budget=2)
    for _, lower, upper in solution.trace:
        assert lower <= problem.start @ best + CERTAIN
        assert upper >= problem.start @ best - 2 * CERTAIN
    assert (solution.lower_bound <= best + CERTAIN).all()
    assert (solution.upper_bound >= best - 2 * CERTAIN).all()
    assert solution.value == pytest.approx(problem.start @ best, abs=1e-5) or solution.gap > 1e-6


@settings(max_examples=12, deadline=None)
@given(problem=small_problems(), depth=st.integers(1, 4))
def test_the_delayed_information_bound_is_below_the_optimum_at_every_moment(problem, depth):
    best = optimum(problem)
    solution = solve(problem, "delayed-information", depth=depth)
    assert len(solution.trace) == depth
    assert all(lower <= problem.start @ best + CERTAIN for _, lower, _ in solution.trace)
    assert (solution.lower_bound <= best + CERTAIN).all()
    assert np.isfinite(solution.lower_bound).all()
