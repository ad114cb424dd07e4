"""When and whether an episode ends, whatever the agent does.

Five questions about the states of a model, asked of all ways to act at once (a *live* state is one
that is not terminal):

* :func:`endless_states`: where can an agent stay live for ever?  The largest set X of live states
  with an action in each that leaves X with probability 0.  If X is empty every policy, and so every
  blind string, ends with probability 1, and a discount of 1 makes sense.
* :func:`remaining_steps`: after how many steps is it over at the latest?  The longest path to the
  end in the graph of all transitions; infinite where it has a loop.
* :func:`resting_states`: where does nothing change, and is nothing paid, whatever is done blind?
* :func:`endless_sum`: how many discounted steps are there if nothing ever ends?
* :func:`expected_steps`: the largest expected discounted number of live steps,

      E(s) = 1 + alpha max_a sum_s' T(a)(s, s') E(s')     on live states, 0 on terminal ones,

  which is ``1 / (1 - alpha)`` where nothing ever ends and finite for a discount of 1 where
  everything does.  Bounds that multiply a cost per step by ``1 / (1 - alpha)`` hold with E in its
  place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import splu

from solvers.kernels.from_above import UNIT
from solvers.kernels.value_sweeps import row_slip, sweep_most

if TYPE_CHECKING:
    from solvers.core.model import SensingMDP

SWEEPS = 200
"""Sweeps of E from above where loops forbid to solve for it in one pass; more make it tighter."""
SETTLED = 1e-4
"""A sweep that lowers no state by this share of itself is the last one."""
ROUNDING = 1e-9
"""Share that is added to a solved E, so that rounding cannot make it too small."""
LEAST_LEAK = 1e-15
"""A chance to leave that is below this is none: sums of probabilities are not that exact."""
MOST_ROUNDS = 1000
"""Rounds of policy iteration at most."""


def endless_states(transitions: tuple[sparse.csr_array, ...], terminal: np.ndarray) -> np.ndarray:
    """Live states from which some way of acting never ends: (S,) bool."""
    inside = ~terminal
    while True:
        outside = (~inside).astype(float)
        leaves = np.stack([T @ outside > LEAST_LEAK for T in transitions])  # (A, S)
        stay = inside & ~leaves.all(axis=0)
        if (stay == inside).all():
            return inside
        inside = stay


def remaining_steps(problem: SensingMDP) -> np.ndarray:
    """The most steps there can be before the end, from each state: (S,), inf where no limit."""
    live = ~problem.terminal
    moves = sum(problem.transitions[1:], problem.transitions[0]).tocsr()
    steps = np.where(live, np.inf, 0.0)
    open_moves = moves @ live.astype(float) > 0  # may still go to a live state
    ended, depth = problem.terminal.copy(), 0
    while True:
        depth += 1
        newly = live & ~ended & ~open_moves
        if not newly.any():
            return steps
        steps[newly] = depth
        ended |= newly
        open_moves = moves @ (~ended).astype(float) > 0


def resting_states(problem: SensingMDP) -> np.ndarray:
    """States that no action leaves or pays for: (S,) bool; all terminal ones are."""
    stays = np.all([T.diagonal() == 1 for T in problem.transitions], axis=0)
    return problem.terminal | (stays & (problem.costs == 0).all(axis=1))


def row_excess(transitions: tuple[sparse.csr_array, ...]) -> float:
    """By how much the chances in one row may add up to more than 1, at most: rows are taken as
    they are, and numbers that sum to 1 in decimals need not in binary."""
    most = max(float(T.sum(axis=1).max()) for T in transitions)
    return max(most - 1, 0.0) + _sum_slip(transitions)


def row_distance(transitions: tuple[sparse.csr_array, ...]) -> float:
    """By how much the chances in one row may add up to more or less than 1, at most."""
    off = max(float(np.abs(T.sum(axis=1) - 1).max()) for T in transitions)
    return off + _sum_slip(transitions)


def _sum_slip(transitions: tuple[sparse.csr_array, ...]) -> float:
    """What the sum of a row, near 1, may be off by itself."""
    return (max(int(np.diff(T.indptr).max(initial=0)) for T in transitions) + 2) * UNIT


def endless_sum(problem: SensingMDP) -> float:
    """At least the discounted number of steps that never end: ``1 / (1 - alpha)`` if rows sum to 1;
    infinite where they sum to so much more that the discount does not make up for it."""
    fades = 1 - problem.discount * (1 + row_excess(problem.transitions)) - 2 * UNIT
    return 1 / fades if fades > 0 else np.inf


def expected_steps(problem: SensingMDP) -> np.ndarray:
    """The largest expected discounted number of live steps from each state, or a bound: (S,)."""
    alpha, live = problem.discount, ~problem.terminal
    longest = problem.remaining_steps
    if np.isfinite(longest).all():
        E = np.zeros(problem.num_states)
        for _ in range(int(longest.max(initial=0))):
            E = _sweep(problem, E)
        return E
    if alpha < 1:
        E = np.where(live, endless_sum(problem), 0.0)
        once = np.ones(problem.costs.shape)
        stacked = problem.stacked_transitions
        model = (*stacked, once, np.array(problem.terminal), alpha)
        sweep_most(*model, row_slip(stacked[0]), E, SETTLED, SWEEPS)  # from above it stays above
        return E * (1 + ROUNDING)
    return _solved_steps(problem)


def _sweep(problem: SensingMDP, E: np.ndarray) -> np.ndarray:
    ahead = np.max([T @ E for T in problem.transitions], axis=0)
    return np.where(problem.terminal, 0.0, 1 + problem.discount * ahead)


def _solved_steps(problem: SensingMDP) -> np.ndarray:
    """At least E for discount 1, by policy iteration; infinite where rounding hides its size.

    If no action gains more than a share δ of E, then E (1 + ρ) with ``ρ >= 2 δ E`` and ``ρ <= 1``
    has ``1 + T(a) E (1 + ρ) <= E (1 + ρ)`` for every action, and so is above E.
    """
    live = np.flatnonzero(~problem.terminal)
    inner = [T[live][:, live] for T in problem.transitions]
    slip = row_slip(problem.stacked_transitions[0])
    policy, found = np.zeros(len(live), int), np.where(problem.terminal, 0.0, np.inf)
    for _ in range(MOST_ROUNDS):
        P = sum(sparse.diags_array((policy == a) * 1.0) @ T for a, T in enumerate(inner))
        try:
            E = splu(sparse.csc_array(sparse.eye_array(len(live)) - P)).solve(np.ones(len(live)))
        except RuntimeError:  # singular, as far as rounding tells
            return found
        if not (np.isfinite(E) & (E >= 1 - ROUNDING)).all():
            return found
        ahead = np.stack([T @ E for T in inner])
        better = ahead.max(axis=0) > E - 1 + slip * E
        if not better.any():
            spare = ROUNDING + 2 * slip * float(E.max(initial=0.0))
            if spare <= 1:
                found[live] = E * (1 + spare)
            return found
        policy = np.where(better, ahead.argmax(axis=0), policy)
    return found
