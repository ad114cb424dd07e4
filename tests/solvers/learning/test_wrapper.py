"""A price on the looks of any Gymnasium environment."""

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from solvers import ModelError
from solvers.learning import PricedLooks


@pytest.mark.filterwarnings("ignore::UserWarning")  # that it is a wrapper, and of infinite boxes
@pytest.mark.parametrize("name", ["FrozenLake-v1", "CartPole-v1", "CliffWalking-v1"])
def test_check_env_accepts_it(name):
    check_env(PricedLooks(gymnasium.make(name), 0.1), skip_render_check=True)


def test_a_look_costs_its_price_and_shows_the_state():
    env = PricedLooks(gymnasium.make("FrozenLake-v1", is_slippery=False), 0.25)
    assert env.reset(seed=0)[0] == 0
    assert env.step((2, 0))[:2] == (16, 0.0)  # 16: nothing seen
    seen, reward, _, _, info = env.step((2, 1))
    assert (seen, reward, info["paid"], info["looked"]) == (2, -0.25, 0.25, True)


@pytest.mark.parametrize("end_is_seen", [True, False])
def test_who_notices_the_end(end_is_seen):
    lake = gymnasium.make("FrozenLake-v1", is_slippery=False)
    env = PricedLooks(lake, 0.25, end_is_seen=end_is_seen)
    env.reset(seed=0)
    env.step((1, 0))
    seen, _, terminated, _, _ = env.step((2, 0))  # into the hole at 5
    assert terminated == end_is_seen and seen == (5 if end_is_seen else 16)
    if not end_is_seen:
        assert env.step((0, 0))[:3] == (16, 0.0, False)
        assert env.step((0, 1))[:3] == (5, -0.25, True)


def test_continuous_states_are_zero_when_unseen():
    env = PricedLooks(gymnasium.make("CartPole-v1"), 0.1, horizon=2)
    assert env.reset(seed=0)[0]["seen"] == 1
    blind = env.step((1, 0))[0]
    assert blind["seen"] == 0 and not np.any(blind["state"])
    shown, reward, _, truncated, _ = env.step((1, 1))
    assert shown["seen"] == 1 and np.any(shown["state"])
    assert truncated and reward == pytest.approx(0.9)


def test_a_price_below_zero_is_refused():
    with pytest.raises(ModelError, match="price is -1"):
        PricedLooks(gymnasium.make("FrozenLake-v1"), -1)
