"""A solver that runs out of time returns the best valid thing it has."""

import numpy as np
import pytest

from bench.perf.large_lakes import random_lake
from solvers import Budget, solve
from solvers.core.solver import make_solver

SIDE = 20


@pytest.fixture(scope="module")
def lake():
    return random_lake(SIDE)


@pytest.fixture(scope="module")
def optimum(lake):
    found = solve(lake, "dips", budget=60.0, target_gap=1e-7)
    return float(lake.start @ found.lower_bound), found.value


@pytest.mark.parametrize("roots", ["reachable", "all"])
@pytest.mark.parametrize("solver", ["always-sense", "atm", "spi", "dips", "qmdp", "pbvi"])
@pytest.mark.parametrize("seconds", [1e-9, 0.005, 0.05])
def test_bounds_hold_whenever_the_budget_ends(lake, optimum, solver, roots, seconds):
    below, above = optimum
    options = {"roots": roots} if "roots" in make_solver(solver).options() else {}
    found = solve(random_lake(SIDE), solver, budget=seconds, **options)
    rounding = 1e-9 * abs(above)
    assert found.value >= below - rounding
    assert float(lake.start @ found.lower_bound) <= above + rounding
    if found.upper_bound is not None:
        assert float(lake.start @ found.upper_bound) >= below - rounding
        assert found.value <= float(lake.start @ found.upper_bound) + rounding


def test_bounds_hold_at_every_root_without_time(lake):
    closed = solve(lake, "dips", budget=60.0, roots="all", target_gap=1e-6)
    method = make_solver("dips")
    method.warm_up()
    found = method.solve(random_lake(SIDE), Budget(1e-9))
    scale = np.abs(closed.values).max()
    assert (found.lower_bound <= closed.values + 1e-9 * scale).all()
    assert (found.upper_bound >= closed.lower_bound - 1e-9 * scale).all()
