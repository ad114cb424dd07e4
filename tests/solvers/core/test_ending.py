"""Whether, when and after how many steps an episode ends, against hand and brute force."""

from fractions import Fraction

import numpy as np
import pytest

from solvers import ModelError, SensingMDP, solve
from solvers.core.ending import endless_states
from solvers.core.lower_bound import crude_lower_bound


def chain(stay: float, discount: float, **rest) -> SensingMDP:
    """Two live states and an end; action 0 goes on, action 1 waits with probability ``stay``."""
    T = np.zeros((2, 3, 3))
    T[0, 0, 1] = T[0, 1, 2] = 1.0
    T[1, 0, [0, 2]] = T[1, 1, [1, 2]] = stay, 1 - stay
    T[:, 2, 2] = 1.0
    return SensingMDP.from_arrays(T, np.ones((3, 2)) * [[1], [1], [0]], discount, 0.1, **rest)


def test_a_discount_of_one_is_taken_where_everything_ends():
    model = chain(0.75, 1.0, terminal=[2])
    # Waiting ends with 1/4 a step: 4 steps; going on first and waiting then: 1 + 4.
    assert model.expected_steps == pytest.approx([5, 4, 0], rel=1e-8)
    assert np.isinf(model.remaining_steps[:2]).all() and model.remaining_steps[2] == 0
    assert model.longest_stay == pytest.approx(5, rel=1e-8)


def test_a_discount_of_one_is_refused_where_one_can_go_on_for_ever():
    with pytest.raises(ModelError, match=r"discount 1 .* state 0 .* horizon or a discount below 1"):
        chain(1.0, 1.0, terminal=[2])
    with pytest.raises(ModelError, match="at most 1"):
        chain(0.5, 1.5, terminal=[2])
    with pytest.raises(ModelError, match="discount 1"):
        chain(1.0, 0.9, terminal=[2]).with_discount(1)


def test_endless_states_are_those_with_a_way_to_stay():
    model = chain(1.0, 0.9, terminal=[2])
    assert endless_states(model.transitions, model.terminal).tolist() == [True, True, False]
    # Only state 0 can wait for ever: state 1 has no waiting action.
    T = np.zeros((2, 3, 3))
    T[0, 0, 1] = T[1, 0, 0] = 1.0
    T[:, 1:, 2] = 1.0
    model = SensingMDP.from_arrays(T, np.zeros((3, 2)), 0.9, 0.1, terminal=[2])
    assert endless_states(model.transitions, model.terminal).tolist() == [True, False, False]


def test_without_an_end_there_are_as_many_steps_as_the_discount_leaves():
    rng = np.random.default_rng(1)
    T = rng.dirichlet(np.ones(4), size=(3, 4))
    model = SensingMDP.from_arrays(T, rng.random((4, 3)), 0.9, 0.1)
    assert model.expected_steps == pytest.approx(np.full(4, 10.0), rel=1e-6)
    assert 1 / (1 - 0.9) <= model.longest_stay <= (1 + 1e-12) / (1 - 0.9)


@pytest.mark.parametrize("seed", range(5))
def test_expected_steps_bound_every_stationary_policy(seed):
    rng = np.random.default_rng(seed)
    T = rng.dirichlet(np.full(5, 0.3), size=(2, 5))
    T[:, 4] = np.eye(5)[4]
    model = SensingMDP.from_arrays(T, np.zeros((5, 2)), 0.97, 0.1, terminal=[4])
    E = model.expected_steps
    best = np.zeros(5)
    for code in range(2**4):
        P = np.array([T[code >> s & 1, s] for s in range(4)])[:, :4]
        best[:4] = np.maximum(best[:4], np.linalg.solve(np.eye(4) - 0.97 * P, np.ones(4)))
    assert (best <= E).all() and (best * 1.01 >= E).all()


def test_without_discount_the_expected_steps_are_no_fewer_than_the_slowest_way_takes():
    """Action 0 leaves with a chance of 2^-30, the others with 2^-46: policy iteration must not stop
    at the first because the gain is small beside what it has."""
    quick, slow = 2.0**-30, 2.0**-46
    T = np.zeros((2, 2, 2))
    T[:, 1, 1] = 1
    T[0, 0], T[1, 0] = [1 - quick, quick], [1 - slow, slow]
    model = SensingMDP.from_arrays(T, [[1.0, 1.0], [0, 0]], 1.0, 1.0, terminal=[1])
    assert model.longest_stay >= 1 / slow
    assert solve(model, "always-sense").lower_bound[0] <= 1 / quick
    earns = SensingMDP.from_arrays(T, [[-1.0, -1.0], [0, 0]], 1.0, 1.0, terminal=[1])
    assert crude_lower_bound(earns)[0] <= -1 / slow


def test_a_leak_that_rounding_hides_is_no_end():
    with pytest.raises(ModelError, match="discount 1"):
        SensingMDP.from_arrays([[[1.0, 2.0**-60], [0, 1]]], [[1.0], [0]], 1.0, 1.0, terminal=[1])


def test_rows_that_sum_to_more_than_one_make_more_steps():
    """Nothing ends, 1 is earned at each step, and the chances add up to 1 + 9e-15."""
    alpha, chance = 1 - 1e-7, 1 + 9e-15
    problem = SensingMDP.from_arrays([[[chance]]], [[-1.0]], alpha, 1.0)
    stored = Fraction(float(problem.transitions[0].data[0]))
    assert stored > 1
    earned = 1 / (1 - Fraction(alpha) * stored)
    assert Fraction(float(problem.longest_stay)) >= earned
    assert Fraction(float(problem.expected_steps[0])) >= earned
    assert Fraction(float(crude_lower_bound(problem)[0])) <= -earned
