"""PolicyUpdate at a root, line 19 included: the best of some strings, or what the reference does.

The greedy string of a small cloud is a proposal, not a decision: another cloud of the same root
would often propose another one.  So it is done in three rounds, each on clouds of its own, because
a plan looks better than it is on the cloud that chose it:

1. a few clouds propose a greedy string each, and two more strings join them: the one that takes
   the best looking action at every step, and the plan of the reference policy;
2. all of them, cut at every length, are run on one cloud, and the cheapest few are shortlisted;
3. the shortlist and the reference's plan are run on the largest cloud.  The root takes the cheapest
   if it beats the reference's plan by more than its error there, and else keeps that plan.

In rounds 2 and 3 all strings of a root meet the same chance, and a look that lands in s' is worth
V(s').
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from solvers.continuous.baselines import EveryN
from solvers.continuous.critic import at_horizon
from solvers.continuous.plans import ContinuousPolicy, Plans
from solvers.continuous.search import BLOCK, SearchPolicy

CONFIDENT = 1.0
"""Standard errors by which something new must be better to be taken."""
BEYOND = 3
"""Steps by which the string of looking actions outlasts the longest greedy one."""
SHORTLIST = 3
"""Plans of a root that reach the last round, besides the reference's."""


@dataclass
class ImprovedPolicy(ContinuousPolicy):
    """What PolicyUpdate makes of a reference policy whose values are ``search.critic``.

    proposals : clouds that propose a greedy string for each root
    judges : particles of the cloud of the last round; a quarter of them make the shortlist
    """

    search: SearchPolicy
    reference: ContinuousPolicy
    proposals: int = 3
    judges: int = 1024
    name: str = "spi-continuous"

    def plans(self, roots: np.ndarray, times: np.ndarray) -> Plans:
        strings = self._strings(roots, times)
        size = max(1, BLOCK // self.search.problem.cloud_size(self.judges))
        blocks = [slice(i, i + size) for i in range(0, len(roots), size)]
        return Plans.joined(
            [self._block([each.of(b) for each in strings], roots[b], times[b]) for b in blocks]
        )

    def _strings(self, roots: np.ndarray, times: np.ndarray) -> list[Plans]:
        """The reference's plans first, then the proposals."""
        search, problem = self.search, self.search.problem
        clouds = 1 if problem.cloud_size(2) == 1 else self.proposals  # all alike without chance
        seeds = range(search.seed, search.seed + clouds)
        greedy = [replace(search, seed=seed).plans(roots, times) for seed in seeds]
        longest = max(int(each.lengths.max()) for each in greedy) + BEYOND
        steady = EveryN(problem, search.critic, search.particles, seed=search.seed)
        steady.period = min(longest, search.limit)
        return [self.reference.plans(roots, times), *greedy, steady.plans(roots, times)]

    def _block(self, strings: list[Plans], roots: np.ndarray, times: np.ndarray) -> Plans:
        """Rounds 2 and 3 for some roots; ``strings`` begins with the reference's plans."""
        problem, n = self.search.problem, len(roots)
        shortlist = _Shortlist(n, max(each.actions.shape[1] for each in strings))
        few, many = (problem.cloud_size(P) for P in (max(1, self.judges // 4), self.judges))
        for each in strings:
            for step, (costs, look, there) in enumerate(self._cut(each, roots, times, few, 1)):
                value = np.where(there, costs.mean(axis=1), np.inf)
                shortlist.offer(value, each.actions[:, : step + 1], look)
        known = _whole(strings[0], self._cut(strings[0], roots, times, many, 2))
        best, least, gain = strings[0], known.mean(axis=1), np.zeros((n, many))
        for each, there in shortlist.plans():
            costs = _whole(each, self._cut(each, roots, times, many, 2))
            better = there & (costs.mean(axis=1) < least)
            least = np.where(better, costs.mean(axis=1), least)
            gain[better] = (known - costs)[better]
            best = best.put(np.flatnonzero(better), each.of(better))
        keep = gain.mean(axis=1) <= CONFIDENT * gain.std(axis=1) / np.sqrt(many)
        return best.put(np.flatnonzero(keep), strings[0].of(keep))

    def _cut(
        self, plans: Plans, roots: np.ndarray, times: np.ndarray, particles: int, part: int
    ) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Each length in turn: what strings cut there cost on each particle (n, P), whether a look
        ends them (n,), and whether there is such a string (n,).

        All particles move together, so that chance is the same for all strings, until most of the
        strings are over; after that only those move that still matter.
        """
        problem, critic, n, P = self.search.problem, self.search.critic, len(roots), particles
        states, paid, weight = np.repeat(roots, P, axis=0), np.zeros(n * P), 1.0
        free = np.zeros(n, bool)  # a look that costs nothing is taken: it can do no harm
        for step in range(int(plans.lengths.max())):
            action, when = np.repeat(plans.actions[:, step], P), np.repeat(times + step + 1, P)
            rng = np.random.default_rng((self.search.seed, part, step))
            on = ~problem.ended(states)
            seen = on if problem.end_is_seen else np.ones(n * P, bool)
            live = plans.lengths > step
            few = np.flatnonzero(on & np.repeat(live, P)) if 2 * live.sum() < n else slice(None)
            V = np.zeros(n * P)
            if len(paid[few]):
                states[few], costs = problem.move(states[few], action[few], rng)
                paid[few] += weight * costs
                V[few] = critic(states[few], when[few])
            price = problem.sensing_costs[action] * seen
            look = ~at_horizon(problem, times + step + 1)
            look &= (plans.lengths > step + 1) | plans.looks
            ending = np.repeat(weight * look, P) * (price + problem.discount * V)
            yield (paid + ending).reshape(n, P), look, live & ~free
            free |= problem.sensing_costs[plans.actions[:, step]] == 0
            weight *= problem.discount


class _Shortlist:
    """The cheapest plans of each of n roots, no two alike."""

    def __init__(self, n: int, width: int) -> None:
        self.values = np.full((n, SHORTLIST), np.inf)
        self.actions = np.zeros((n, SHORTLIST, width), int)
        self.lengths = np.ones((n, SHORTLIST), int)
        self.looks = np.zeros((n, SHORTLIST), bool)

    def offer(self, values: np.ndarray, actions: np.ndarray, looks: np.ndarray) -> None:
        """Strings (n, length), with what they cost (n,): each takes the place of a dearer one."""
        length, last = actions.shape[1], self.values.argmax(axis=1)
        same = (self.lengths == length) & (self.actions[:, :, :length] == actions[:, None, :]).all(
            axis=2
        )
        known = (same & np.isfinite(self.values)).any(axis=1)
        rows = np.flatnonzero(~known & (values < self.values[np.arange(len(last)), last]))
        at = (rows, last[rows])
        self.values[at], self.lengths[at], self.looks[at] = values[rows], length, looks[rows]
        self.actions[rows, last[rows], :length] = actions[rows]

    def plans(self) -> Iterator[tuple[Plans, np.ndarray]]:
        """Plan after plan of all roots, and which of them are there (n,)."""
        for i in range(SHORTLIST):
            plans = Plans(self.actions[:, i], self.lengths[:, i], self.looks[:, i])
            yield plans, np.isfinite(self.values[:, i])


def _whole(plans: Plans, cut: Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]) -> np.ndarray:
    """What whole plans cost on each particle (n, P), from what they cost cut at each length."""
    found = None
    for step, (costs, _, _) in enumerate(cut):
        found = costs if found is None else found
        ends = plans.lengths == step + 1
        found[ends] = costs[ends]
    assert found is not None
    return found
