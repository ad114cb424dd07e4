"""Training: a learner, an environment, and checkpoints counted in environment steps.

``train`` runs the loop and stops at every checkpoint.  There it yields what has happened since the
last one, and the learner's greedy policy at that moment, which is valued exactly:

    V = evaluate(problem, PlanPolicy(problem, plans)),   regret = start · V - optimal cost

The return of the training episodes is kept beside it, because that is what papers plot: the sum of
rewards less the price of the looks, mostly without discount, with all exploration in it.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from solvers.core.model import SensingMDP
from solvers.core.policy import Plan
from solvers.learning.environment import SensingEnv
from solvers.learning.learner import Learner, LearnerError, Task


@dataclass(frozen=True)
class Checkpoint:
    """What there is to know of a run at one moment.

    step : environment steps so far; looks : how many of them looked
    seconds : processor seconds of the learner so far, checkpoints included
    returns, lengths : of the training episodes that ended since the last checkpoint
    plans : the greedy policy, one plan per state
    """

    step: int
    looks: int
    seconds: float
    returns: np.ndarray
    lengths: np.ndarray
    plans: list[Plan]


def task_of(env: SensingEnv, steps: int, max_return: float | None = None) -> Task:
    """The task that an environment sets; ``max_return`` is the best reward for ever if left out."""
    problem = env.problem
    return Task(
        num_states=problem.num_states,
        num_actions=problem.num_actions,
        discount=problem.discount,
        price=one_price(problem),
        steps=int(steps),
        max_return=_largest_return(problem) if max_return is None else float(max_return),
        end_is_seen=env.end_is_seen,
    )


def one_price(problem: SensingMDP) -> float:
    """The price of a look where it is the same in every state that is not terminal."""
    prices = np.unique(problem.sensing_costs()[~problem.terminal])
    if len(prices) > 1:
        raise LearnerError(
            f"{problem.name}: looks have different prices ({prices[0]:g} to {prices[-1]:g}); "
            "learners take problems with one price"
        )
    return float(prices[0])


def _largest_return(problem: SensingMDP) -> float:
    best = -float(problem.costs[~problem.terminal].min())
    return best / (1 - problem.discount) if problem.discount < 1 else best


def train(
    env: SensingEnv,
    learner: Learner,
    task: Task,
    checkpoints: Sequence[int],
    *,
    seed: int = 0,
    max_looks: int | None = None,
    discounted: bool = False,
) -> Iterator[Checkpoint]:
    """Train for ``task.steps`` steps and yield a :class:`Checkpoint` at each of ``checkpoints``.

    seed : of the environment and of the learner, which get generators of their own
    max_looks : the run is over when these are used up; its last checkpoint is then
    discounted : count the returns of training episodes with the task's discount
    """
    world, mind = np.random.SeedSequence(seed).spawn(2)
    stops = sorted({min(int(c), task.steps) for c in checkpoints} | {task.steps})
    state, _ = env.reset(seed=int(world.generate_state(1)[0]))
    spent = time.process_time()
    learner.begin(task, np.random.default_rng(mind))
    learner.start(state)
    seconds, spent = time.process_time() - spent, time.process_time()
    total, length, looks = 0.0, 0, 0
    returns: list[float] = []
    lengths: list[int] = []
    for step in range(1, task.steps + 1):
        action, look = learner.act()
        seen, reward, terminated, truncated, info = env.step((action, look))
        total += reward * (task.discount**length if discounted else 1.0)
        length, looks = length + 1, looks + look
        learner.learn(None if seen == env.nothing_seen else seen, -info["cost"], terminated)
        if terminated or truncated:
            returns.append(total)
            lengths.append(length)
            total, length = 0.0, 0
            learner.start(env.reset()[0])
        last = max_looks is not None and looks >= max_looks
        if step == stops[0] or last:
            stops = [s for s in stops if s > step]
            plans = learner.plans()
            seconds += time.process_time() - spent
            yield Checkpoint(step, looks, seconds, np.array(returns), np.array(lengths), plans)
            spent = time.process_time()
            returns, lengths = [], []
        if last:
            return
