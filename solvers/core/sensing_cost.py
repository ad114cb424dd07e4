"""The price of a look, in all its forms.

A sensing cost is a number; an array (A,) or (S, A), indexed by the state the action is taken in and
so linear in the belief; or a function of belief and action (App. F of the paper).  Where the agent
notices the end by itself (``end_is_seen``) a look costs nothing in a terminal state.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from solvers.core.validation import ModelError

SensingCost = float | np.ndarray | Callable[[np.ndarray, int], float]


@dataclass(frozen=True)
class SeenEndCost:
    """A sensing cost that is a function of the belief, for an agent that notices the end.

    It pays only while live, and what it then knows is the belief given that it is live.
    """

    cost: Callable[[np.ndarray, int], float]
    terminal: np.ndarray

    def __call__(self, belief: np.ndarray, action: int) -> float:
        live = np.where(self.terminal, 0.0, belief)
        chance = float(live.sum())
        return chance * self.cost(live / chance, action) if chance > 0 else 0.0


def checked_cost(k: Any, S: int, A: int, free_in: np.ndarray | None = None) -> SensingCost:
    """The cost in the form a model keeps; ``free_in`` (S,) bool: where a look is free, or None."""
    if callable(k):
        if free_in is None or not free_in.any() or isinstance(k, SeenEndCost):
            return k
        return SeenEndCost(k, free_in)
    array = np.array(k, float)
    if array.shape not in ((), (A,), (S, A)):
        raise ModelError(
            f"sensing cost has shape {array.shape}; expected a number, (A,) = ({A},), "
            f"(S, A) = ({S}, {A}), or a function of belief and action"
        )
    wrong = ~(np.isfinite(array) & (array >= 0))
    if wrong.any():
        at = tuple(int(i) for i in np.argwhere(wrong)[0])
        where = f" at {at}" if at else ""
        raise ModelError(f"sensing cost{where} is {array[at]}; expected a finite number >= 0")
    if free_in is not None and free_in.any():
        array = np.where(free_in[:, None], 0.0, np.broadcast_to(array, (S, A)))
    if array.ndim == 0:
        return float(array)
    array.setflags(write=False)
    return array


def cost_at(k: SensingCost, beliefs: np.ndarray, num_actions: int, name: str) -> np.ndarray:
    """Sensing cost of every action at each belief: (n, S) -> (n, A)."""
    if not callable(k):
        array = np.asarray(k, float)
        if array.ndim < 2:
            return np.broadcast_to(array, (beliefs.shape[0], num_actions))
        return beliefs @ array
    table = np.empty((len(beliefs), num_actions))
    for i, belief in enumerate(beliefs):
        for a in range(num_actions):
            table[i, a] = k(belief, a)
    if not (np.isfinite(table).all() and (table >= 0).all()):
        i, a = np.argwhere(~(np.isfinite(table) & (table >= 0)))[0]
        raise ModelError(
            f"{name}: the sensing-cost function gave {table[i, a]} for action {a} "
            "at some belief; it must give a finite number >= 0"
        )
    return table
