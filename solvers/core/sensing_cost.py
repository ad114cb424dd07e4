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

from solvers.core.validation import LARGEST, ModelError, numbers
from solvers.kernels.dots import picked_dots
from solvers.kernels.returns import Rows

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
    array = numbers(k, "sensing cost")
    if np.asarray(k).dtype == bool:
        raise ModelError(f"sensing cost is {k!r}; expected the price of a look, such as 1.0 or 0.0")
    if array.shape not in ((), (A,), (S, A)):
        raise ModelError(
            f"sensing cost has shape {array.shape}; expected a number, (A,) = ({A},), "
            f"(S, A) = ({S}, {A}), or a function of belief and action"
        )
    wrong = ~(np.isfinite(array) & (array >= 0) & (array <= LARGEST))
    if wrong.any():
        at = tuple(int(i) for i in np.argwhere(wrong)[0])
        where = f" at {at}" if at else ""
        raise ModelError(
            f"sensing cost{where} is {array[at]}; expected a finite number >= 0, at most "
            f"{LARGEST:g}"
        )
    if free_in is not None and free_in.any():
        array = np.where(free_in[:, None], 0.0, np.broadcast_to(array, (S, A)))
    if array.ndim == 0:
        return float(array)
    array.setflags(write=False)
    return array


@dataclass(frozen=True)
class LookCosts:
    """A model's sensing cost, asked in any form: the one place that knows what form it has.

    k : as the model keeps it; num_states, num_actions : S and A; name : of the model, for messages
    """

    k: SensingCost
    num_states: int
    num_actions: int
    name: str

    @property
    def linear(self) -> bool:
        """True when the cost is linear in the belief: a number or an array."""
        return not callable(self.k)

    @property
    def uniform(self) -> float | None:
        """The number, if it is one number; else None."""
        return self.k if isinstance(self.k, float) else None

    def by_state(self) -> np.ndarray:
        """As an array (S, A), indexed by the state the action is taken in."""
        if callable(self.k):
            raise ModelError(
                f"{self.name}: the sensing cost is a function of the belief, so it has no (S, A) "
                "array; use a number or an array of sensing costs here"
            )
        return np.broadcast_to(np.asarray(self.k, float), (self.num_states, self.num_actions))

    def at(self, beliefs: Rows) -> np.ndarray:
        """Of every action at each belief: (n, S), also sparse -> (n, A)."""
        if callable(self.k):
            dense = beliefs if isinstance(beliefs, np.ndarray) else beliefs.toarray()
            costs = [self._asked(belief) for belief in dense]
            return np.array(costs).reshape(len(costs), self.num_actions)  # none for no belief
        array = np.asarray(self.k, float)
        if array.ndim < 2:
            return np.broadcast_to(array, (beliefs.shape[0], self.num_actions))
        return beliefs @ array

    def of(self, beliefs: Rows, actions: np.ndarray) -> tuple[np.ndarray, float]:
        """Of one action at each belief, (n, S), (n,) -> (n,), and its rounding as a share of it."""
        if not callable(self.k) and np.ndim(self.k) == 2:
            cost, _, slip = picked_dots(beliefs, actions, self.by_state())
            return cost, slip
        return self.at(beliefs)[np.arange(len(actions)), actions], 0.0

    def at_roots(self) -> np.ndarray:
        """In each known state, whatever the form: (S, A)."""
        if self.linear:
            return self.by_state()
        return np.stack([self._asked(_known(s, self.num_states)) for s in range(self.num_states)])

    def largest(self) -> float:
        """The largest there can be.

        For a function only the known states and the uniform belief are asked: exact for one that
        grows or falls with the doubt, an estimate for others.
        """
        if not callable(self.k):
            return float(np.max(self.k))
        uniform = self._asked(np.full(self.num_states, 1 / self.num_states))
        return float(max(self.at_roots().max(), uniform.max()))

    def least(self) -> float:
        """Every look costs at least this; 0 for a function."""
        return 0.0 if callable(self.k) else float(np.min(self.k))

    def _asked(self, belief: np.ndarray) -> np.ndarray:
        """What the function says at one belief (S,) for every action: (A,)."""
        assert callable(self.k)
        view = belief.view()
        view.setflags(write=False)  # it is ours: a function may not change it
        costs = np.array([self._answer(view, a) for a in range(self.num_actions)])
        wrong = np.flatnonzero(~(np.isfinite(costs) & (costs >= 0)))
        if len(wrong):
            raise ModelError(
                f"{self.name}: the sensing-cost function gave {costs[wrong[0]]} for action "
                f"{wrong[0]} at some belief; it must give a finite number >= 0"
            )
        return costs

    def _answer(self, belief: np.ndarray, a: int) -> float:
        """The function's number for one action, whatever it does."""
        assert callable(self.k)
        try:
            given = self.k(belief, a)
        except Exception as error:  # a user's function may raise anything
            raise ModelError(
                f"{self.name}: the sensing-cost function failed for action {a}: "
                f"{type(error).__name__}: {error} (it is called with a read-only belief and an "
                "action, and gives a number)"
            ) from error
        array = np.asarray(given)
        if array.ndim or array.dtype.kind not in "iuf":
            raise ModelError(
                f"{self.name}: the sensing-cost function gave {given!r} for action {a}; "
                "it must give a finite number >= 0"
            )
        return float(array)


def _known(s: int, num_states: int) -> np.ndarray:
    belief = np.zeros(num_states)
    belief[s] = 1.0
    return belief
