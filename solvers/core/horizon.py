"""A problem of H steps, as an ordinary model: its states are layered by time.

A live state s becomes (s, 0), …, (s, H − 1), where the number counts the steps taken; an action
leads from layer t to layer t + 1, and from the last layer to one new terminal state, "time is up".
Terminal states are not layered.  The agent knows the time, as it must: every belief lies in one
layer.

    T'(a)((s, t), (s', t + 1)) = T(a)(s, s')      costs and sensing costs as in s

States that cannot be reached from the start in t steps are left out of layer t.  The graph has no
loop, so every action string ends and the discount may be 1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from solvers.core.validation import ModelError

if TYPE_CHECKING:
    from solvers.core.model import SensingMDP

TIME_IS_UP = "time is up"


@dataclass(frozen=True)
class LayeredCost:
    """A sensing cost that is a function of the belief, asked for the belief without its time."""

    cost: Callable[[np.ndarray, int], float]
    state: np.ndarray  # (S',): the state of each layered state; the end of time counts as the last
    num_states: int

    def __call__(self, belief: np.ndarray, action: int) -> float:
        return self.cost(np.bincount(self.state, belief, self.num_states), action)


def layered(problem: SensingMDP, horizon: int, discount: float | None = None) -> dict[str, Any]:
    """The arguments of ``SensingMDP.from_arrays`` for the problem of ``horizon`` steps."""
    if isinstance(horizon, bool) or not isinstance(horizon, int | np.integer) or horizon < 1:
        raise ModelError(f"horizon is {horizon!r}; expected a whole number of steps, 1 or more")
    reached = _reached(problem, horizon)  # (H, S)
    time, state = np.nonzero(reached)
    ends = np.flatnonzero(problem.terminal)
    L, S = len(state), len(state) + len(ends) + 1
    number = np.full((horizon + 1, problem.num_states), S - 1)  # past the last layer: time is up
    number[time, state] = np.arange(L)
    number[:, ends] = L + np.arange(len(ends))
    base = np.concatenate([state, ends])  # the state behind each layered one but the last
    names = problem.state_names
    last = next(n for n in (TIME_IS_UP, TIME_IS_UP + "!") if n not in names)
    costs = np.vstack([problem.costs[base], np.zeros(problem.num_actions)])
    start = np.zeros(S)
    first = np.flatnonzero(problem.start)
    start[number[0, first]] = problem.start[first]
    return {
        "transitions": [_layered_matrix(T, time, state, number, S) for T in problem.transitions],
        "costs": costs,
        "discount": problem.discount if discount is None else discount,
        "sensing_cost": _layered_cost(problem, base),
        "start": start,
        "terminal": np.arange(S) >= L,
        "name": problem.name,
        "state_names": [f"{names[s]}, step {t}" for t, s in zip(time, state, strict=True)]
        + [names[s] for s in ends]
        + [last],
        "action_names": problem.action_names,
        "end_is_seen": problem.end_is_seen,
    }


def _reached(problem: SensingMDP, horizon: int) -> np.ndarray:
    """Which live states can be reached in t steps: (H, S) bool."""
    moves = sum(problem.transitions[1:], problem.transitions[0]).T.tocsr()
    now = (problem.start > 0) & ~problem.terminal
    layers = []
    for _ in range(horizon):
        layers.append(now)
        now = (moves @ now.astype(float) > 0) & ~problem.terminal
    return np.array(layers)


def _layered_matrix(
    T: sparse.csr_array, time: np.ndarray, state: np.ndarray, number: np.ndarray, S: int
) -> sparse.csr_array:
    """T of one action between the layers, (S', S')."""
    L = len(state)
    rows = T[state]  # (L, ·): the rows of T in the order of the layered states
    counts = np.diff(rows.indptr)
    there = number[np.repeat(time + 1, counts), rows.indices]
    stay = np.arange(L, S)
    layered = sparse.csr_array(
        (
            np.concatenate([rows.data, np.ones(len(stay))]),
            (
                np.concatenate([np.repeat(np.arange(L), counts), stay]),
                np.concatenate([there, stay]),
            ),
        ),
        shape=(S, S),
    )
    layered.data = np.minimum(layered.data, 1.0)  # sums into "time is up" may round above 1
    return layered


def _layered_cost(problem: SensingMDP, base: np.ndarray) -> Any:
    """The sensing cost of the layered states; "time is up" costs what the last state does."""
    k = problem.sensing_cost
    if callable(k):
        return LayeredCost(k, np.append(base, base[-1]), problem.num_states)
    if np.ndim(k) < 2:
        return k
    table = np.asarray(k)
    last = np.zeros(problem.num_actions) if problem.end_is_seen else table.max(axis=0)
    return np.vstack([table[base], last])
