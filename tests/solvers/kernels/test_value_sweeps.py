"""Sweeps in place: the same fixed points as methods that share no code with them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from solvers import SensingMDP
from solvers.core.baseline import baseline
from solvers.core.budget import Budget
from solvers.core.lower_bound import lower_bound_from
from solvers.kernels import returns
from solvers.kernels.mixtures import distinct_rows
from solvers.kernels.returns import ReturnSystem
from solvers.kernels.value_sweeps import sweep_least


def drawn(seed, S=12, A=3, discount=0.95, halves=False):
    """A sparse random problem with one terminal state; with halves many rows are equal."""
    chance = np.random.default_rng(seed)
    T = np.zeros((A, S, S))
    for a in range(A):
        for s in range(S - 1):
            where = chance.choice(S, 3)
            np.add.at(T[a, s], where, [0.5, 0.25, 0.25] if halves else chance.dirichlet(np.ones(3)))
    T[:, -1, -1] = 1.0
    costs = chance.normal(size=(S, A))
    costs[-1] = 0.0
    return SensingMDP.from_arrays(T, costs, discount, 0.1, start=0, terminal=[S - 1])


def iterated(problem, costs, best=np.min, sweeps=4000):
    """Value iteration from dense arrays, written out."""
    T = np.stack([t.toarray() for t in problem.transitions])
    V = np.zeros(problem.num_states)
    for _ in range(sweeps):
        V = best(costs + problem.discount * np.einsum("ast,t->sa", T, V), axis=1)
        V[problem.terminal] = 0.0
    return V


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6))
def test_sweeps_find_the_least_cost_and_a_policy_that_attains_it(seed):
    problem = drawn(seed)
    costs, V = np.array(problem.costs), np.zeros(problem.num_states)
    policy = np.zeros(problem.num_states, int)
    rules = np.array(problem.terminal), problem.discount, 1e-12
    sweep_least(*problem.stacked_transitions, costs, *rules, V, policy, 0, 2000)
    best = iterated(problem, problem.costs)
    np.testing.assert_allclose(V, best, atol=1e-9)
    P = problem.discount * problem.policy_matrix(policy).toarray()
    step = np.where(problem.terminal, 0.0, costs[np.arange(len(V)), policy])
    np.testing.assert_allclose(np.linalg.solve(np.eye(len(V)) - P, step), best, atol=1e-8)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0.5, 0.95, 0.999]))
def test_expected_steps_are_never_too_few(seed, discount):
    problem = drawn(seed, discount=discount)
    exact = iterated(problem, np.ones(problem.costs.shape), np.max, 20_000)
    assert (problem.expected_steps >= exact * (1 - 1e-12)).all()
    assert problem.expected_steps.max() <= 1 / (1 - discount) * (1 + 1e-8)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.booleans())
def test_equal_rows_are_kept_once(seed, halves):
    problem = drawn(seed, halves=halves)
    rows = distinct_rows(problem.transitions)
    dense = np.zeros((len(rows.indptr) - 1, problem.num_states))
    for r in range(len(dense)):
        part = slice(rows.indptr[r], rows.indptr[r + 1])
        dense[r, rows.indices[part]] = rows.data[part]
    assert len(np.unique(dense, axis=0)) == len(dense)
    for a, T in enumerate(problem.transitions):
        assert (dense[rows.row_of[:, a]] == T.toarray()).all()


@pytest.mark.parametrize("widest", [0.5, 0.99, 0.99999])
def test_iterated_systems_agree_with_factored_ones(monkeypatch, widest):
    chance = np.random.default_rng(0)
    P = sparse.csr_array(widest * chance.dirichlet(np.full(150, 0.05), size=150))
    g = chance.normal(size=150)
    direct = ReturnSystem(P).solve(g)
    for name in ("FEW_STATES", "DENSE_STATES", "SPARSE_STATES"):
        monkeypatch.setattr(returns, name, 0)
    system = ReturnSystem(P)
    assert not system.factored
    scale = np.abs(direct).max()
    for guess in (None, direct + 1.0):
        np.testing.assert_allclose(system.solve(g, guess), direct, atol=1e-6 * scale)
    for guess in (np.zeros(150), direct, chance.normal(size=150)):
        assert (system.above(g, guess) >= direct - 1e-9 * scale).all()


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6))
def test_out_of_time_both_bounds_still_hold(seed):
    problem, none = drawn(seed), Budget(1e-9)
    assert problem.num_states > 0 and none.over()
    best = iterated(problem, problem.costs)
    found = baseline(problem, budget=none)
    assert (best - 1e-9 <= found.V).all()
    for V in (found.V, best + 1.0, np.zeros(problem.num_states)):
        lower = lower_bound_from(problem, V, none)
        assert (lower <= best + 1e-12).all()
        assert (lower[problem.terminal] == 0).all()
