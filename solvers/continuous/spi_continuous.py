"""SPI for continuous states (App. C.2 of the paper), id ``spi-continuous``.

    reference <- the best of the baselines
    repeat
        V <- critic of the reference, fitted at sampled roots
        candidate <- PolicyUpdate of the reference against V, at every look
        reference <- candidate, if paired simulation says that it is better
    until two updates in a row are not taken

The paper's five points, and what they become here:

1, 5. A policy is a map from a root and the string so far to an action.  Here the candidate plans
      with V at every look, which needs no network for the policy;
      :mod:`solvers.continuous.distil` fits one to it afterwards.
2.    The critic needs to be right at roots only (:mod:`solvers.continuous.critic`).
3.    Roots are sampled: half from where the policy looks, half from all over the box, so that the
      critic is not asked about places it has never seen when the next policy goes there.
4.    B C(a) is the mean over a cloud of particles.

Line 19 compares values root by root.  So does PolicyUpdate here, by what the critic says of plans
(:mod:`solvers.continuous.improve`); but a critic errs, so the whole policies are compared as well,
from the start states and on the same chance, and an update is taken if it is better by more than
``CONFIDENT`` standard errors.

Algorithm 1 takes any policy to start from.  The best of always look, never look, every n steps and
ATM is one that nobody would want to do worse than.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from solvers.continuous.baselines import (
    AlwaysLook,
    ContinuousATM,
    EveryN,
    NeverLook,
    Spent,
    baselines,
)
from solvers.continuous.critic import Critic, fit_policy
from solvers.continuous.improve import CONFIDENT, ImprovedPolicy
from solvers.continuous.model import ContinuousError, ContinuousSensingMDP, Step
from solvers.continuous.plans import ContinuousPolicy
from solvers.continuous.remember import remembered
from solvers.continuous.search import CloudPolicy, SearchPolicy
from solvers.continuous.simulate import Judgement, compare, judge


@dataclass(frozen=True)
class Update:
    """One PolicyUpdate: its value, its improvement over the reference, and whether it was taken.

    samples, cpu_seconds : moves of the simulator and processor time, from the beginning
    """

    number: int
    value: float
    standard_error: float
    improvement: float
    improvement_error: float
    sensing_rate: float
    taken: bool
    samples: int
    cpu_seconds: float


@dataclass(frozen=True)
class Start:
    """A baseline; quick : the same with its plans remembered; cpu_seconds : for making it."""

    policy: CloudPolicy
    quick: ContinuousPolicy
    cpu_seconds: float


@dataclass
class SPIContinuous:
    """SPI on a simulator.

    roots : sampled for each critic; features : its hidden units
    particles : of each cloud that proposes a plan; proposals : such clouds for each root
    judges : particles of the cloud that decides between plans
    updates : most updates tried; episodes : simulated for each comparison
    max_steps : most steps before a look, all that matter if None

    After :meth:`solve`, ``record`` has the updates, ``starts`` the baselines it could have started
    from, ``first`` the one it did, and ``searches`` what each update that was taken planned with.
    """

    name = "spi-continuous"
    roots: int = 1000
    particles: int = 96
    proposals: int = 2
    judges: int = 1024
    updates: int = 8
    episodes: int = 300
    max_steps: int | None = None
    features: int = 120
    seed: int = 0
    record: list[Update] = field(default_factory=list, init=False)
    starts: list[Start] = field(default_factory=list, init=False)
    first: CloudPolicy | None = field(default=None, init=False)
    searches: list[SearchPolicy] = field(default_factory=list, init=False)

    def solve(
        self, problem: ContinuousSensingMDP, budget: float = float("inf")
    ) -> ContinuousPolicy:
        """The best policy found within ``budget`` seconds; ``record`` says how it came about."""
        began, self.record = time.perf_counter(), []
        self._started, self._steps = time.process_time(), Counted(problem.step)
        problem, rng = replace(problem, step=self._steps), np.random.default_rng(self.seed)
        best, reference = self._start(problem, rng)
        self._note(reference, (0.0, 0.0), True)
        for _ in range(self.updates):
            if time.perf_counter() - began > budget:
                break
            V = self._critic(problem, best, reference, rng)
            seed = int(rng.integers(2**31))
            search = SearchPolicy(problem, V, self.particles, self.max_steps, seed)
            improved = ImprovedPolicy(search, best, self.proposals, self.judges)
            candidate = remembered(problem, improved, everywhere=True)
            found = judge(problem, candidate, self.episodes, self.seed)
            difference = compare(found, reference)
            taken = difference[0] + CONFIDENT * difference[1] < 0
            self._note(found, difference, taken)
            if taken:
                best, reference = candidate, found
                self.searches.append(search)
            elif not self.record[-2].taken:
                break
        return best

    def _start(
        self, problem: ContinuousSensingMDP, rng: np.random.Generator
    ) -> tuple[ContinuousPolicy, Judgement]:
        """The best of the baselines, from which SPI starts, and what simulation says of it."""
        roots, _ = self.all_over(problem, self.roots, rng)
        spent = Spent(self.particles, self.judges, self.episodes, self.features, self.max_steps)
        found, self.starts, since = [], [], time.process_time()
        for policy in baselines(problem, roots, spent, rng):
            start = Start(policy, remembered(problem, policy), time.process_time() - since)
            found.append(judge(problem, start.quick, self.episodes, self.seed))
            self.starts.append(start)
            since = time.process_time()
        best = int(np.argmin([each.value for each in found]))
        self.first, self.searches = self.starts[best].policy, []
        return self.starts[best].quick, found[best]

    def as_json(self) -> dict[str, Any]:
        """The policy found, for :func:`policy_from_json`: where it started, and its updates."""
        if self.first is None:
            raise ContinuousError("spi-continuous: there is no policy yet; call solve first")
        start = {"kind": self.first.name, "period": getattr(self.first, "period", 0)}
        return {
            "start": start | _as_json(self.first),
            "updates": [_as_json(search) for search in self.searches],
            "proposals": self.proposals,
            "judges": self.judges,
        }

    def _critic(
        self,
        problem: ContinuousSensingMDP,
        policy: ContinuousPolicy,
        found: Judgement,
        rng: np.random.Generator,
    ) -> Critic:
        """The critic of a policy, at roots of its own looks and from all over the box."""
        states, _ = self.mixed_roots(problem, found, rng)
        return fit_policy(problem, policy, states, rng, self.judges, self.features)

    def mixed_roots(
        self, problem: ContinuousSensingMDP, found: Judgement, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        """States (roots, d) and times, half from all over and half from where a policy looked."""
        half = self.roots // 2
        states, times = self.all_over(problem, self.roots - half, rng)
        chosen = rng.integers(len(found.roots), size=half)
        states = np.concatenate([states, found.roots[chosen]])
        return states, np.concatenate([times, found.times[chosen]])

    @staticmethod
    def all_over(
        problem: ContinuousSensingMDP, number: int, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        """Roots spread over the box and over time, a fifth of them start states."""
        few = number // 5
        spread = rng.uniform(problem.low, problem.high, (number - few, problem.dimension))
        states = np.concatenate([problem.start(few, rng), spread])
        states = np.where(problem.ended(states)[:, None], problem.start(number, rng), states)
        times = rng.integers(problem.horizon or 1, size=number)
        times[:few] = 0
        return states, times

    def _note(self, found: Judgement, difference: tuple[float, float], taken: bool) -> None:
        self.record.append(
            Update(
                len(self.record),
                found.value,
                found.standard_error,
                -difference[0],
                difference[1],
                found.sensing_rate,
                taken,
                self._steps.moves,
                time.process_time() - self._started,
            )
        )


class Counted:
    """A simulator's step that counts how many states it has moved."""

    def __init__(self, step: Step) -> None:
        self.step, self.moves = step, 0

    def __call__(
        self, states: np.ndarray, actions: np.ndarray, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        self.moves += len(states)
        return self.step(states, actions, rng)


def _as_json(policy: CloudPolicy) -> dict[str, Any]:
    kept = {name: getattr(policy, name) for name in ("particles", "max_steps", "seed")}
    return {**kept, "critic": policy.critic.as_json()}


def policy_from_json(problem: ContinuousSensingMDP, kept: dict[str, Any]) -> ContinuousPolicy:
    """A policy that :meth:`SPIContinuous.as_json` described."""

    def made(kind: type[CloudPolicy], of: dict[str, Any]) -> CloudPolicy:
        V = Critic.from_json(problem, of["critic"])
        return kind(problem, V, of["particles"], of["max_steps"], of["seed"])

    start = kept["start"]
    kinds = {each.name: each for each in (AlwaysLook, NeverLook, EveryN, ContinuousATM)}
    first = made(kinds[start["kind"]], start)
    if isinstance(first, EveryN):
        first.period = start["period"]
    policy = remembered(problem, first)
    for of in kept["updates"]:
        search = made(SearchPolicy, of)
        improved = ImprovedPolicy(search, policy, kept["proposals"], kept["judges"])
        policy = remembered(problem, improved, everywhere=True)
    return policy
