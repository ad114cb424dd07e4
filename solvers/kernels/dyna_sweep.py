"""Dyna's imagined Q updates on a counted model, compiled.

Each update picks a random state and, some of the time, a random action, otherwise the greedy one.
If the pair was seen often enough, its values move toward the counted model's backup.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from solvers.kernels.episode_step import uniform


@njit(cache=True)
def dyna_sweep(
    Q,  # (S + 1, A) optimistic values, the last row is the end; moved on
    plain,  # (S + 1, A) values without optimism; moved on
    n,  # (S, A) transitions seen
    width,  # (S, A) successors seen
    after,  # (S, A, W)
    count,  # (S, A, W)
    rewards,  # (S, A) mean rewards
    updates,  # how many
    random_share,  # of random actions
    least,  # transitions a pair must have
    sure,  # transitions from which the prior is dropped
    rate,
    discount,
    top,  # the largest return, which optimism pulls toward
    tries,  # until optimism ends
    rng,  # (1,) uint64, moved on
):
    """``updates`` imagined updates of Q and of the plain values."""
    states, A = Q.shape
    best = np.empty(states)
    for s in range(states):
        best[s] = Q[s].max()
    for _ in range(updates):
        s = int(uniform(rng, 0) * states)
        a = int(uniform(rng, 0) * A) if uniform(rng, 0) < random_share else Q[s].argmax()
        if s == states - 1 or n[s, a] < least:
            continue
        ahead = 0.0
        for i in range(width[s, a]):
            ahead += count[s, a, i] * best[after[s, a, i]]
        if n[s, a] >= sure:
            ahead /= n[s, a]
        else:  # a prior of one transition, spread over all states
            ahead = (ahead + best.mean()) / (n[s, a] + 1)
        plain[s, a] += rate * (rewards[s, a] + discount * ahead - plain[s, a])
        doubt = max(0.0, (tries - n[s, a] - 2) / tries)
        Q[s, a] = plain[s, a] + max(0.0, top - plain[s, a]) * doubt
        best[s] = Q[s].max()
