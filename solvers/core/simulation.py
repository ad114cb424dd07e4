"""Seeded simulation of any policy, online planners with randomness included.

What the agent does depends only on what it has seen, so between looks the cost of a step may be
taken in expectation over the exact belief ``b`` instead of at a sampled hidden state:

    (a, blind)   costs  alpha^t  b C(a)              and leads to  b T(a)
    (a, sense)   costs  alpha^t (b C(a) + k(b, a))   and shows a state drawn from  b T(a)

Only looks are drawn.  The mean is the same as with a hidden state and the standard error never
larger; for sparse rewards it is smaller by orders of magnitude.  An episode ends when a look shows
a terminal state (the look is paid) or after ``max_steps``; until then the agent goes on.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

import numpy as np

from solvers.core.model import SensingMDP
from solvers.core.plan import checked_choice
from solvers.core.policy import Policy

TOLERANCE = 1e-6
"""What cutting an episode short may leave out, as a share of the cost scale over the horizon."""
BLOCK_ENTRIES = 2**22
"""Largest belief block (episodes × states) held at once: 32 MiB."""


@dataclass(frozen=True)
class Simulation:
    """Figures of the simulated episodes.

    Attributes
    ----------
    returns : (episodes,) discounted cost of each episode
    roots : (episodes,) the first state of each
    steps : steps of all episodes together; looks : how many of them looked
    discounted_steps, discounted_looks : the same, each discounted by when it happened
    truncation : at most this much is missing from a return because episodes are cut short
    """

    returns: np.ndarray
    roots: np.ndarray
    steps: int
    looks: int
    discounted_steps: float
    discounted_looks: float
    truncation: float

    @property
    def episodes(self) -> int:
        return len(self.returns)

    @property
    def mean(self) -> float:
        """Mean discounted cost: estimates the policy's value under ``start``."""
        return float(np.mean(self.returns))

    @property
    def standard_error(self) -> float:
        """Of the mean; infinite for a single episode, which says nothing about its spread."""
        if self.episodes < 2:
            return math.inf
        return float(np.std(self.returns, ddof=1) / math.sqrt(self.episodes))

    @property
    def sensing_rate(self) -> float:
        """The share of (discounted) steps that looked, as :class:`Evaluation` counts it."""
        return self.discounted_looks / self.discounted_steps if self.discounted_steps else 0.0


