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
from solvers.continuous.cuts import Cut, Cutter
from solvers.continuous.plans import ContinuousPolicy, Plans
from solvers.continuous.search import BLOCK, SearchPolicy

CONFIDENT = 1.0
"""Standard errors by which something new must be better to be taken."""
BEYOND, OFTEN = 3, 0.9
"""Steps by which the string of looking actions outlasts this share of the greedy ones; a few of
those go on for hundreds of steps."""
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
    proposals: int = 2
    judges: int = 1024
    name: str = "spi-continuous"

    def spread_over(self, size: np.ndarray) -> ImprovedPolicy:
        return replace(self, search=replace(self.search, spread=size))

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
        most = np.max([each.lengths for each in greedy], axis=0)
        steady = EveryN(problem, search.critic, search.particles, seed=search.seed)
        steady.spread = search.spread
        steady.period = min(int(np.quantile(most, OFTEN)) + BEYOND, search.limit)
        return [self.reference.plans(roots, times), *greedy, steady.plans(roots, times)]

    def _block(self, strings: list[Plans], roots: np.ndarray, times: np.ndarray) -> Plans:
        """Rounds 2 and 3 for some roots; ``strings`` begins with the reference's plans."""
        problem, n, seed = self.search.problem, len(roots), self.search.seed
        spread = self.search.spread
        few, many = (problem.cloud_size(P) for P in (max(1, self.judges // 4), self.judges))
        quick = Cutter(problem, self.search.critic, roots, times, few, (seed, 1), spread)
        last = Cutter(problem, self.search.critic, roots, times, many, (seed, 2), spread)
        shortlist = _Shortlist(n, max(each.actions.shape[1] for each in strings))
        for each in strings:
            for cut in quick.cuts(each):
                shortlist.offer(cut, each)
        known = last.whole(strings[0])
        best, least, gain = strings[0], known.mean(axis=1), np.zeros((n, many))
        for each, there in shortlist.plans():
            costs = last.whole(each)
            better = there & (costs.mean(axis=1) < least)
            least = np.where(better, costs.mean(axis=1), least)
            gain[better] = (known - costs)[better]
            best = best.put(np.flatnonzero(better), each.of(better))
        keep = gain.mean(axis=1) <= CONFIDENT * gain.std(axis=1) / np.sqrt(many)
        return best.put(np.flatnonzero(keep), strings[0].of(keep))


class _Shortlist:
    """The cheapest plans of each of n roots, no two alike."""

    def __init__(self, n: int, width: int) -> None:
        self.values = np.full((n, SHORTLIST), np.inf)
        self.actions = np.full((n, SHORTLIST, width), -1)  # -1 beyond the end of a string
        self.lengths = np.ones((n, SHORTLIST), int)
        self.looks = np.zeros((n, SHORTLIST), bool)

    def offer(self, cut: Cut, plans: Plans) -> None:
        """Strings of some roots: each takes the place of a dearer one."""
        values, last = cut.costs.mean(axis=1), self.values[cut.rows].argmax(axis=1)
        some = np.flatnonzero(values < self.values[cut.rows, last])
        rows, lengths = cut.rows[some], cut.lengths[some]
        width = plans.actions.shape[1]
        strings = np.full((len(rows), self.actions.shape[2]), -1)
        within = np.arange(width) < lengths[:, None]
        strings[:, :width] = np.where(within, plans.actions[rows], -1)
        known = (self.actions[rows] == strings[:, None, :]).all(axis=2)
        new = ~(known & np.isfinite(self.values[rows])).any(axis=1)
        at = (rows[new], last[some][new])
        self.values[at], self.lengths[at] = values[some][new], lengths[new]
        self.looks[at], self.actions[at] = cut.looks[some][new], strings[new]

    def plans(self) -> Iterator[tuple[Plans, np.ndarray]]:
        """Plan after plan of all roots, and which of them are there (n,)."""
        for i in range(SHORTLIST):
            there = np.isfinite(self.values[:, i])
            width = self.lengths[:, i].max()
            actions = np.maximum(self.actions[:, i, :width], 0)
            yield Plans(actions, self.lengths[:, i], self.looks[:, i]), there
