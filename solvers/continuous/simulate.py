"""Judging policies by simulation: the same start states and the same chance for all of them.

Episodes run side by side.  The generator of step t is seeded by (seed, t) and moves all episodes at
once, so episode i meets the same random numbers under every policy; the difference of two policies
is then estimated from paired returns, whose error is far smaller than that of either mean.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from solvers.continuous.model import ContinuousSensingMDP
from solvers.continuous.plans import ContinuousPolicy, Plans


@dataclass(frozen=True)
class Judgement:
    """What simulated episodes say of a policy.

    costs : (n,), discounted cost of each episode
    looks : (n,), number of looks paid for in each; steps : (n,), steps until its end
    roots : (m, d), states that were seen, the first ones included; times : (m,), when
    """

    costs: np.ndarray
    looks: np.ndarray
    steps: np.ndarray
    roots: np.ndarray
    times: np.ndarray

    @property
    def value(self) -> float:
        return float(self.costs.mean())

    @property
    def standard_error(self) -> float:
        return float(self.costs.std(ddof=1) / np.sqrt(len(self.costs)))

    @property
    def sensing_rate(self) -> float:
        """Looks per step."""
        return float(self.looks.sum() / max(self.steps.sum(), 1))


def compare(ours: Judgement, theirs: Judgement) -> tuple[float, float]:
    """The mean of (ours − theirs) over paired episodes, and its standard error."""
    difference = ours.costs - theirs.costs
    return float(difference.mean()), float(difference.std(ddof=1) / np.sqrt(len(difference)))


def judge(
    problem: ContinuousSensingMDP,
    policy: ContinuousPolicy,
    episodes: int = 1000,
    seed: int = 0,
    starts: np.ndarray | None = None,
) -> Judgement:
    """Run a policy from ``episodes`` start states, or from given ones (n, d)."""
    if starts is None:
        starts = problem.start(episodes, np.random.default_rng((seed, 2**32)))
    run = _Run(problem, policy, np.array(starts, float))
    for t in range(problem.steps):
        if not run.step(t, np.random.default_rng((seed, t))):
            break
    times = np.concatenate([np.full(len(seen), t) for t, seen in run.seen])
    roots = np.concatenate([seen for _, seen in run.seen])
    return Judgement(run.costs, run.looks, run.alive, roots, times)


class _Run:
    """Episodes under way, each in the middle of its own plan."""

    def __init__(
        self, problem: ContinuousSensingMDP, policy: ContinuousPolicy, states: np.ndarray
    ) -> None:
        n = len(states)
        self.problem, self.policy, self.states = problem, policy, states
        self.actions = np.zeros((n, 1), int)
        self.lengths, self.at = np.zeros(n, int), np.zeros(n, int)
        self.looking = np.ones(n, bool)
        self.at_root = np.ones(n, bool)
        self.done = problem.ended(states)  # a look showed the end, or everything is over
        self.seen = [(0, states[:0])]
        self.costs, self.looks, self.alive = np.zeros(n), np.zeros(n, int), np.zeros(n, int)

    def step(self, t: int, rng: np.random.Generator) -> bool:
        """One step of all episodes; False when none is left."""
        over = self.problem.ended(self.states)
        if (self.done | over).all() and (self.problem.end_is_seen or self.done.all()):
            return False
        fresh = np.flatnonzero(self.at_root & ~self.done)
        if len(fresh):
            self.seen.append((t, self.states[fresh]))
            self._take(fresh, self.policy.plans(self.states[fresh], np.full(len(fresh), t)))
        last = np.minimum(self.at, np.maximum(self.lengths - 1, 0))
        actions = self.actions[np.arange(len(last)), last]
        look = self.looking & (self.at >= self.lengths - 1) & ~self.done
        self.states, costs = self.problem.move(self.states, actions, rng)
        if self.problem.end_is_seen:
            look &= ~over
        paid = np.where(look, self.problem.sensing_costs[actions], 0.0)
        self.costs += self.problem.discount**t * np.where(self.done, 0.0, costs + paid)
        self.looks += look
        self.alive += ~(over | self.done)
        self.at += 1
        self.at_root = look
        self.done |= look & self.problem.ended(self.states)
        return True

    def _take(self, rows: np.ndarray, plans: Plans) -> None:
        """New plans for these episodes, from the beginning."""
        width = plans.actions.shape[1]
        if width > self.actions.shape[1]:
            more = np.zeros((len(self.actions), width - self.actions.shape[1]), int)
            self.actions = np.hstack([self.actions, more])
        self.actions[rows, :width] = plans.actions
        self.lengths[rows], self.looking[rows], self.at[rows] = plans.lengths, plans.looks, 0
