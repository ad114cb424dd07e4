"""What strings of actions cost when they are cut, with a look at the cut, at every length.

A string is run once on the cloud of its root; after each step the cloud says what a look there
would be worth.  All strings of a root meet the same chance.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from solvers.continuous.critic import Critic
from solvers.continuous.model import ContinuousSensingMDP, at_horizon, clouds_at, move_some
from solvers.continuous.plans import Plans


@dataclass(frozen=True)
class Cut:
    """Some strings, cut.

    rows : (m,), of which roots; costs : (m, P), on each particle
    lengths : (m,), steps that are left of them; looks : (m,) bool, whether a look ends them
    """

    rows: np.ndarray
    costs: np.ndarray
    lengths: np.ndarray
    looks: np.ndarray


@dataclass(frozen=True)
class Cutter:
    """Runs strings from roots (n, d) at times (n,) on clouds of P particles.

    critic : what a look is worth; seed : of the chance
    spread : (d,), size of the boxes around the roots over which the clouds begin
    """

    problem: ContinuousSensingMDP
    critic: Critic
    roots: np.ndarray
    times: np.ndarray
    particles: int
    seed: tuple[int, ...]
    spread: np.ndarray | float = 0.0

    def whole(self, plans: Plans) -> np.ndarray:
        """What whole strings cost on each particle: (n, P)."""
        found = np.empty((len(self.roots), self.particles))
        for cut in self.cuts(plans, inner=False):
            found[cut.rows] = cut.costs
        return found

    def cuts(self, plans: Plans, inner: bool = True) -> Iterator[Cut]:
        """The strings cut at every length, or only the whole ones if not ``inner``.

        A string is done with at its end, or when the episode is over on all of its particles.
        Particles of strings that are done with move on with the others, so that chance stays the
        same for all strings of a root, until half of the strings are; then they are dropped.
        """
        problem, P = self.problem, self.particles
        rows, weight = np.arange(len(self.roots)), 1.0
        clouds = clouds_at(problem, self.roots, P, self.spread, np.random.default_rng(self.seed))
        states, paid = clouds.reshape(-1, problem.dimension), np.zeros(len(rows) * P)
        going = np.ones(len(rows), bool)
        for step in range(int(plans.lengths.max())):
            on = ~problem.ended(states)
            ended = going & ~on.reshape(-1, P).any(axis=1)
            if ended.any():
                yield self._over(plans, rows[ended], paid.reshape(-1, P)[ended])
                going &= ~ended
            if not going.any():
                return
            if 2 * going.sum() <= len(rows):
                kept = np.repeat(going, P)
                rows, states, paid, on = rows[going], states[kept], paid[kept], on[kept]
                going = np.ones(len(rows), bool)
            actions = plans.actions[rows, step]
            rng = np.random.default_rng((*self.seed, step))
            states, costs = move_some(problem, states, np.repeat(actions, P), on, rng)
            paid += weight * costs
            last = plans.lengths[rows] == step + 1
            asked = going & (last if not inner else True)
            if asked.any():
                yield self._cut(plans, step, rows, asked, states, paid, on)
            going &= ~last
            weight *= problem.discount
            if inner:  # a look that costs nothing is taken: it can do no harm
                going &= problem.sensing_costs[actions] > 0

    def _cut(
        self,
        plans: Plans,
        step: int,
        rows: np.ndarray,
        asked: np.ndarray,
        states: np.ndarray,
        paid: np.ndarray,
        on: np.ndarray,
    ) -> Cut:
        """The strings of ``asked`` (m,) rows, cut after this step."""
        problem, P = self.problem, self.particles
        rows, on = rows[asked], on.reshape(-1, P)[asked]
        now = self.times[rows] + step + 1
        look = ~at_horizon(problem, now) & ((plans.lengths[rows] > step + 1) | plans.looks[rows])
        price = np.broadcast_to(problem.sensing_costs[plans.actions[rows, step]][:, None], on.shape)
        V = np.zeros(on.shape)
        valued = on & look[:, None]
        there = states.reshape(*asked.shape, P, -1)[asked][valued]
        V[valued] = self.critic(there, np.repeat(now, valued.sum(axis=1)))
        after = (price * on if problem.end_is_seen else price) + problem.discount * V
        costs = paid.reshape(-1, P)[asked] + problem.discount**step * look[:, None] * after
        return Cut(rows, costs, np.full(len(rows), step + 1), look)

    def _over(self, plans: Plans, rows: np.ndarray, paid: np.ndarray) -> Cut:
        """Whole strings of roots whose episode is over on every particle."""
        problem, lengths = self.problem, plans.lengths[rows]
        look = plans.looks[rows] & ~at_horizon(problem, self.times[rows] + lengths)
        price = problem.sensing_costs[plans.actions[rows, lengths - 1]] * look
        if problem.end_is_seen:
            price = 0 * price
        return Cut(rows, paid + (problem.discount ** (lengths - 1) * price)[:, None], lengths, look)
