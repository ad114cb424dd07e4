"""The critic: the value of a policy at root states, fitted (App. C.2, point 2).

A critic is a network with one hidden layer whose first layer is drawn at random
(:mod:`solvers.continuous.features`) and whose last layer is solved for: V(s) = w · phi(s).

The value of a policy satisfies, at every root j,

    V(s_j) = c_j + E[ alpha^m_j V(s'_j) ],

c_j the expected discounted cost of its plan up to and with the look, s'_j where it lands.

* Without a horizon this is solved as value iteration is: put the present V in on the right, fit
  the last layer to what comes out by least squares, and again.
* With a horizon V depends on the time as well, and each time t has a last layer w_t of its own.
  A plan that starts at t looks later than t, so the w_t follow one after another from the last
  step to the first: no iteration, and nothing that could fail to converge.

Least squares may go beyond the data, and what it gets wrong would grow from sweep to sweep.  So
what comes out is kept between what the cheapest and the dearest step that was seen would cost,
step after step.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from solvers.continuous.features import FEATURES, Features, scaling
from solvers.continuous.model import ContinuousSensingMDP
from solvers.continuous.phases import phase_starts
from solvers.continuous.plans import ContinuousPolicy
from solvers.continuous.play import Outcome, play
from solvers.kernels.random_features import network_values

RIDGE = {1: 1e-5, 2: 1e-5}
STRONG_RIDGE = 1e-3
"""Weight of the ridge, against the mean square of a feature, by dimension; the strong one where
states have more dimensions, which sampled roots cover thinly."""
SWEEPS = 1000
"""Most sweeps of value iteration; fewer are made when the values stand still."""
STILL = 1e-4
"""How much of the greatest value the sweeps that are left out could still change."""


@dataclass(frozen=True)
class Critic:
    """V of a policy at any root: states (n, d), times (n,) -> (n,).

    weights : (1 + d + F,), or with a horizon one row for each time from 0 to H
    """

    features: Features
    weights: np.ndarray

    def __call__(self, states: np.ndarray, times: np.ndarray) -> np.ndarray:
        problem, V = self.features.problem, np.empty(len(states))
        if not len(V):
            return V
        directions, offsets, weights = self.unscaled
        states = np.ascontiguousarray(states)
        if problem.horizon is None:
            network_values(states, directions, offsets, weights, V)
        else:
            times = np.minimum(times, problem.horizon)
            if times.min() == times.max():
                network_values(states, directions, offsets, weights[times[0]], V)
            else:
                V = self._at_mixed_times(states, times)
        V[problem.ended(states)] = 0.0
        return V

    def _at_mixed_times(self, states: np.ndarray, times: np.ndarray) -> np.ndarray:
        """The same, time by time."""
        directions, offsets, weights = self.unscaled
        V = np.empty(len(states))
        for t in np.flatnonzero(np.bincount(times)):
            rows = np.flatnonzero(times == t)
            part = np.empty(len(rows))
            network_values(states[rows], directions, offsets, weights[t], part)
            V[rows] = part
        return V

    @cached_property
    def unscaled(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Directions, offsets and weights of the same network on numbers that are not scaled."""
        first, w = self.features, self.weights.copy()
        factor, shift = scaling(first.problem)
        d = len(factor)
        w[..., 0] += w[..., 1 : 1 + d] @ shift
        w[..., 1 : 1 + d] *= factor
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


@dataclass(frozen=True)
class Roots:
    """Where a critic is fitted: sampled roots, and how dear one step may be there."""

    features: Features
    states: np.ndarray
    cheapest: float
    dearest: float

    def settled(self, backup: Callable[[np.ndarray], np.ndarray], reach: int = 1) -> Critic:
        """The critic with V = backup(V), for a problem without a horizon.

        backup : weights -> (n,), value of each root if a look lands on values of these weights
        reach : most steps of a plan, so that after i sweeps i times as many have been counted
        """
        at, solve = self._least_squares()
        discount, w = self.features.problem.discount, np.zeros(at.shape[1])
        for sweep in range(1, SWEEPS + 1):
            target = self._kept(backup(w), sweep * reach)
            old, w = w, solve @ target
            if np.abs(at @ (w - old)).max() <= STILL * (1 - discount) * np.abs(target).max():
                break
        return Critic(self.features, w)

    def backward(self, backup: Callable[[int, np.ndarray], np.ndarray]) -> Critic:
        """The critic with V_t = backup(t, V), from the last step to the first.

        backup : time t, weights (H + 1, F) known after t -> (n,), value of each root at t
        """
        _, solve = self._least_squares()
        horizon = self.features.problem.horizon
        assert horizon is not None
        w = np.zeros((horizon + 1, self.features.width))
        for t in range(horizon - 1, -1, -1):
            w[t] = solve @ self._kept(backup(t, w), horizon - t)
        return Critic(self.features, w)

    def _least_squares(self) -> tuple[np.ndarray, np.ndarray]:
        """Features of the roots (n, F), and the matrix (F, n) from their values to weights."""
        at = self.features.mean(self.states[:, None, :])
        system = at.T @ at
        ridge = RIDGE.get(self.states.shape[1], STRONG_RIDGE)
        system[np.diag_indices_from(system)] += ridge * np.mean(at**2) * len(at)
        return at, np.linalg.solve(system, at.T)

    def _kept(self, values: np.ndarray, steps: int) -> np.ndarray:
        """The values, kept between those of the cheapest and of the dearest steps."""
        discount = self.features.problem.discount
        worth = steps if discount == 1 else (1 - discount**steps) / (1 - discount)
        return np.clip(values, min(self.cheapest, 0.0) * worth, max(self.dearest, 0.0) * worth)


