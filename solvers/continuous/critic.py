"""The critic: the value of a policy at root states, fitted (App. C.2, point 2).

A critic is a network with one hidden layer whose first layer is drawn at random and whose last
layer is solved for (random features, Rahimi and Recht 2007):

    V(s) = w · phi(s),      phi(s) = (1, z, max(0, u_f · (z - z_f)))  for f = 1 … F,

with z the state scaled to [-1, 1] (and the share of time left, where there is a horizon), u_f a
random direction and z_f a random root.  V is 0 where the episode is over.

The value of a policy satisfies, at every root j,

    V(s_j) = c_j + E[ alpha^m_j V(s'_j) ],

c_j the expected discounted cost of its plan up to and with the look, s'_j where it lands.  It is
solved as value iteration is: put the present V in on the right, fit the last layer to what comes
out by least squares, and again.  Least squares may go beyond the data and make such a sequence
grow without end, so what comes out is kept between what the cheapest and the dearest step that was
seen would cost, step after step.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from solvers.continuous.model import ContinuousSensingMDP
from solvers.continuous.plans import Plans
from solvers.continuous.play import play
from solvers.kernels.random_features import mean_features, network_values

FEATURES = 120
"""Hidden units: more follow the value more closely, and need more roots and time."""
RIDGE = 1e-5
"""Weight of the ridge, against the mean square of a feature."""
SWEEPS = 1000
"""Most sweeps of value iteration; fewer are made when the values stand still."""
STILL = 1e-4
"""How much of the greatest value the sweeps that are left out could still change."""


@dataclass(frozen=True)
class Features:
    """The random first layer.

    directions : (D, F), the u_f as columns; offsets : (F,), -u_f · z_f
    """

    problem: ContinuousSensingMDP
    directions: np.ndarray
    offsets: np.ndarray

    @staticmethod
    def draw(
        problem: ContinuousSensingMDP,
        roots: np.ndarray,
        times: np.ndarray,
        rng: np.random.Generator,
        number: int = FEATURES,
    ) -> Features:
        """Random units that bend where the roots (n, d) are."""
        z = scaled(problem, roots, times)
        directions = rng.standard_normal((number, z.shape[1]))
        directions /= np.linalg.norm(directions, axis=1, keepdims=True)
        centres = z[rng.integers(len(z), size=number)]
        offsets = -(directions * centres).sum(axis=1)
        return Features(problem, np.ascontiguousarray(directions.T), offsets)

    def mean(self, clouds: np.ndarray, times: np.ndarray) -> np.ndarray:
        """Mean features of clouds (n, P, d) at times (n,), 0 for those over: (n, 1 + D + F)."""
        n, P, d = clouds.shape
        states, when = clouds.reshape(n * P, d), np.repeat(times, P)
        counts = (~over(self.problem, states, when)).astype(float)
        out = np.zeros((n, 1 + self.directions.shape[0] + len(self.offsets)))
        mean_features(
            scaled(self.problem, states, when), counts, P, self.directions, self.offsets, out
        )
        return out


@dataclass(frozen=True)
class Critic:
    """V of a policy at any root: states (n, d), times (n,) -> (n,)."""

    features: Features
    weights: np.ndarray

    def __call__(self, states: np.ndarray, times: np.ndarray) -> np.ndarray:
        problem, V = self.features.problem, np.empty(len(states))
        network_values(columns(problem, states, times), *self.unscaled, V)
        V[over(problem, states, times)] = 0.0
        return V

    @cached_property
    def unscaled(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Directions, offsets and weights of the same network on numbers that are not scaled."""
        first, w = self.features, self.weights.copy()
        factor, shift = scaling(first.problem)
        D = len(factor)
        w[0] += w[1 : 1 + D] @ shift
        w[1 : 1 + D] *= factor
        directions = np.ascontiguousarray(first.directions * factor[:, None])
        return directions, first.offsets + shift @ first.directions, w

    def as_json(self) -> dict[str, list[Any]]:
        """What :meth:`from_json` needs besides the problem."""
        parts = (self.features.directions, self.features.offsets, self.weights)
        names = ("directions", "offsets", "weights")
        return {name: part.tolist() for name, part in zip(names, parts, strict=True)}

    @staticmethod
    def from_json(problem: ContinuousSensingMDP, kept: dict[str, list[Any]]) -> Critic:
        """A critic that was kept in a file."""
        directions, offsets, weights = (
            np.array(kept[name], float) for name in ("directions", "offsets", "weights")
        )
        return Critic(Features(problem, directions, offsets), weights)


def columns(problem: ContinuousSensingMDP, states: np.ndarray, times: np.ndarray) -> np.ndarray:
    """What a root is told by: its state and, where there is a horizon, its time: (n, D)."""
    if problem.horizon is None:
        return states
    return np.column_stack([states, np.broadcast_to(times, len(states))])


def scaling(problem: ContinuousSensingMDP) -> tuple[np.ndarray, np.ndarray]:
    """Factor and shift (D,) that take the box, and the time that is left, to [-1, 1]."""
    factor = 2 / (problem.high - problem.low)
    shift = -problem.low * factor - 1
    if problem.horizon is None:
        return factor, shift
    return np.append(factor, -2 / problem.horizon), np.append(shift, 1.0)


