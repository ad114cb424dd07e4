import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from solvers.core.baseline import action_values as plain_action_values
from solvers.kernels.mixtures import (
    CHUNK,
    UNCAPPED,
    action_values,
    distinct_rows,
    mix,
    raise_by_mixtures,
    raise_from_below,
)
from tests.solvers.brute_force import small_problems

GO_ON = np.zeros(1, np.int64)


def as_matrix(rows):
    shape = (len(rows.indptr) - 1, len(rows.itself))
    return sparse.csr_array((rows.data, rows.indices, rows.indptr), shape=shape).toarray()


@settings(max_examples=30, deadline=None)
@given(problem=small_problems(), seed=st.integers(0, 1000), w=st.sampled_from([2, 6, CHUNK + 2]))
def test_mixtures_are_the_plain_sums(problem, seed, w):
    rng = np.random.default_rng(seed)
    rows = distinct_rows(problem.transitions)
    dense, A = as_matrix(rows), problem.num_actions
    R, w = len(dense), w // A * A
    ahead, looks = rng.normal(size=(2, R, w))
    price, exact = rng.uniform(size=A), (0.0, np.zeros(R))

    def plain(X):
        return np.concatenate([dense @ X[rows.row_of[:, b]] for b in range(A)], axis=1)

    out = np.empty((R, A * w))
    mix(rows, rows.row_of, ahead, out, GO_ON)
    assert out == pytest.approx(plain(ahead), abs=1e-12)
    W = np.full((R, w), -0.5)
    raise_by_mixtures(rows, rows.row_of, ahead, looks, price, exact, W, UNCAPPED, GO_ON)
    told = np.maximum(plain(ahead), plain(looks) - np.tile(price, w))
    both = np.minimum(told, plain(looks)).reshape(R, -1, A).min(axis=2)
    assert pytest.approx(np.maximum(both, -0.5), abs=1e-12) == W
    W = np.full(R * w // A, -0.5)
    raise_from_below(price, exact, ahead.ravel(), looks.ravel(), ahead.ravel(), 0.5, W, UNCAPPED)
    told = np.maximum(ahead + 0.5 * looks, ahead - np.tile(price, w // A))
    least = np.minimum(told, ahead).reshape(-1, A).min(axis=1)
    assert pytest.approx(np.maximum(least, -0.5), abs=1e-12) == W


@settings(max_examples=10, deadline=None)
@given(problem=small_problems(), seed=st.integers(0, 1000))
def test_action_values_are_those_of_the_transitions(problem, seed):
    rows, V = (
        distinct_rows(problem.transitions),
        np.random.default_rng(seed).normal(size=problem.num_states),
    )
    costs = np.array(problem.costs)
    Q, ahead = np.empty(costs.shape), np.empty(len(rows.indptr) - 1)
    action_values(rows, costs, problem.discount, V, ahead, Q)
    assert pytest.approx(plain_action_values(problem, V, costs), abs=1e-12) == Q
