import numpy as np
import pytest
from scipy import sparse

from solvers import solve
from solvers.kernels import returns
from solvers.kernels.from_above import leads_to, least_above
from solvers.kernels.returns import ReturnSystem
from tests.solvers.exact_cost import exact_costs, uneven


@pytest.fixture
def iterated(monkeypatch):
    """No system is factored, as if all were large."""
    for name in ("FEW_STATES", "DENSE_STATES", "SPARSE_STATES"):
        monkeypatch.setattr(returns, name, 0)


@pytest.mark.parametrize("solver", ["dips", "pbvi", "delayed-information"])
@pytest.mark.parametrize("seed", [1, 7, 12, 20, 32])  # 20 and 32: an iterate alone is too low
def test_upper_bounds_are_proven_at_every_root_where_systems_are_iterated(iterated, solver, seed):
    problem = uneven(seed)
    options = {"target_gap": 1e-3} if solver != "pbvi" else {}
    found = solve(problem, solver, budget=1.0, **options)
    exact = exact_costs(problem, [found.policy.plan(s) for s in range(problem.num_states)])
    for upper, cost in zip(found.upper_bound.tolist(), exact, strict=True):
        assert upper >= cost, "a bound must hold at a root of small value as at others"


def two_parts(chance, widest):
    """P (8, 8) whose first half never leads to the second, and costs of 1e-9 there, 1e9 here."""
    P = widest * chance.dirichlet(np.full(8, 0.3), size=8)
    P[:4, 4:] = 0.0
    g = np.where(np.arange(8) < 4, 1e-9, 1e9) * chance.uniform(-0.1, 1, 8)
    return sparse.csr_array(P), g


@pytest.mark.parametrize("widest", [0.5, 0.99, 0.9999])
@pytest.mark.parametrize("seed", range(5))
def test_a_small_value_beside_huge_ones_is_bounded_closely(iterated, widest, seed):
    P, g = two_parts(np.random.default_rng(seed), widest)
    x = ReturnSystem(P).solve_above(g)
    alone = np.linalg.solve(np.eye(4) - P.toarray()[:4, :4], g[:4])
    size = np.linalg.solve(np.eye(4) - P.toarray()[:4, :4], np.abs(g[:4]))
    assert (x[:4] >= alone - 1e-13 * size / (1 - widest)).all()
    assert (x[:4] <= alone + 1e-3 * size).all()


def test_what_is_above_keeps_the_inequality_it_is_for():
    chance = np.random.default_rng(1)
    P = sparse.csr_array(0.999 * chance.dirichlet(np.full(20, 0.1), size=20))
    rest = 10 ** chance.uniform(-20, 0, 20)
    for rho in (0.0, np.full(20, 1e-6)):
        e = least_above(P, rest, ReturnSystem(P).solve, rho=rho)
        assert (e >= rest + (1 + rho) * (P @ e)).all()


def test_where_no_row_is_less_than_one_the_steps_to_the_end_are_counted():
    P = sparse.csr_array(np.diag(np.ones(9), 1))  # ten steps, undiscounted
    e = least_above(P, np.ones(10), ReturnSystem(P).solve)
    np.testing.assert_allclose(e, np.arange(10, 0, -1), rtol=1e-2)
    assert (e >= np.arange(10, 0, -1)).all()


def test_nothing_is_added_where_nothing_is_left_open():
    P = sparse.csr_array([[0.0, 0.5, 0.0], [0.0, 0.5, 0.0], [0.3, 0.0, 0.5]])
    rest = np.array([1.0, 0.0, 0.0])
    np.testing.assert_array_equal(leads_to(P, rest > 0), [True, False, True])
    e = least_above(P, rest, ReturnSystem(P).solve)
    assert e[1] == 0 and e[0] >= 1 and e[2] > 0
