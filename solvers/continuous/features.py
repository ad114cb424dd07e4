"""The first layer of a critic: random features of a state (Rahimi and Recht 2007).

    phi(s) = (1, z, max(0, u_f · (z - z_f)))  for f = 1 … F,

with z the state scaled to [-1, 1], u_f a random direction and z_f a random root.  The features of
a state whose episode is over are 0, so that its value is 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from solvers.continuous.model import ContinuousSensingMDP
from solvers.kernels.random_features import mean_features

FEATURES = 120
"""Hidden units: more follow the value more closely, and need more roots and time."""


@dataclass(frozen=True)
class Features:
    """The random first layer.

    directions : (d, F), the u_f as columns; offsets : (F,), -u_f · z_f
    """

    problem: ContinuousSensingMDP
    directions: np.ndarray
    offsets: np.ndarray

    @staticmethod
    def draw(
        problem: ContinuousSensingMDP,
        roots: np.ndarray,
        rng: np.random.Generator,
        number: int = FEATURES,
    ) -> Features:
        """Random units that bend where the roots (n, d) are."""
        z = scaled(problem, roots)
        directions = rng.standard_normal((number, z.shape[1]))
        directions /= np.linalg.norm(directions, axis=1, keepdims=True)
        centres = z[rng.integers(len(z), size=number)]
        offsets = -(directions * centres).sum(axis=1)
        return Features(problem, np.ascontiguousarray(directions.T), offsets)

    @property
    def width(self) -> int:
        """The number of features of a state, 1 + d + F."""
        return 1 + len(self.directions) + len(self.offsets)

    def mean(self, clouds: np.ndarray) -> np.ndarray:
        """Mean features of clouds (n, P, d): (n, 1 + d + F)."""
        n, P, d = clouds.shape
        states, out = clouds.reshape(n * P, d), np.zeros((n, self.width))
        counts = (~self.problem.ended(states)).astype(float)
        z = scaled(self.problem, states)
        mean_features(z, counts, P, self.directions, self.offsets, out)
        return out


def scaling(problem: ContinuousSensingMDP) -> tuple[np.ndarray, np.ndarray]:
    """Factor and shift (d,) that take the box to [-1, 1]."""
    factor = 2 / (problem.high - problem.low)
    return factor, -problem.low * factor - 1


def scaled(problem: ContinuousSensingMDP, states: np.ndarray) -> np.ndarray:
    """States scaled to [-1, 1]: (n, d)."""
    factor, shift = scaling(problem)
    return states * factor + shift
