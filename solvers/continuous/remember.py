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

MESH = {1: 256, 2: 64}
"""Cells along each coordinate, by dimension; more lose less and are planned for more often."""


@dataclass
class Remembered(ContinuousPolicy):
    """The plans of ``policy`` at the centres of a mesh of ``cells`` along each coordinate."""

    problem: ContinuousSensingMDP
    policy: ContinuousPolicy
    cells: int
    known: dict[int, int] = field(default_factory=dict, init=False, repr=False)
    store: Plans = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.store = Plans.of_one_action(np.zeros(0, int), looks=False)

    @property
    def name(self) -> str:  # type: ignore[override]
        return self.policy.name

    def plans(self, roots: np.ndarray, times: np.ndarray) -> Plans:
        width = (self.problem.high - self.problem.low) / self.cells
        index = np.floor((roots - self.problem.low) / width).astype(np.int64)
        centres = self.problem.low + (index + 0.5) * width
        across = self.problem.ended(centres)  # the end lies between the state and its centre
        centres[across] = roots[across]
        codes = (index * 2 ** (31 * np.arange(index.shape[1]))).sum(axis=1)
        codes[across] = -(2**62) - np.flatnonzero(across)  # planned for alone, and forgotten
        keys, first, which = np.unique(codes, return_index=True, return_inverse=True)
        new = np.array([key not in self.known for key in keys.tolist()])
        if new.any():
            self._add(self.policy.plans(centres[first[new]], times[first[new]]))
            count = len(self.store.lengths)
            self.known.update(zip(keys[new].tolist(), range(count - new.sum(), count), strict=True))
        rows = np.array([self.known[key] for key in keys.tolist()])[which]
        for key in keys[across[first]].tolist():
            self.known.pop(key)
        lengths = self.store.lengths[rows]
        return Plans(self.store.actions[rows, : lengths.max()], lengths, self.store.looks[rows])

    def _add(self, plans: Plans) -> None:
        empty = not len(self.store.lengths)
        self.store = plans if empty else Plans.joined([self.store, plans])


def remembered(problem: ContinuousSensingMDP, policy: ContinuousPolicy) -> ContinuousPolicy:
    """The policy with a memory where that pays: one or two dimensions, and no horizon."""
    if problem.horizon is not None or problem.dimension not in MESH:
        return policy
    return Remembered(problem, policy, MESH[problem.dimension])
