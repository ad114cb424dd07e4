"""Policies to compare with: always look, never look, look every n steps, and ATM with a critic.

All of them choose actions by a critic on the cloud of where the state may be; they differ in when
they look.  The first three take the critic of the problem in which looking is free, as an agent
would that does not plan its looks; ATM (Krale et al. 2023) takes the critic of always looking.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from solvers.continuous.critic import fit_always_look
from solvers.continuous.features import FEATURES
from solvers.continuous.model import ContinuousSensingMDP
from solvers.continuous.plans import ContinuousPolicy, Plans
from solvers.continuous.remember import remembered
from solvers.continuous.search import CloudPolicy
from solvers.continuous.simulate import judge


@dataclass
class EveryN(CloudPolicy):
    """Look after every n-th step; in between act on the cloud."""

    period: int = 1
    name: str = field(default="every-n", kw_only=True)

    def decide(
        self, step: int, look: np.ndarray, blind: np.ndarray | None
    ) -> tuple[np.ndarray, np.ndarray]:
        return look.argmin(axis=1), np.full(len(look), step >= self.period - 1)


@dataclass
class AlwaysLook(EveryN):
    """Look after every step."""

    name: str = field(default="always-look", kw_only=True)


@dataclass
class NeverLook(CloudPolicy):
    """Never look again after the start."""

    name: str = field(default="never-look", kw_only=True)

    def decide(
        self, step: int, look: np.ndarray, blind: np.ndarray | None
    ) -> tuple[np.ndarray, np.ndarray]:
        return look.argmin(axis=1), np.zeros(len(look), bool)


@dataclass
class ContinuousATM(CloudPolicy):
    """ATM's rule: the best looking action, and a look unless one step later is no worse."""

    name: str = field(default="atm", kw_only=True)
    looks_ahead = 1

    def decide(
        self, step: int, look: np.ndarray, blind: np.ndarray | None
    ) -> tuple[np.ndarray, np.ndarray]:
        assert blind is not None
        action, rows = look.argmin(axis=1), np.arange(len(look))
        return action, look[rows, action] <= blind[rows, action]


PERIODS = (2, 3, 4, 6, 8, 12, 16, 24, 32)


@dataclass(frozen=True)
class Spent:
    """How much making a baseline may cost.

    particles : of each cloud of never looking, and of those that choose a period
    judges : of each cloud of always looking and looking every n steps, where more are cheap; a
        quarter of them for ATM and for critics
    episodes : simulated for each period; features : hidden units of the critic
    max_steps : most steps before a look, all that matter if None
    """

    particles: int
    judges: int
    episodes: int
    features: int = FEATURES
    max_steps: int | None = None

    @property
    def few(self) -> int:
        """Particles of ATM, and for each root and action of a critic."""
        return max(self.particles, self.judges // 4)


def baselines(
    problem: ContinuousSensingMDP, roots: np.ndarray, spent: Spent, rng: np.random.Generator
) -> Iterator[CloudPolicy]:
    """Always look, never look, every n steps with the best n, and ATM, one after another.

    roots : (n, d), where their critics are fitted
    """
    seed, free = int(rng.integers(2**31)), problem.with_sensing_cost(0.0)
    V = fit_always_look(free, roots, rng, spent.few, spent.features)
    how = (problem, V, spent.particles, spent.max_steps, seed)
    yield replace(AlwaysLook(*how), particles=spent.judges)
    yield NeverLook(*how)
    yield replace(best_period(EveryN(*how), spent.episodes, seed), particles=spent.judges)
    V = fit_always_look(problem, roots, rng, spent.few, spent.features)
    yield ContinuousATM(problem, V, spent.few, spent.max_steps, seed)


def best_period(policy: EveryN, episodes: int, seed: int = 0) -> EveryN:
    """The policy with the n that simulation finds best.

    Longer and longer periods are tried until two in a row are worse than the best so far.  Up to
    its look, a plan of a short period is the beginning of that of a long one, so plans are made
    once, for the longest period.
    """
    problem = policy.problem
    periods = [n for n in PERIODS if n < policy.limit]
    if not periods:
        return policy
    longest = remembered(problem, replace(policy, period=periods[-1]))
    best, least, worse = 1, float("inf"), 0
    for n in periods:
        value = judge(problem, Shortened(problem, longest, n), episodes, seed).value
        worse = 0 if value < least else worse + 1
        best, least = (n, value) if value < least else (best, least)
        if worse == 2:
            break
    return replace(policy, period=best)


@dataclass
class Shortened(ContinuousPolicy):
    """The plans of ``policy``, with a look after ``period`` steps at the latest."""

    problem: ContinuousSensingMDP
    policy: ContinuousPolicy
    period: int
    name: str = "every-n"

    def plans(self, roots: np.ndarray, times: np.ndarray) -> Plans:
        plans = self.policy.plans(roots, times)
        lengths = np.minimum(plans.lengths, self.period)
        looks = plans.looks | (lengths < plans.lengths)
        return Plans(plans.actions[:, : lengths.max(initial=1)], lengths, looks)
