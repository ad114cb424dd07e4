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
from solvers.kernels.returns import Rows, picked_dots

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


def table_of(k: SensingCost, shape: tuple[int, int], name: str) -> np.ndarray:
    """The cost as an array (S, A); refused for a function of the belief, which has none."""
    if callable(k):
        raise ModelError(
            f"{name}: the sensing cost is a function of the belief, so it has no (S, A) "
            "array; use a number or an array of sensing costs here"
        )
    return np.broadcast_to(np.asarray(k, float), shape)


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


def costs_at_roots(k: SensingCost, shape: tuple[int, int], name: str) -> np.ndarray:
    """What a look costs in each known state: (S, A)."""
    if not callable(k):
        return np.broadcast_to(np.asarray(k, float), shape)
    costs, belief = np.empty(shape), np.zeros((1, shape[0]))
    for s in range(shape[0]):
        belief[0, s] = 1.0
        costs[s] = cost_at(k, belief, shape[1], name)[0]
        belief[0, s] = 0.0
    return costs


def cost_of(
    k: SensingCost, beliefs: Rows, actions: np.ndarray, num_actions: int, name: str
) -> tuple[np.ndarray, float]:
    """Cost of one action at each belief, (n, S), (n,) -> (n,), and its rounding as a share."""
    if not callable(k) and np.ndim(k) == 2:
        cost, _, slip = picked_dots(beliefs, actions, np.asarray(k))
        return cost, slip
    if callable(k) and not isinstance(beliefs, np.ndarray):
        beliefs = beliefs.toarray()
    return cost_at(k, beliefs, num_actions, name)[np.arange(len(actions)), actions], 0.0


def largest_cost(k: SensingCost, shape: tuple[int, int], name: str) -> float:
    """The largest cost there can be.

    Of a function only the known states and the uniform belief are asked: exact for one that grows
    or falls with the doubt, an estimate for others.
    """
    if not callable(k):
        return float(np.max(k))
    uniform = cost_at(k, np.full((1, shape[0]), 1 / shape[0]), shape[1], name)
    return float(max(costs_at_roots(k, shape, name).max(), uniform.max()))
