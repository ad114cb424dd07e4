"""A policy that plans once per cell of a fine mesh and remembers the plan.

Planning costs hundreds of particle moves for every step of an episode; moving the episode itself
costs one.  In one and two dimensions the states that are seen fall again and again into the same
small cells, so a plan made at a cell's centre can serve all of them.  What that loses is a state
seen half a cell away from where it was planned for, which is small where the chance of one step is
larger than a cell; docs/continuous.md measures it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from solvers.continuous.model import ContinuousSensingMDP
from solvers.continuous.plans import ContinuousPolicy, Plans

MESH = {1: 256, 2: 48}
"""Cells along each coordinate, by dimension; more lose less and are planned for more often."""
TILE = {1: 16, 2: 8}
"""Cells along each coordinate that are planned for together."""


@dataclass
class Remembered(ContinuousPolicy):
    """The plans of ``policy`` at the centres of a mesh of ``cells`` along each coordinate.

    A tile of cells is planned for at once, whichever of them is asked for first: the chance of its
    clouds is then the same in every run, and the policy a function of the root alone.
    """

    problem: ContinuousSensingMDP
    policy: ContinuousPolicy
    cells: int
    tile: int = 1
    known: dict[int, int] = field(default_factory=dict, init=False, repr=False)
    store: Plans = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.store = Plans.of_one_action(np.zeros(1, int), looks=True)  # of cells that have ended

    @property
    def name(self) -> str:  # type: ignore[override]
        return self.policy.name

    def plans(self, roots: np.ndarray, times: np.ndarray) -> Plans:
        width = (self.problem.high - self.problem.low) / self.cells
        index = np.floor((roots - self.problem.low) / width).astype(np.int64)
        centres = self.problem.low + (index + 0.5) * width
        across = self.problem.ended(centres)  # the end lies between the state and its centre
        keys, first, which = np.unique(_code(index), return_index=True, return_inverse=True)
        new = np.array([key not in self.known for key in keys.tolist()])
        if new.any():
            self._learn(index[first[new]] // self.tile, width)
        rows = np.array([self.known[key] for key in keys.tolist()])[which]
        lengths = self.store.lengths[rows]
        found = Plans(self.store.actions[rows, : lengths.max()], lengths, self.store.looks[rows])
        if not across.any():
            return found
        alone = np.flatnonzero(across)
        return found.put(alone, self.policy.plans(roots[alone], times[alone]))

    def _learn(self, tiles: np.ndarray, width: np.ndarray) -> None:
        """Plan for all cells of tiles (m, d), some of them named more than once."""
        d = tiles.shape[1]
        within = np.stack(np.meshgrid(*[np.arange(self.tile)] * d, indexing="ij"), axis=-1)
        parts = [self.store]
        for tile in np.unique(tiles, axis=0):
            index = tile * self.tile + within.reshape(-1, d)
            centres = self.problem.low + (index + 0.5) * width
            on, count = ~self.problem.ended(centres), sum(len(part.lengths) for part in parts)
            self.known.update(dict.fromkeys(_code(index).tolist(), 0))  # where it has ended: any
            codes = _code(index[on]).tolist()
            self.known.update(zip(codes, range(count, count + len(codes)), strict=True))
            if codes:
                parts.append(self.policy.plans(centres[on], np.zeros(len(codes), int)))
        self.store = Plans.joined(parts)


def _code(index: np.ndarray) -> np.ndarray:
    """One whole number for each cell (n, d)."""
    return np.asarray((index * 2 ** (31 * np.arange(index.shape[1]))).sum(axis=1))


def remembered(problem: ContinuousSensingMDP, policy: ContinuousPolicy) -> ContinuousPolicy:
    """The policy with a memory where that pays: one or two dimensions, and no horizon."""
    d = problem.dimension
    if problem.horizon is not None or d not in MESH:
        return policy
    return Remembered(problem, policy, MESH[d], TILE[d])
