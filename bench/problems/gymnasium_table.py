"""Any Gymnasium environment with a table ``P`` as a sensing-cost MDP: ``gym:CliffWalking-v1``.

``P[s][a]`` is a list of (probability, next state, reward, done).  A state that is entered with
``done`` is terminal; the reward of an action is its mean over the list.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from scipy import sparse

from bench.problems.problem import Problem
from solvers.core.model import SensingMDP
from solvers.core.sensing_cost import SensingCost
from solvers.core.validation import ModelError

DISCOUNT = 0.95
"""Gymnasium environments carry no discount; this one is used for ``gym:NAME``."""


def model_from_table(
    table: Mapping[int, Mapping[int, Sequence[tuple[float, int, float, bool]]]],
    *,
    start: np.ndarray,
    discount: float,
    sensing_cost: SensingCost,
    name: str,
    state_names: Sequence[str] | None = None,
    action_names: Sequence[str] | None = None,
) -> SensingMDP:
    """The model of a table ``P``; ``start`` (S,) is the distribution of the first state."""
    S, A = len(table), len(table[0])
    rows = [
        (s, a, p, int(after), r, bool(done))
        for s in range(S)
        for a in range(A)
        for p, after, r, done in table[s][a]
    ]
    s, a, p, after, reward, done = (np.array(column) for column in zip(*rows, strict=True))
    terminal = np.zeros(S, bool)
    terminal[after[done]] = True
    _refuse_half_terminals(s, p, after, done, start, terminal, name)

    rewards = np.zeros((S, A))
    np.add.at(rewards, (s, a), p * reward)
    rewards[terminal] = 0.0
    transitions = []
    for action in range(A):
        of = (a == action) & ~terminal[s]
        stay = np.flatnonzero(terminal)
        transitions.append(
            sparse.csr_array(
                (
                    np.concatenate([p[of], np.ones(len(stay))]),
                    (np.concatenate([s[of], stay]), np.concatenate([after[of], stay])),
                ),
                shape=(S, S),
            )
        )
    return SensingMDP.from_rewards(
        transitions,
        rewards,
        discount,
        sensing_cost,
        start=start,
        terminal=terminal,
        name=name,
        state_names=state_names,
        action_names=action_names,
    )


def _refuse_half_terminals(
    s: np.ndarray,
    p: np.ndarray,
    after: np.ndarray,
    done: np.ndarray,
    start: np.ndarray,
    terminal: np.ndarray,
    name: str,
) -> None:
    """Refuse a state that ends the episode on one way in and not on another, if both happen."""
    S = len(terminal)
    moves = sparse.csr_array((p > 0, (s, after)), shape=(S, S))
    reached = np.asarray(start) > 0
    while True:
        more = reached | ((moves.T @ (reached & ~terminal)) > 0)
        if (more == reached).all():
            break
        reached = more
    plain = ~done & (p > 0) & reached[s] & ~terminal[s] & terminal[after]
    if plain.any():
        i = int(np.flatnonzero(plain)[0])
        raise ModelError(
            f"{name}: state {after[i]} ends the episode when entered from some states but not from "
            f"state {s[i]}; a terminal state must end it always"
        )


def gymnasium_problem(problem_id: str) -> Problem:
    """``gym:NAME`` as a problem."""
    import gymnasium

    name = problem_id.removeprefix("gym:")
    try:
        env = gymnasium.make(name).unwrapped
    except gymnasium.error.Error as error:
        raise ModelError(f"{problem_id}: Gymnasium has no environment {name!r}: {error}") from None
    if not hasattr(env, "P"):
        raise ModelError(f"{problem_id}: this environment has no table P, so it cannot be planned")
    start = getattr(env, "initial_state_distrib", None)
    if start is None:
        raise ModelError(f"{problem_id}: this environment has no initial_state_distrib")

    def build(sensing_cost: SensingCost) -> SensingMDP:
        return model_from_table(
            env.P, start=start, discount=DISCOUNT, sensing_cost=sensing_cost, name=problem_id
        )

    return Problem(id=problem_id, title=name, build=build, sensing_costs=(0.1,))
