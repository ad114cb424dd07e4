"""Phases of an episode with a horizon: stretches of time in which plans are the same.

What is best to do depends on the steps that are left, strongly when few are left and hardly at
all when many are.  So time is cut into phases, single steps at the end and longer ones before, and
a plan is made once for a phase, as if it began at the phase's first step, and cut where the
episode ends.  Without this, every state and every step would need a plan of its own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from solvers.continuous.model import ContinuousSensingMDP
from solvers.continuous.plans import ContinuousPolicy, Plans

SHRINK = 0.75
"""The steps left at the start of a phase, as a share of those at the start of the one before."""


def phase_starts(horizon: int | None) -> np.ndarray:
    """The first step of each phase, rising from 0; one phase where there is no horizon."""
    starts, left = [0], horizon or 1
    while left > 1:
        left = min(left - 1, int(SHRINK * left))
        starts.append((horizon or 1) - left)
    return np.array(starts)


@dataclass
class Phased(ContinuousPolicy):
    """The plans that ``policy`` makes at the first step of each phase."""

    problem: ContinuousSensingMDP
    policy: ContinuousPolicy

    @property
    def name(self) -> str:  # type: ignore[override]
        return self.policy.name

    def plans(self, roots: np.ndarray, times: np.ndarray) -> Plans:
        starts, horizon = phase_starts(self.problem.horizon), self.problem.horizon
        assert horizon is not None
        first = starts[np.searchsorted(starts, times, side="right") - 1]
        return until_horizon(self.problem, self.policy.plans(roots, first), horizon - times)


def until_horizon(problem: ContinuousSensingMDP, plans: Plans, left: np.ndarray) -> Plans:
    """Plans cut after ``left`` (n,) steps, where nobody pays for a look."""
    lengths = np.minimum(plans.lengths, left)
    last = plans.actions[np.arange(len(lengths)), lengths - 1]
    looks = np.where(lengths == left, problem.sensing_costs[last] == 0, plans.looks)
    return Plans(plans.actions[:, : lengths.max(initial=1)], lengths, looks & plans.looks)
