"""A Gymnasium environment whose state can be set, as a continuous problem.

Classic-control environments keep their state in ``env.unwrapped.state``; setting it and stepping is
all that a simulator needs.  States are stepped one after another, some ten microseconds each, so a
vectorised ``step`` of one's own is much faster; this door is for trying an environment out.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np

from solvers.continuous.model import ContinuousError, ContinuousSensingMDP


def from_gymnasium(
    env_id: str,
    sensing_cost: float,
    discount: float = 0.99,
    horizon: int | None = None,
    noise: float = 0.0,
    **options: Any,
) -> ContinuousSensingMDP:
    """A classic-control environment with finite actions, by its id.

    noise : standard deviation of what is added to each next state, as a share of the state's range
    horizon : steps of an episode; the environment's own limit when left out
    """
    env = gymnasium.make(env_id, **options)
    bare = env.unwrapped
    env.reset(seed=0)
    low, high = _box(env, env_id)

    def step(
        states: np.ndarray, actions: np.ndarray, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        after, costs = np.empty(states.shape), np.empty(len(states))
        for i, (state, action) in enumerate(zip(states, actions, strict=True)):
            bare.state = np.array(state)
            if hasattr(bare, "steps_beyond_terminated"):
                bare.steps_beyond_terminated = None
            _, reward, _, _, _ = bare.step(int(action))
            after[i], costs[i] = bare.state, -reward
        return after + rng.normal(0, 1, after.shape) * noise * (high - low), costs

    def start(n: int, rng: np.random.Generator) -> np.ndarray:
        seeds = rng.integers(2**31, size=n)
        drawn = []
        for seed in seeds:
            bare.reset(seed=int(seed))
            drawn.append(np.array(bare.state, float))
        return np.array(drawn)

    limit = horizon if horizon is not None else (env.spec.max_episode_steps if env.spec else None)
    return ContinuousSensingMDP(
        env_id,
        int(env.action_space.n),
        step,
        start,
        low,
        high,
        discount,
        sensing_cost,
        ended=_ended(env_id),
        horizon=limit,
        end_is_seen=True,
        scale=-1.0,
    )


def _box(env: gymnasium.Env, env_id: str) -> tuple[np.ndarray, np.ndarray]:
    """The box of states, (n,) each side; an environment that does not show its state is refused."""
    bare = env.unwrapped
    if not hasattr(bare, "state") or not hasattr(env.action_space, "n"):
        raise ContinuousError(
            f"{env_id}: expected a classic-control environment with a settable `state` "
            "and finitely many actions"
        )
    width = len(np.atleast_1d(bare.state))
    box = env.observation_space
    if box.shape != (width,):
        raise ContinuousError(
            f"{env_id}: its state has {width} numbers and its observation {box.shape}; "
            "expected an environment that shows its state"
        )
    low = np.maximum(np.asarray(box.low, float), -5.0)
    high = np.minimum(np.asarray(box.high, float), 5.0)
    return low, high


def _ended(env_id: str) -> Any:
    """Where the known environments end; others end at their horizon only."""
    if env_id.startswith("CartPole"):
        return lambda s: (np.abs(s[:, 0]) > 2.4) | (np.abs(s[:, 2]) > 12 * 2 * np.pi / 360)
    if env_id.startswith("MountainCar"):
        return lambda s: s[:, 0] >= 0.5
    return lambda s: np.zeros(len(s), bool)
