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
from solvers.continuous.phases import Phased
from solvers.continuous.plans import ContinuousPolicy, Plans

MESH = {1: 256, 2: 32}
"""Cells along each coordinate, by dimension; more lose less and are planned for more often."""
LATTICE = 8
"""Points along each coordinate of a cell that are tried when its centre has ended."""
TILE = {1: 16, 2: 8}
"""Cells along each coordinate that are planned for together."""


@dataclass
class Remembered(ContinuousPolicy):
    """The plans of ``policy`` at the centres of a mesh of ``cells`` along each coordinate.

    States outside the box belong to the nearest cell.  Plans are remembered for each cell and,
    where there is a horizon, each time.
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
        index = np.floor((roots - self.problem.low) / self.width)
        index = np.clip(index, 0, self.cells - 1).astype(np.int64)
        if self.problem.horizon is None:
            times = np.zeros(len(times), int)  # it makes no difference then
        codes = _code(index, times)
        keys, first, which = np.unique(codes, return_index=True, return_inverse=True)
        new = np.array([key not in self.known for key in keys.tolist()])
        if new.any():
            self._learn(index[first[new]] // self.tile, times[first[new]])
        rows = np.array([self.known[key] for key in keys.tolist()])[which]
        lengths = self.store.lengths[rows]
        found = Plans(self.store.actions[rows, : lengths.max()], lengths, self.store.looks[rows])
        lost = np.flatnonzero((rows == 0) & ~self.problem.ended(roots))
        return found.put(lost, self.policy.plans(roots[lost], times[lost])) if len(lost) else found

    @property
    def width(self) -> np.ndarray:
        """The size of a cell: (d,)."""
        return np.asarray((self.problem.high - self.problem.low) / self.cells)

    def points(self, index: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Where the plans of cells (n, d) are made (n, d), and whether there is such a point (n,).

        That is the centre; or, if the episode is over there, the nearest point of a lattice in the
        cell at which it is not.
        """
        d, problem = index.shape[1], self.problem
        axis = (np.arange(LATTICE) + 0.5) / LATTICE
        lattice = np.stack(np.meshgrid(*[axis] * d, indexing="ij"), axis=-1).reshape(-1, d)
        lattice = lattice[np.argsort(((lattice - 0.5) ** 2).sum(axis=1), kind="stable")]
        points = problem.low + (index + 0.5) * self.width
        on = ~problem.ended(points)
        for i in np.flatnonzero(~on):
            within = problem.low + (index[i] + lattice) * self.width
            going = np.flatnonzero(~problem.ended(within))
            if len(going):
                points[i], on[i] = within[going[0]], True
        return points, on

    def _learn(self, tiles: np.ndarray, times: np.ndarray) -> None:
        """Plan for all cells of tiles (m, d) at times (m,), some of them named more than once."""
        d = tiles.shape[1]
        within = np.stack(np.meshgrid(*[np.arange(self.tile)] * d, indexing="ij"), axis=-1)
        parts, count = [self.store], len(self.store.lengths)
        for time, *tile in np.unique(np.column_stack([times, tiles]), axis=0):
            index = np.array(tile) * self.tile + within.reshape(-1, d)
            index = index[(index < self.cells).all(axis=1)]
            points, on = self.points(index)
            when = np.full(len(index), time)
            codes = _code(index, when)
            self.known.update(dict.fromkeys(codes.tolist(), 0))  # where it has ended: any plan
            if not on.any():
                continue
            self.known.update(zip(codes[on].tolist(), range(count, count + on.sum()), strict=True))
            parts.append(self.policy.plans(points[on], when[on]))
            count += int(on.sum())
        self.store = Plans.joined(parts)


def _code(index: np.ndarray, times: np.ndarray) -> np.ndarray:
    """One whole number for each cell (n, d) and time (n,)."""
    columns = np.column_stack([index, times])
    return np.asarray((columns * 2 ** (20 * np.arange(columns.shape[1]))).sum(axis=1))


def remembered(
    problem: ContinuousSensingMDP, policy: ContinuousPolicy, everywhere: bool = False
) -> ContinuousPolicy:
    """The policy with a memory where that pays, in one and two dimensions; with a horizon its plans
    are the same throughout a phase of the episode.

    everywhere : plan for all cells of the box at once, which is faster where most will be asked for
    """
    d = problem.dimension
    if d in MESH:
        policy = policy.spread_over((problem.high - problem.low) / MESH[d])
        policy = Remembered(problem, policy, MESH[d], MESH[d] if everywhere else TILE[d])
    return policy if problem.horizon is None else Phased(problem, policy)