def fit_always_look(
    problem: ContinuousSensingMDP,
    roots: np.ndarray,
    rng: np.random.Generator,
    particles: int = 32,
    number: int = FEATURES,
) -> Critic:
    """The critic of the always-look policy, by value iteration on sampled roots (n, d).

    Actions are chosen on one set of clouds and valued on another: valued on the clouds that chose
    them they look cheaper than they are, and a value that is too low makes every look seem worth
    its price.
    """
    features = Features.draw(problem, roots, rng, number)
    choosing, valuing = (_one_look(problem, features, roots, particles, rng) for _ in range(2))
    rows, price = np.arange(len(roots)), problem.sensing_costs

    def backup(w: np.ndarray, price: np.ndarray = price) -> np.ndarray:
        choice = (choosing[0] + price + choosing[1] @ w).argmin(axis=1)
        return np.asarray(valuing[0][rows, choice] + price[choice] + valuing[1][rows, choice] @ w)

    def at(t: int, w: np.ndarray) -> np.ndarray:
        return backup(w[t + 1], price if t + 1 < (problem.horizon or 0) else 0 * price)

    costs = valuing[0] + price
    known = Roots(features, roots, float(costs.min()), float(costs.max()))
    return known.settled(backup) if problem.horizon is None else known.backward(at)


def fit_policy(
    problem: ContinuousSensingMDP,
    policy: ContinuousPolicy,
    roots: np.ndarray,
    rng: np.random.Generator,
    particles: int = 32,
    number: int = FEATURES,
) -> Critic:
    """The critic of a policy from its plans at sampled roots (n, d), on fresh clouds.

    With a horizon its plans may change with the phase of the episode only
    (:mod:`solvers.continuous.phases`).
    """
    features = Features.draw(problem, roots, rng, number)
    starts = phase_starts(problem.horizon)
    parts = []
    for first in starts:
        plans = policy.plans(roots, np.full(len(roots), first))
        outcome = play(problem, plans, roots, particles, rng)
        landing = problem.discount ** plans.lengths[:, None] * features.mean(outcome.clouds)
        landing[~plans.looks] = 0.0  # nothing that matters follows a plan without a look
        parts.append((outcome, landing))
    cheapest = min(outcome.cheapest for outcome, _ in parts)
    known = Roots(features, roots, cheapest, max(outcome.dearest for outcome, _ in parts))
    if problem.horizon is None:
        (outcome, landing) = parts[0]
        costs, reach = outcome.cost(outcome.lengths), int(outcome.lengths.max())
        return known.settled(lambda w: costs + landing @ w, reach)

    def backup(t: int, w: np.ndarray) -> np.ndarray:
        outcome, landing = parts[int(np.searchsorted(starts, t, side="right")) - 1]
        return _with_horizon(outcome, landing, t, w)

    return known.backward(backup)


def _with_horizon(outcome: Outcome, landing: np.ndarray, t: int, w: np.ndarray) -> np.ndarray:
    """The value (n,) of plans begun at time t, cut at the horizon; w : (H + 1, F)."""
    horizon = len(w) - 1
    ends = np.minimum(t + outcome.lengths, horizon)
    after = np.einsum("nf,nf->n", landing, w[ends])  # 0 at the horizon, where w is 0
    return outcome.cost(ends - t, free=ends == horizon) + after


def _one_look(
    problem: ContinuousSensingMDP,
    features: Features,
    roots: np.ndarray,
    particles: int,
    rng: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray]:
    """Each action with a look after it, on one cloud a root: costs without the look's price
    (n, A), and discounted features of where it lands (n, A, F)."""
    n, A, particles = len(roots), problem.num_actions, problem.cloud_size(particles)
    costs, landing = np.empty((n, A)), np.empty((n, A, features.width))
    seed, cloud = int(rng.integers(2**63)), np.repeat(roots, particles, axis=0)
    for a in range(A):
        after, paid = problem.move(cloud, np.full(len(cloud), a), np.random.default_rng(seed))
        costs[:, a] = paid.reshape(n, particles).mean(axis=1)
        landing[:, a] = problem.discount * features.mean(after.reshape(n, particles, -1))
    return costs, landing
