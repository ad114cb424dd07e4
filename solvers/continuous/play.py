"""What given plans lead to, on clouds that did not choose them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from solvers.continuous.model import ContinuousSensingMDP
from solvers.continuous.plans import Plans


@dataclass(frozen=True)
class Outcome:
    """What plans of n roots lead to, each with its own cloud of P particles.

    costs : (n,), mean discounted cost up to and with the look
    clouds : (n, P, d), where the last action lands; weights : (n,), its discount
    ends : (n,), time of the landing
    cheapest, dearest : costs of one step, the mean over a cloud and the look after it
    """

    costs: np.ndarray
    clouds: np.ndarray
    weights: np.ndarray
    ends: np.ndarray
    cheapest: float
    dearest: float


def play(
    problem: ContinuousSensingMDP,
    plans: Plans,
    roots: np.ndarray,
    times: np.ndarray,
    particles: int,
    rng: np.random.Generator,
) -> Outcome:
    """What given plans lead to on fresh clouds.

    A plan chosen on a cloud looks better there than it is, because chance helped to choose it; on
    a cloud of its own it does not.
    """
    (n, d), particles = roots.shape, problem.cloud_size(particles)
    clouds, ends = np.repeat(roots[:, None, :], particles, axis=1), np.array(times)
    costs, weights, cheapest, dearest = np.zeros(n), np.ones(n), np.inf, -np.inf
    for step in range(int(plans.lengths.max())):
        live = np.flatnonzero(plans.lengths > step)
        action = plans.actions[live, step]
        flat = clouds[live].reshape(-1, d)
        moved, paid = problem.move(flat, np.repeat(action, particles), rng)
        look = plans.looks[live] & (plans.lengths[live] == step + 1)
        price = np.where(look, problem.sensing_costs[action], 0.0)
        if problem.end_is_seen:
            price = price * (~problem.ended(flat)).reshape(len(live), particles).mean(axis=1)
        each = paid.reshape(len(live), particles).mean(axis=1) + price
        cheapest, dearest = min(cheapest, each.min()), max(dearest, each.max())
        costs[live] += weights[live] * each
        clouds[live] = moved.reshape(len(live), particles, d)
        weights[live] *= problem.discount
        ends[live] += 1
    return Outcome(costs, clouds, weights, ends, cheapest, dearest)
