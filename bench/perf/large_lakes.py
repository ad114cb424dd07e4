"""Slippery lakes of any size, made from arrays: Gymnasium's own table is a dictionary of lists and
takes gigabytes for a million states."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from bench.problems.frozen_lake import ACTIONS
from bench.problems.semi_slippery import MOVES
from solvers import SensingMDP

HOLES, GOALS = 0.1, 0.001
"""Share of cells that are holes, and goals: how far it is to a goal does not depend on the size."""
DISCOUNT, SENSING_COST = 0.99, 0.001


def lake_from_cells(
    hole: np.ndarray, goal: np.ndarray, start: int, sensing_cost: float, name: str
) -> SensingMDP:
    """A slippery lake: a move goes as meant or to either side, with probability 1/3 each.

    hole, goal : (height, width) bool; start : the cell's number, row by row
    """
    height, width = hole.shape
    S = hole.size
    s = np.arange(S, dtype=np.int32)
    ends, pays = (hole | goal).ravel(), goal.ravel().astype(float)
    r, c = s // width, s % width
    there = [
        np.clip(r + dr, 0, height - 1) * width + np.clip(c + dc, 0, width - 1) for dr, dc in MOVES
    ]
    transitions, rewards = [], np.zeros((S, 4))
    for a in range(4):
        columns = np.stack([np.where(ends, s, there[(a + turn) % 4]) for turn in (-1, 0, 1)], 1)
        T = sparse.csr_array((np.full(3 * S, 1 / 3), columns.ravel(), 3 * np.arange(S + 1)))
        rewards[:, a] = np.where(ends, 0.0, T @ pays)
        transitions.append(T)
    return SensingMDP.from_rewards(
        transitions,
        rewards,
        DISCOUNT,
        sensing_cost,
        start=start,
        terminal=ends,
        name=name,
        action_names=ACTIONS,
    )


def random_lake(size: int, seed: int = 0) -> SensingMDP:
    """A random lake of ``size`` × ``size`` cells; the start is the live cell next to the centre
    that is nearest to it in the order of the cells."""
    chance = np.random.default_rng(seed)
    drawn = chance.random((size, size))
    hole, goal = drawn < HOLES, drawn > 1 - GOALS
    live = np.flatnonzero(~(hole | goal).ravel())
    start = int(live[np.searchsorted(live, size // 2 * size + size // 2)])
    return lake_from_cells(hole, goal, start, SENSING_COST, f"lake-{size}x{size}")
