"""Many episodes of one problem side by side, a million steps a second and more on one core.

A Gymnasium vector environment with the rules of :class:`SensingEnv`.  An episode that is over
begins anew at the next step, whose action is ignored (Gymnasium's ``NEXT_STEP``).  The arrays that
``step`` returns are written anew each time; ``copy=False`` hands out the same ones again and again,
for loops that use them at once.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from solvers.core.model import SensingMDP
from solvers.core.validation import ModelError
from solvers.kernels.episode_step import step_episodes
from solvers.learning.environment import checked_horizon


class SensingVectorEnv(VectorEnv):
    """``num_envs`` episodes of ``problem``; options as for :class:`SensingEnv`.

    Actions are (n, 2) integers, observations (n,) states or S for "nothing seen"; ``info`` holds
    ``looked`` (n,) and ``paid`` (n,).
    """

    metadata = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012

    def __init__(
        self,
        problem: SensingMDP,
        num_envs: int,
        *,
        end_is_seen: bool | None = None,
        horizon: int | None = None,
        copy: bool = True,
    ) -> None:
        if not (float(num_envs).is_integer() and num_envs >= 1):
            raise ModelError(f"num_envs is {num_envs!r}; expected a whole number, at least 1")
        if not problem.has_linear_sensing_cost:
            raise ModelError(
                f"{problem.name}: the price is a function of the belief, which the vectorised "
                "environment does not follow; use SensingEnv"
            )
        n, S, A = int(num_envs), problem.num_states, problem.num_actions
        self.num_envs, self.problem, self.copy = n, problem, copy
        self.end_is_seen = problem.end_is_seen if end_is_seen is None else bool(end_is_seen)
        self.horizon = checked_horizon(horizon)
        self.single_action_space = spaces.MultiDiscrete([A, 2])
        self.single_observation_space = spaces.Discrete(S + 1)
        self.action_space = batch_space(self.single_action_space, n)
        self.observation_space = batch_space(self.single_observation_space, n)
        self._tables = (
            *_stacked_rows(problem),
            problem.costs,
            np.ascontiguousarray(problem.sensing_costs()),
            problem.terminal,
            np.cumsum(problem.start),
        )
        self._states, self._steps = np.zeros(n, np.int64), np.zeros(n, np.int64)
        self._over = np.ones(n, bool)
        self._rng = np.zeros(n, np.uint64)
        self._out = (
            np.zeros(n, np.int64),
            np.zeros(n),
            np.zeros(n, bool),
            np.zeros(n, bool),
            np.zeros(n),
        )

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        super().reset(seed=seed)
        self._rng = self.np_random.integers(0, 2**64, self.num_envs, np.uint64)
        self._over[:] = True
        observations, _, _, _, info = self.step(np.zeros((self.num_envs, 2), np.int64))
        return observations, info

    def step(self, actions: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict]:
        actions = np.asarray(actions, np.int64)
        if actions.shape != (self.num_envs, 2):
            raise ValueError(f"actions have shape {actions.shape}; expected ({self.num_envs}, 2)")
        looked = (actions[:, 1] != 0) & ~self._over
        step_episodes(
            *self._tables,
            self.end_is_seen,
            self.horizon or 0,
            actions,
            self._states,
            self._steps,
            self._over,
            self._rng,
            *self._out,
        )
        observations, rewards, terminated, truncated, paid = (
            (array.copy() for array in self._out) if self.copy else self._out
        )
        return observations, rewards, terminated, truncated, {"looked": looked, "paid": paid}


def _stacked_rows(problem: SensingMDP) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Row starts, next states and running sums of all actions' transitions, one after another."""
    first, after, running, offset = [np.zeros(1, np.int64)], [], [], 0
    for T in problem.transitions:
        total = np.concatenate([[0.0], np.cumsum(T.data)])
        running.append(total[1:] - np.repeat(total[T.indptr[:-1]], np.diff(T.indptr)))
        after.append(T.indices.astype(np.int64))
        first.append(T.indptr[1:].astype(np.int64) + offset)
        offset += len(T.data)
    return np.concatenate(first), np.concatenate(after), np.concatenate(running)
