"""A price on looking, for any Gymnasium environment.

``PricedLooks(env, price)`` asks for ``(a, look)`` where the environment asked for ``a``.  A look
costs ``price`` and shows what the environment would have shown; without it nothing is seen.  The
first observation is free.

Where the environment has discrete actions and observations (n of them) the spaces are those of
:class:`SensingEnv`: MultiDiscrete([A, 2]) and Discrete(n + 1), with n for "nothing seen".
Elsewhere an action is a pair ``(a, look)`` and an observation ``{"seen": 0 or 1, "state": …}``,
with zeros for the state when nothing was seen.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector.utils import create_empty_array

from solvers.core.validation import ModelError
from solvers.learning.environment import checked_horizon


class PricedLooks(gymnasium.Wrapper, gymnasium.utils.RecordConstructorArgs):
    """The wrapper; see the module.

    Parameters
    ----------
    price : of one look, at least 0
    end_is_seen : True (as in Gymnasium) if the end is noticed without a look; False if a blind
        agent has to look to learn that the episode is over, and earns nothing until it does
    horizon : steps after which an episode is cut; none when left out
    """

    def __init__(
        self,
        env: gymnasium.Env,
        price: float,
        *,
        end_is_seen: bool = True,
        horizon: int | None = None,
    ) -> None:
        gymnasium.utils.RecordConstructorArgs.__init__(
            self, price=price, end_is_seen=end_is_seen, horizon=horizon
        )
        gymnasium.Wrapper.__init__(self, env)
        if not (np.isfinite(price) and price >= 0):
            raise ModelError(f"price is {price!r}; expected a finite number >= 0")
        self.price, self.end_is_seen = float(price), bool(end_is_seen)
        self.horizon = checked_horizon(horizon)
        inner, acts = env.observation_space, env.action_space
        self.discrete = _counts_from_zero(inner) and _counts_from_zero(acts)
        if self.discrete:
            self.action_space = spaces.MultiDiscrete([int(acts.n), 2])
            self.observation_space = spaces.Discrete(int(inner.n) + 1)
        else:
            self.action_space = spaces.Tuple((acts, spaces.Discrete(2)))
            self.observation_space = spaces.Dict({"seen": spaces.Discrete(2), "state": inner})
        self._over = False
        self._last: Any = None
        self._steps = 0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        state, info = self.env.reset(seed=seed, options=options)
        self._over, self._steps = False, 0
        return self._shown(state), {**info, "looked": False, "paid": 0.0, "cost": 0.0}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        a, look = action[0], bool(action[1])
        reward, truncated, info = 0.0, False, {}
        if not self._over:  # after an end that nobody saw, nothing happens any more
            inner = int(a) if self.discrete else a
            self._last, reward, self._over, truncated, info = self.env.step(inner)
        self._steps += 1
        terminated = self._over and (look or self.end_is_seen)
        truncated = not terminated and (truncated or self._steps == self.horizon)
        paid = self.price if look else 0.0
        info = {**info, "looked": look, "paid": paid, "cost": -float(reward)}
        seen = look or terminated
        observation = self._shown(self._last) if seen else self._nothing()
        return observation, float(reward) - paid, terminated, truncated, info

    def _shown(self, state: Any) -> Any:
        return int(state) if self.discrete else {"seen": 1, "state": state}

    def _nothing(self) -> Any:
        if self.discrete:
            return int(self.env.observation_space.n)
        blank = create_empty_array(self.env.observation_space, n=1, fn=np.zeros)
        return {"seen": 0, "state": _first(blank)}


def _counts_from_zero(space: gymnasium.Space) -> bool:
    return isinstance(space, spaces.Discrete) and int(space.start) == 0


def _first(batch: Any) -> Any:
    """The one entry of a batch of one."""
    if isinstance(batch, dict):
        return {key: _first(value) for key, value in batch.items()}
    if isinstance(batch, tuple):
        return tuple(_first(value) for value in batch)
    return batch[0]
