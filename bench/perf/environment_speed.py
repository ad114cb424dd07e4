"""How fast the environments are: steps a second on one core."""

from __future__ import annotations

import time

import numpy as np

from bench.problems import load_problem
from solvers.learning import SensingEnv, SensingVectorEnv

STEPS = 4_000_000
EPISODES = 1024


def environment_speed(problem_id: str = "frozen-lake-4x4", steps: int = STEPS) -> dict[str, float]:
    """Steps a second, in processor time, of the vectorised and of the plain environment."""
    problem = load_problem(problem_id)
    many = SensingVectorEnv(problem, EPISODES, horizon=100)
    many.reset(seed=0)
    actions = np.column_stack([np.arange(EPISODES) % problem.num_actions, np.arange(EPISODES) % 2])
    many.step(actions)  # compiled here
    rounds = max(1, steps // EPISODES)
    began = time.process_time()
    for _ in range(rounds):
        many.step(actions)
    vectorised = rounds * EPISODES / (time.process_time() - began)
    one = SensingEnv(problem, horizon=100)
    one.reset(seed=0)
    rounds = max(1, steps // 40)
    began = time.process_time()
    for i in range(rounds):
        _, _, over, cut, _ = one.step((i % problem.num_actions, i % 2))
        if over or cut:
            one.reset()
    return {
        "vectorised_steps_per_second": vectorised,
        "plain_steps_per_second": rounds / (time.process_time() - began),
    }
