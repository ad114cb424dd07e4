"""SPI for continuous states (App. C.2 of the paper), id ``spi-continuous``.

    V <- critic of the always-look policy;  reference <- always look
    repeat
        candidate <- plan at every look by PolicyUpdate's greedy string against V
        take it only if paired simulation says that it is better           (line 19)
        V <- critic of the candidate, fitted at sampled roots
    until two updates in a row are not taken

The paper's five points, and what they become here:

1, 5. A policy is a map from a root and the string so far to an action.  Here the candidate plans
      with V at every look, which needs no network for the policy;
      :mod:`solvers.continuous.distil` fits one to it afterwards.
2.    The critic needs to be right at roots only (:mod:`solvers.continuous.critic`).
3.    Roots are sampled: half from where the policy looks, half from all over the box, so that the
      critic is not asked about places it has never seen when the next policy goes there.
4.    B C(a) is the mean over a cloud of particles.

Line 19 compares values root by root.  A candidate defined by its critic cannot be taken at one root
and left at another, so the comparison is of the whole policies, from the start states and on the
same chance; an update is taken if it is better by more than ``CONFIDENT`` standard errors.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from solvers.continuous.baselines import AlwaysLook
from solvers.continuous.critic import Critic, Features, fit, fit_always_look
from solvers.continuous.model import ContinuousError, ContinuousSensingMDP, Step
from solvers.continuous.plans import ContinuousPolicy
from solvers.continuous.remember import remembered
from solvers.continuous.search import CloudPolicy, SearchPolicy, play
from solvers.continuous.simulate import Judgement, compare, judge

CONFIDENT = 1.0
"""Standard errors by which an update must be better to be taken."""


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


@dataclass
class SPIContinuous:
    """SPI on a simulator.

    roots : sampled for each critic; particles : of each cloud
    updates : most updates tried; episodes : simulated for each comparison
    max_steps : most blind steps in a row, all that matter if None
    features : hidden units of the critic
    """

    name = "spi-continuous"
    roots: int = 1000
    particles: int = 96
    updates: int = 8
    episodes: int = 300
    max_steps: int | None = None
    features: int = 120
    seed: int = 0
    record: list[Update] = field(default_factory=list, init=False)
    best: CloudPolicy | None = field(default=None, init=False)

    def solve(
        self, problem: ContinuousSensingMDP, budget: float = float("inf")
    ) -> ContinuousPolicy:
        """The best policy found within ``budget`` seconds; ``record`` says how it came about."""
        began, self.record = time.perf_counter(), []
        self._started, self._steps = time.process_time(), Counted(problem.step)
        problem, rng = replace(problem, step=self._steps), np.random.default_rng(self.seed)
        states, times = self.all_over(problem, self.roots, rng)
        V = fit_always_look(problem, states, times, rng, self.particles, self.features)
        self.best = AlwaysLook(problem, V, self.particles, seed=self.seed)
        best = remembered(problem, self.best)
        reference = judge(problem, best, self.episodes, self.seed)
        self._note(reference, (0.0, 0.0), True)
        for _ in range(self.updates):
            if time.perf_counter() - began > budget:
                break
            seed = int(rng.integers(2**31))
            search = SearchPolicy(problem, V, self.particles, self.max_steps, seed)
            candidate = remembered(problem, search)
            found = judge(problem, candidate, self.episodes, self.seed)
            difference = compare(found, reference)
            taken = difference[0] + CONFIDENT * difference[1] < 0
            self._note(found, difference, taken)
            if taken:
                self.best, best, reference = search, candidate, found
            elif not self.record[-2].taken:
                break
            V = self._critic(problem, candidate, found, rng)
        return best

    def as_json(self) -> dict[str, Any]:
        """The policy found, for :func:`policy_from_json`."""
        if self.best is None:
            raise ContinuousError("spi-continuous: there is no policy yet; call solve first")
        kept = {name: getattr(self.best, name) for name in ("particles", "max_steps", "seed")}
        looks = isinstance(self.best, AlwaysLook)
        return {"always_looks": looks, **kept, "critic": self.best.critic.as_json()}

    def _critic(
        self,
        problem: ContinuousSensingMDP,
        policy: ContinuousPolicy,
        found: Judgement,
        rng: np.random.Generator,
    ) -> Critic:
        """The critic of a policy, at roots of its own looks and from all over the box."""
        states, times = self.mixed_roots(problem, found, rng)
        plans = policy.plans(states, times)
        outcome = play(problem, plans, states, times, self.particles, rng)
        features = Features.draw(problem, states, times, rng, self.features)
        landing = outcome.weights[:, None] * features.mean(outcome.clouds, outcome.ends)
        landing[~plans.looks] = 0.0  # nothing that matters follows a plan without a look
        return fit(features, features.mean(states[:, None, :], times), outcome.costs, landing)

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


def policy_from_json(problem: ContinuousSensingMDP, kept: dict[str, Any]) -> ContinuousPolicy:
    """A policy that :meth:`SPIContinuous.as_json` described."""
    kind = AlwaysLook if kept["always_looks"] else SearchPolicy
    V = Critic.from_json(problem, kept["critic"])
    return kind(problem, V, kept["particles"], kept["max_steps"], kept["seed"])
