"""What given plans lead to, on clouds that did not choose them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from solvers.continuous.model import ContinuousSensingMDP, move_some
from solvers.continuous.plans import Plans


@dataclass(frozen=True)
class Outcome:
    """What plans of n roots lead to, each with its own cloud of P particles.

    paid : (n, L), mean discounted cost of the first 1 … L steps without the look
    look : (n,), what the look at the end costs, discounted; 0 where there is none
    clouds : (n, P, d), where the last action lands; lengths : (n,)
    cheapest, dearest : costs of one step, the mean over a cloud and the look after it
    """

    paid: np.ndarray
    look: np.ndarray
    clouds: np.ndarray
    lengths: np.ndarray
    cheapest: float
    dearest: float

    def cost(self, steps: np.ndarray, free: np.ndarray | None = None) -> np.ndarray:
        """What the first ``steps`` (n,) cost, with the look unless it is ``free`` (n,): (n,)."""
        found = self.paid[np.arange(len(steps)), steps - 1]
        return found + (self.look if free is None else np.where(free, 0.0, self.look))


def play(
    problem: ContinuousSensingMDP,
    plans: Plans,
    roots: np.ndarray,
    particles: int,
    rng: np.random.Generator,
) -> Outcome:
    """What given plans lead to on fresh clouds.

    A plan chosen on a cloud looks better there than it is, because chance helped to choose it; on
    a cloud of its own it does not.
    """
    (n, d), particles = roots.shape, problem.cloud_size(particles)
    clouds, longest = np.repeat(roots[:, None, :], particles, axis=1), int(plans.lengths.max())
    paid, look, weight = np.zeros((n, longest)), np.zeros(n), 1.0
    cheapest, dearest = np.inf, -np.inf
    for step in range(longest):
        live = np.flatnonzero(plans.lengths > step)
        action = plans.actions[live, step]
        flat = clouds[live].reshape(-1, d)
        on = ~problem.ended(flat)
        moved, costs = move_some(problem, flat, np.repeat(action, particles), on, rng)
        ends = plans.looks[live] & (plans.lengths[live] == step + 1)
        price = np.where(ends, problem.sensing_costs[action], 0.0)
        if problem.end_is_seen:
            price = price * on.reshape(len(live), particles).mean(axis=1)
        each = costs.reshape(len(live), particles).mean(axis=1)
        cheapest = min(cheapest, (each + price).min())
        dearest = max(dearest, (each + price).max())
        paid[:, step] = paid[:, step - 1] if step else 0.0
        paid[live, step] += weight * each
        look[live] += weight * price
        clouds[live] = moved.reshape(len(live), particles, d)
        weight *= problem.discount
    return Outcome(paid, look, clouds, plans.lengths, cheapest, dearest)
