"""Every problem is a registered environment."""

import gymnasium
import numpy as np

from bench.learning.environments import environment_id, register_environments
from bench.problems import problems
from solvers.learning import SensingEnv, SensingVectorEnv


def test_every_problem_is_registered_once():
    ids = register_environments()
    assert len(set(ids)) == len(ids) == len(problems())
    assert {environment_id(p) for p in problems()} <= set(gymnasium.registry)


def test_make_gives_the_problem_with_its_price():
    env = gymnasium.make("sensebench/frozen-lake-4x4-v0", sensing_cost=0.02, horizon=5)
    assert isinstance(env.unwrapped, SensingEnv)
    env.reset(seed=0)
    assert env.step(np.array([1, 1]))[4]["paid"] == 0.02
    assert env.unwrapped.horizon == 5


def test_make_vec_gives_the_vectorised_form():
    env = gymnasium.make_vec(
        "sensebench/taxi-v0", num_envs=3, vectorization_mode="vector_entry_point"
    )
    assert isinstance(env.unwrapped, SensingVectorEnv)
    assert env.reset(seed=0)[0].shape == (3,)