def scaled(problem: ContinuousSensingMDP, states: np.ndarray, times: np.ndarray) -> np.ndarray:
    """The columns of roots, scaled: (n, D)."""
    factor, shift = scaling(problem)
    return columns(problem, states, times) * factor + shift


def over(problem: ContinuousSensingMDP, states: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Whether nothing more can happen: (n,) bool."""
    done = problem.ended(states)
    return done if problem.horizon is None else done | (np.asarray(times) >= problem.horizon)


def at_horizon(problem: ContinuousSensingMDP, times: np.ndarray) -> np.ndarray:
    """Whether an episode is over at these times (n,), whatever its state: (n,) bool."""
    return np.zeros(len(times), bool) if problem.horizon is None else times >= problem.horizon


@dataclass(frozen=True)
class Roots:
    """Where a critic is fitted: features of sampled roots, and how dear a step may be there.

    at : (n, F); times : (n,); cheapest, dearest : costs of one step
    """

    features: Features
    at: np.ndarray
    times: np.ndarray
    cheapest: float
    dearest: float

    def fit(self, backup: Callable[[np.ndarray], np.ndarray], reach: int = 1) -> Critic:
        """The critic with V = backup(V).

        backup : weights -> (n,), value of each root if a look lands on values of these weights
        reach : most steps of a plan, so that after i sweeps i times as many have been counted
        """
        problem, at = self.features.problem, self.at
        system = at.T @ at
        system[np.diag_indices_from(system)] += RIDGE * np.mean(at**2) * len(at)
        solve, w = np.linalg.solve(system, at.T), np.zeros(at.shape[1])
        left = np.inf if problem.horizon is None else problem.horizon - self.times
        rest = 1 - problem.discount if problem.horizon is None else 1.0
        for sweep in range(1, SWEEPS + 1):
            steps = _annuity(problem.discount, np.minimum(sweep * reach, left))
            low, high = min(self.cheapest, 0.0) * steps, max(self.dearest, 0.0) * steps
            target = np.minimum(np.maximum(backup(w), low), high)
            old, w = w, solve @ target
            if np.abs(at @ (w - old)).max() <= STILL * rest * np.abs(target).max():
                break
        return Critic(self.features, w)


def _annuity(discount: float, steps: np.ndarray) -> np.ndarray:
    """What one unit a step is worth over some steps."""
    return np.asarray(steps if discount == 1 else (1 - discount**steps) / (1 - discount))


def fit_always_look(
    problem: ContinuousSensingMDP,
    roots: np.ndarray,
    times: np.ndarray,
    rng: np.random.Generator,
    particles: int = 32,
    number: int = FEATURES,
) -> Critic:
    """The critic of the always-look policy, by value iteration on sampled roots (n, d).

    Actions are chosen on one set of clouds and valued on another: valued on the clouds that chose
    them they look cheaper than they are, and a value that is too low makes every look seem worth
    its price.
    """
    features = Features.draw(problem, roots, times, rng, number)
    at = features.mean(roots[:, None, :], times)
    choosing, valuing = (
        _one_look(problem, features, roots, times, particles, rng) for _ in range(2)
    )
    rows = np.arange(len(roots))

    def backup(w: np.ndarray) -> np.ndarray:
        choice = (choosing[0] + choosing[1] @ w).argmin(axis=1)
        return np.asarray(valuing[0][rows, choice] + valuing[1][rows, choice] @ w)

    return Roots(features, at, times, valuing[0].min(), valuing[0].max()).fit(backup)


def fit_plans(
    problem: ContinuousSensingMDP,
    plans: Plans,
    roots: np.ndarray,
    times: np.ndarray,
    rng: np.random.Generator,
    particles: int = 32,
    number: int = FEATURES,
) -> Critic:
    """The critic of a policy that has these plans at sampled roots (n, d), on fresh clouds."""
    outcome = play(problem, plans, roots, times, particles, rng)
    features = Features.draw(problem, roots, times, rng, number)
    at = features.mean(roots[:, None, :], times)
    landing = outcome.weights[:, None] * features.mean(outcome.clouds, outcome.ends)
    landing[~plans.looks] = 0.0  # nothing that matters follows a plan without a look
    known = Roots(features, at, times, outcome.cheapest, outcome.dearest)
    return known.fit(lambda w: outcome.costs + landing @ w, int(plans.lengths.max()))


def _one_look(
    problem: ContinuousSensingMDP,
    features: Features,
    roots: np.ndarray,
    times: np.ndarray,
    particles: int,
    rng: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray]:
    """Each action with a look after it, on one cloud a root: costs (n, A), landing (n, A, F)."""
    n, A, particles = len(roots), problem.num_actions, problem.cloud_size(particles)
    width = 1 + len(features.directions) + len(features.offsets)
    costs, landing = np.empty((n, A)), np.empty((n, A, width))
    seed, cloud = int(rng.integers(2**63)), np.repeat(roots, particles, axis=0)
    for a in range(A):
        after, paid = problem.move(cloud, np.full(len(cloud), a), np.random.default_rng(seed))
        price = np.where(at_horizon(problem, times + 1), 0.0, problem.sensing_costs[a])
        costs[:, a] = paid.reshape(n, particles).mean(axis=1) + price
        clouds = after.reshape(n, particles, -1)
        landing[:, a] = problem.discount * features.mean(clouds, times + 1)
    costs[over(problem, roots, times)] = 0.0
    return costs, landing
