"""Problems taken from elsewhere, against independent statements of them."""

import gymnasium
import numpy as np
import pytest
from scipy.stats import multivariate_normal

from bench.continuous.problems import load_continuous


@pytest.mark.parametrize("action", [0, 1])
def test_cart_pole_moves_as_gymnasiums(action):
    problem, env = load_continuous("cart-pole"), gymnasium.make("CartPole-v1").unwrapped
    rng = np.random.default_rng(action)
    states = rng.uniform(0.9 * problem.low, 0.9 * problem.high, (20, 4))
    after, costs = problem.step(states, np.full(20, action), rng)
    for state, ours, ended in zip(states, after, problem.ended(after), strict=True):
        env.reset()
        env.state = state.copy()
        _, _, terminated, _, _ = env.step(action)
        np.testing.assert_allclose(ours, env.state, atol=1e-12)
        assert terminated == ended
    assert (costs == -1).all()


def test_mountain_car_moves_as_gymnasiums_when_the_air_is_still():
    class Still:
        def normal(self, mean, deviation, shape):
            return np.zeros(shape)

    problem, env = load_continuous("mountain-car"), gymnasium.make("MountainCar-v0").unwrapped
    rng = np.random.default_rng(0)
    states = rng.uniform(problem.low, [0.3, 0.07], (20, 2))
    actions = rng.integers(3, size=20)
    after, _ = problem.step(states, actions, Still())
    for state, action, ours in zip(states, actions, after, strict=True):
        env.reset()
        env.state = state.copy()
        for _ in range(5):
            if env.state[0] < 0.5:
                env.step(int(action))
        np.testing.assert_allclose(ours, env.state, atol=1e-12)


def test_the_hikes_reward_is_its_three_ridges():
    """Staying where there is no wind: minus the cost is the height that the source defines."""

    class Still:
        def normal(self, mean, deviation, shape):
            return np.zeros(shape)

    at = np.random.default_rng(0).uniform(-1, 1, (50, 2))
    ridges = [
        (1.0, [0.5, 0.5], [0.75, 0.1]),
        (0.8, [0.0, 0.2], [0.1, 0.75]),
        (0.55, [-0.375, -0.5], [0.75, 0.1]),
    ]
    each = [f * multivariate_normal(m, np.diag(np.square(s))).pdf(at) / 3 for f, m, s in ridges]
    height = np.max(each, axis=0)
    expected = 4 * (1 - (1 - height) ** 4) - 4.5 + at.sum(axis=1) / 4
    problem = load_continuous("mountain-hike")
    _, stay = problem.step(at, np.zeros(50, int), Still())
    np.testing.assert_allclose(-stay, expected, atol=1e-12)
    _, move = problem.step(at[:1] * 0 - 2.0, np.ones(1, int), Still())
    assert move[0] == pytest.approx(6.0 + 0.1 * 0.05)
