"""One step of many episodes side by side, compiled.

The arrays are those of :class:`solvers.learning.SensingVectorEnv`: row ``a * S + s`` of the stacked
transitions holds the successors of s under a, with running sums.  Each episode has its own
splitmix64 generator, so an episode's course does not depend on how many run beside it.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True)
def step_episodes(
    first,  # (A*S + 1,) where each row begins
    after,  # (nnz,) next states
    running,  # (nnz,) running sums of probabilities within each row
    costs,  # (S, A)
    prices,  # (S, A)
    terminal,  # (S,) bool
    start,  # (S,) running sums of the start distribution
    end_is_seen,  # bool
    horizon,  # steps; 0 for none
    actions,  # (n, 2) action and look
    states,  # (n,) hidden states, moved on
    steps,  # (n,) steps of each episode so far, moved on
    over,  # (n,) bool: the episode ended at the last step and begins anew at this one; moved on
    rng,  # (n,) uint64, moved on
    observations,  # (n,) out
    rewards,  # (n,) out
    terminated,  # (n,) bool, out
    truncated,  # (n,) bool, out
    paid,  # (n,) out: the price of this step's look
):
    """Move every episode one step on; one that was over is reset instead, at no reward."""
    S = costs.shape[0]
    for i in range(len(states)):
        terminated[i] = truncated[i] = False
        paid[i] = 0.0
        if over[i]:
            states[i] = first_above(start, 0, S, uniform(rng, i) * start[S - 1])
            observations[i], rewards[i], steps[i], over[i] = states[i], 0.0, 0, False
            continue
        s, a, look = states[i], actions[i, 0], actions[i, 1] != 0
        if look:
            paid[i] = prices[s, a]
        rewards[i] = -costs[s, a] - paid[i]
        row = a * S + s
        s = after[first_above(running, first[row], first[row + 1], uniform(rng, i))]
        states[i] = s
        steps[i] += 1
        seen = look or (end_is_seen and terminal[s])
        observations[i] = s if seen else S
        terminated[i] = seen and terminal[s]
        truncated[i] = not terminated[i] and steps[i] == horizon
        over[i] = terminated[i] or truncated[i]


@njit(cache=True)
def first_above(running, low, high, point):
    """First index in [low, high) whose running sum is above the point; the last if none is."""
    high -= 1
    if high - low < 8:
        while low < high and running[low] <= point:
            low += 1
        return low
    while low < high:
        middle = (low + high) // 2
        if running[middle] > point:
            high = middle
        else:
            low = middle + 1
    return low


@njit(cache=True)
def uniform(rng, i):
    """The next number in [0, 1) of the i-th splitmix64 generator, which is moved on."""
    rng[i] += np.uint64(0x9E3779B97F4A7C15)
    z = rng[i]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return float(z >> np.uint64(11)) * (1.0 / 9007199254740992.0)
