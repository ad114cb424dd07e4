"""Gilbert-Elliott channels: when is it worth probing a fading link?

A channel is good or bad and changes by itself: good stays good with 0.9, bad stays bad with 0.8.
Each slot the sender either transmits at full rate on one channel, which pays 1 if it is good and
loses 0.5 (the energy) if it is bad, or plays safe at low rate, which always pays 0.3.  Probing at
the end of a slot, at k, shows the state of every channel.  With several channels they are
independent and alike; the sender picks one of them.  Nothing that is done changes the channels, so
looks are for information only, and one channel's belief is known in closed form: after m blind
slots

    P(good) = π + (b − π) λ^m,      π = 0.2 / 0.3,      λ = 0.9 + 0.8 − 1 = 0.7.

Source: Gilbert (1960) and Elliott (1963) for the channel, Laourine and Tong, "Betting on
Gilbert-Elliot channels" (2010), for the choice between betting on it and playing safe.  The
numbers are ours; discount 0.95.  Family: ``channels`` (2^n states, n + 1 actions).
"""

from __future__ import annotations

from functools import partial
from itertools import product

import numpy as np

from bench.problems.problem import Problem
from solvers import SensingMDP

DISCOUNT = 0.95
STAY_GOOD, STAY_BAD = 0.9, 0.8
FULL, LOST, SAFE = 1.0, -0.5, 0.3
MOST_CHANNELS = 8


def channels_model(sensing_cost: float, *, channels: int) -> SensingMDP:
    """Independent channels; the state says which of them are good."""
    one = np.array([[STAY_BAD, 1 - STAY_BAD], [1 - STAY_GOOD, STAY_GOOD]])
    T = np.ones((1, 1))
    for _ in range(channels):
        T = np.kron(T, one)
    states = list(product((0, 1), repeat=channels))
    good = np.array(states, bool)
    rewards = np.column_stack([np.full(len(states), SAFE), np.where(good, FULL, LOST)])
    pick = ["full rate"] if channels == 1 else [f"full rate on {i + 1}" for i in range(channels)]
    return SensingMDP.from_rewards(
        [T] * (channels + 1),
        rewards,
        DISCOUNT,
        sensing_cost,
        start=np.eye(1, len(states), len(states) - 1).ravel(),
        name="gilbert-elliott",
        state_names=["-".join(("bad", "good")[g] for g in state) for state in states],
        action_names=["low rate", *pick],
    )


def _family(channels: int = 1) -> Problem:
    if channels not in range(1, MOST_CHANNELS + 1):
        raise ValueError(f"channels is {channels!r}; expected 1 to {MOST_CHANNELS}")
    return Problem(
        id="gilbert-elliott",
        title="Gilbert-Elliott channel",
        build=partial(channels_model, channels=channels),
        sensing_costs=(0.05, 0.2),
        source="Gilbert 1960, Elliott 1963; Laourine and Tong 2010; numbers of our own",
        size=(2**channels, channels + 1),
        family=_family,
        digits=4,
    )


PROBLEMS = [_family()]