def simulate(
    problem: SensingMDP,
    policy: Policy,
    episodes: int = 1000,
    seed: int = 0,
    *,
    max_steps: int | None = None,
    seconds: float = math.inf,
    cut_after: float = math.inf,
) -> Simulation:
    """Simulate ``episodes`` episodes from states drawn from ``problem.start``.

    Parameters
    ----------
    seed : of the first states and of what looks show; a randomised policy has its own
    max_steps : length at which an episode is cut; as long as costs can matter when left out
    seconds : after this time no new block of episodes begins (for a randomised policy a block is
        one episode), but two episodes are always run, for the standard error
    cut_after : after this time even those end where they are; ``truncation`` counts what they lack
    """
    for name, given in (("episodes", episodes), ("max_steps", max_steps)):
        if given is not None and not given >= 1:
            raise ValueError(f"{name} is {given}; expected at least 1")
    limit = default_max_steps(problem) if max_steps is None else int(max_steps)
    rng = np.random.default_rng(seed)
    size = 1 if policy.randomised else max(1, BLOCK_ENTRIES // problem.num_states)
    began = time.perf_counter()
    totals = _Totals(limit, began + cut_after)
    roots, returns = [], []
    for first in range(0, episodes, size):
        now = time.perf_counter()
        if (first > 1 and now - began >= seconds) or (first and now >= totals.deadline):
            break
        count = min(size, episodes - first)
        drawn = rng.choice(problem.num_states, size=count, p=problem.start)
        roots.append(drawn)
        returns.append(_run_block(problem, policy, drawn, rng, totals))
    return Simulation(
        returns=np.concatenate(returns),
        roots=np.concatenate(roots),
        steps=totals.steps,
        looks=totals.looks,
        discounted_steps=totals.discounted_steps,
        discounted_looks=totals.discounted_looks,
        truncation=_left_out(problem, totals.shortest),
    )


def default_max_steps(problem: SensingMDP) -> int:
    """Steps after which what is left is below ``TOLERANCE`` of the cost of a whole episode."""
    most = _last_step(problem)
    if problem.discount < 1:
        most = min(most, math.ceil(math.log(TOLERANCE) / math.log(problem.discount)))
    elif not np.isfinite(most):  # each e-fold of the expected steps leaves 1/e of the episodes
        most = math.ceil(-math.log(TOLERANCE) * math.e * problem.longest_stay)
    return max(1, int(most))


def _last_step(problem: SensingMDP) -> float:
    """The step after which nothing can cost any more; inf if a look may still find the end."""
    return problem.remaining_steps.max() if problem.end_is_seen else np.inf


def _left_out(problem: SensingMDP, limit: int) -> float:
    """What an episode cut after ``limit`` steps may still have cost, at most."""
    if limit >= _last_step(problem):
        return 0.0
    return problem.discount**limit * _cost_scale(problem) * (problem.longest_stay + 1)


@dataclass
class _Totals:
    """max_steps : where an episode is cut; deadline : when it is; shortest : where one was."""

    max_steps: int
    deadline: float
    shortest: int = 0
    steps: int = 0
    looks: int = 0
    discounted_steps: float = 0.0
    discounted_looks: float = 0.0

    def __post_init__(self) -> None:
        self.shortest = self.max_steps


def _run_block(
    problem: SensingMDP,
    policy: Policy,
    roots: np.ndarray,
    rng: np.random.Generator,
    totals: _Totals,
) -> np.ndarray:
    """Run one episode from each of ``roots`` (n,) side by side; returns their costs (n,)."""
    returns = np.zeros(len(roots))
    who = np.flatnonzero(~problem.terminal[roots])  # episodes still running
    seen, age = roots[who].copy(), np.zeros(len(who), int)  # root last seen, blind steps since
    beliefs = np.zeros((len(who), problem.num_states))
    beliefs[np.arange(len(who)), seen] = 1.0
    up_to_end = problem.end_is_seen or problem.discount == 1
    for t in range(totals.max_steps):
        if not len(who):
            break
        if t and time.perf_counter() >= totals.deadline:
            totals.shortest = min(totals.shortest, t)
            break
        scale = problem.discount**t
        actions, looks = _choose(problem, policy, seen, age, beliefs)
        returns[who] += scale * np.einsum("ns,sn->n", beliefs, problem.costs[:, actions])
        totals.steps += len(who)
        awake = beliefs @ ~problem.terminal if up_to_end else np.ones(len(who))
        totals.discounted_steps += scale * float(awake.sum())
        paying = np.flatnonzero(looks)
        if len(paying):
            k = problem.sensing_cost_at(beliefs[paying])
            returns[who[paying]] += scale * k[np.arange(len(paying)), actions[paying]]
            totals.looks += len(paying)
            totals.discounted_looks += scale * float(awake[paying].sum())
        beliefs = problem.step(beliefs, actions)
        age += 1
        if len(paying):
            shown = _draw(beliefs[paying], rng)
            seen[paying], age[paying] = shown, 0
            beliefs[paying] = 0.0
            beliefs[paying, shown] = 1.0
            on = ~(looks & problem.terminal[seen])
            if not on.all():
                who, seen, age, beliefs = who[on], seen[on], age[on], beliefs[on]
    return returns


def _choose(
    problem: SensingMDP, policy: Policy, seen: np.ndarray, age: np.ndarray, beliefs: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Action and look of each running episode; a deterministic policy is asked once per belief."""
    actions, looks = np.empty(len(seen), int), np.empty(len(seen), bool)
    for depth in np.unique(age):
        rows = np.flatnonzero(age == depth)
        if policy.randomised:
            asked, back = rows, np.arange(len(rows))
        else:
            # The same root and the same number of blind steps since: the same belief.
            _, first, back = np.unique(seen[rows], return_index=True, return_inverse=True)
            asked = rows[first]
        chosen = policy.step(seen[asked], int(depth), beliefs[asked])
        a, look = checked_choice(chosen, problem.num_actions, problem.name, seen[asked], int(depth))
        actions[rows], looks[rows] = a[back], look[back]
    return actions, looks


def _draw(beliefs: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """One state from each belief: (n, S) -> (n,)."""
    cumulative = np.cumsum(beliefs, axis=1)
    points = rng.random(len(beliefs)) * cumulative[:, -1]
    # Strictly above the point, so a state of probability 0 is never drawn.
    return np.argmax(cumulative > points[:, None], axis=1)


def _cost_scale(problem: SensingMDP) -> float:
    return float(np.abs(problem.costs).max()) + problem.max_sensing_cost
