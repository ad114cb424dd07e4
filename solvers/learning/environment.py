"""A sensing-cost MDP as a Gymnasium environment.

Each step the agent sends ``(a, look)``.  From the hidden state ``s`` the environment draws the
next state ``s'`` from ``T(a)(s, ·)`` and answers with

    observation   s' if it looked, else S, which means "nothing seen"
    reward        -C(s, a), less the price k(s, a) of the look
    terminated    s' is terminal and the agent knows it

The reward is the mean over what ``(s, a)`` may lead to, because a model keeps means; the expected
return of a policy is the same as with drawn rewards.  ``reset`` shows the first state: the agent
knows where it starts.

Conventions
-----------
* ``end_is_seen=False`` (the paper's): only a look shows the end.  A blind agent in a terminal state
  goes on, earns nothing, and pays for the look that finds the end.
* ``end_is_seen=True`` (most of the field): the episode is over as soon as a terminal state is
  entered, looked or not, and the observation is that state.
* ``horizon=H``: the episode is cut (``truncated``) after H steps.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from solvers.core.model import SensingMDP
from solvers.core.validation import ModelError


def checked_horizon(horizon: int | None) -> int | None:
    """The horizon as a whole number of at least one step, or None for no horizon."""
    if horizon is None:
        return None
    if not (float(horizon).is_integer() and horizon >= 1):
        raise ModelError(f"horizon is {horizon!r}; expected a whole number of steps, at least 1")
    return int(horizon)


class SensingEnv(gymnasium.Env):
    """The environment of one problem; see the module for what a step does.

    Parameters
    ----------
    problem : any SensingMDP
    end_is_seen : whether the end is noticed without a look; as the problem says when left out
    horizon : steps after which an episode is cut; none when left out

    ``action_space`` is MultiDiscrete([A, 2]); ``observation_space`` is Discrete(S + 1).  ``info``
    holds ``looked`` (bool), ``paid`` (price of this step's look) and ``cost`` (C(s, a)).
    """

    metadata = {"render_modes": []}  # noqa: RUF012 (Gymnasium's own form)

    def __init__(
        self,
        problem: SensingMDP,
        *,
        end_is_seen: bool | None = None,
        horizon: int | None = None,
    ) -> None:
        self.problem = problem
        self.end_is_seen = problem.end_is_seen if end_is_seen is None else bool(end_is_seen)
        self.horizon = checked_horizon(horizon)
        S, A = problem.num_states, problem.num_actions
        self.nothing_seen = S
        self.action_space = spaces.MultiDiscrete([A, 2])
        self.observation_space = spaces.Discrete(S + 1)
        self._rows = [_running_rows(T) for T in problem.transitions]
        self._costs = problem.costs.tolist()
        self._prices = problem.sensing_costs().tolist() if problem.has_linear_sensing_cost else None
        self._terminal = problem.terminal.tolist()
        self._start = np.cumsum(problem.start)
        self._state = self._steps = 0
        self._belief: np.ndarray | None = None  # kept only where the price depends on it

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[int, dict[str, Any]]:
        super().reset(seed=seed)
        point = self.np_random.random() * self._start[-1]
        self._state = int(np.searchsorted(self._start, point, side="right"))
        self._steps = 0
        if self._prices is None:
            self._know(self._state)
        return self._state, {"looked": False, "paid": 0.0, "cost": 0.0}

    def step(self, action: Any) -> tuple[int, float, bool, bool, dict[str, Any]]:
        a, look = int(action[0]), bool(action[1])
        s = self._state
        cost = self._costs[s][a]
        paid = self._price(s, a) if look else 0.0
        self._state = after = self._draw(s, a)
        self._steps += 1
        ended = self._terminal[after]
        seen = look or (ended and self.end_is_seen)
        if self._prices is None:
            self._follow(a, after if seen else None)
        terminated = ended and seen
        truncated = not terminated and self._steps == self.horizon
        info = {"looked": look, "paid": paid, "cost": cost}
        observation = after if seen else self.nothing_seen
        return observation, -cost - paid, terminated, truncated, info

    def _draw(self, s: int, a: int) -> int:
        first, states, running = self._rows[a]
        low, high = first[s], first[s + 1]
        # Rows sum to 1 up to rounding; the last entry closes the row whatever it sums to.
        return states[bisect_right(running, self.np_random.random(), low, high - 1)]

    def _price(self, s: int, a: int) -> float:
        if self._prices is not None:
            return self._prices[s][a]
        return float(self.problem.sensing_cost(self._belief, a))

    def _know(self, state: int) -> None:
        self._belief = np.zeros(self.problem.num_states)
        self._belief[state] = 1.0

    def _follow(self, a: int, seen: int | None) -> None:
        """Move the belief that a price may depend on."""
        if seen is not None:
            self._know(seen)
            return
        self._belief = self.problem.step(self._belief[None, :], np.array([a]))[0]
        if self.end_is_seen:  # not seeing the end is news too
            self._belief[self.problem.terminal] = 0.0
            self._belief /= self._belief.sum()


def _running_rows(T: Any) -> tuple[list[int], list[int], list[float]]:
    """A CSR matrix as row starts, columns and running sums within each row, as plain lists."""
    total = np.concatenate([[0.0], np.cumsum(T.data)])
    running = total[1:] - np.repeat(total[T.indptr[:-1]], np.diff(T.indptr))
    return T.indptr.tolist(), T.indices.tolist(), running.tolist()
