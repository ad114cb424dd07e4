import numpy as np
import pytest
from scipy import sparse

from solvers import SensingMDP
from solvers.kernels.blind_step import (
    blind_steps,
    gathered_steps,
    sparse_steps,
    stack_transitions,
    stack_transposes,
    steps_dense,
)


@pytest.mark.parametrize(("states", "share"), [(20, 0.3), (150, 0.02), (150, 0.1), (150, 0.5)])
@pytest.mark.parametrize("rows", [1, 7, 8, 9, 61])
def test_one_blind_step_of_many_beliefs_is_that_of_each(states, share, rows):
    rng = np.random.default_rng([states, rows, int(100 * share)])
    T = rng.random((3, states, states)) * (rng.random((3, states, states)) < share)
    T += np.eye(states)
    T /= T.sum(axis=2, keepdims=True)
    problem = SensingMDP.from_arrays(list(T), np.zeros((states, 3)), 0.9, 0.1)
    assert steps_dense(problem.transitions) == (states <= 128 or share > 0.2)
    beliefs = rng.random((rows, states)) * (rng.random((rows, states)) < rng.choice([0.05, 1.0]))
    actions = rng.integers(0, 3, rows)
    each = [b @ T[a] for b, a in zip(beliefs, actions, strict=True)]
    np.testing.assert_allclose(problem.step(beliefs, actions), each, rtol=1e-13, atol=0)


def test_where_a_belief_is_zero_nothing_comes_from():
    T = [sparse.csr_array(np.eye(200)[::-1])]
    problem = SensingMDP.from_arrays(T, np.zeros((200, 1)), 0.9, 0.1)
    beliefs = np.eye(200)[[3, 199]]
    assert (problem.step(beliefs, np.zeros(2, int)) == np.eye(200)[[196, 0]]).all()


@pytest.mark.parametrize("rows", [1, 31, 32, 33, 70])
def test_gathering_and_scattering_give_the_same_bits(rows):
    rng = np.random.default_rng(rows)
    T = rng.random((2, 300, 300)) * (rng.random((2, 300, 300)) < 0.2)
    forward = stack_transitions(tuple(sparse.csr_array(matrix) for matrix in T))
    backward = stack_transposes(tuple(sparse.csr_array(matrix) for matrix in T))
    beliefs = rng.random((rows, 300)) * (rng.random((rows, 300)) < 0.5)
    actions = rng.integers(0, 2, rows)
    scattered = sparse_steps(blind_steps, beliefs, actions, forward)
    assert (sparse_steps(gathered_steps, beliefs, actions, backward) == scattered).all()
