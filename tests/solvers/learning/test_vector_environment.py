"""Many episodes at once obey the rules of one."""

import numpy as np
import pytest

from bench import load_problem
from solvers import ModelError, SensingMDP
from solvers.learning import SensingVectorEnv


def run(num_envs: int, seed: int, steps: int = 60, **options):
    env = SensingVectorEnv(load_problem("frozen-lake-4x4"), num_envs, horizon=20, **options)
    rng = np.random.default_rng(0)
    first, _ = env.reset(seed=seed)
    record = [first]
    for _ in range(steps):
        actions = np.column_stack([rng.integers(4, size=num_envs), rng.integers(2, size=num_envs)])
        record.append(np.stack(env.step(actions)[:4]))
    return env, record


def test_a_seed_gives_the_same_episodes():
    for one, other in zip(run(50, 3)[1], run(50, 3)[1], strict=True):
        np.testing.assert_array_equal(one, other)


def test_another_seed_gives_others():
    assert any((a != b).any() for a, b in zip(run(50, 3)[1], run(50, 4)[1], strict=True))


def test_transitions_have_the_models_frequencies():
    problem = load_problem("frozen-lake-8x8")
    n = 40_000
    env = SensingVectorEnv(problem.with_start(9), n)
    env.reset(seed=1)
    seen, reward, _, _, info = env.step(np.tile([2, 1], (n, 1)))
    wanted = problem.transitions[2].toarray()[9]
    found = np.bincount(seen, minlength=problem.num_states + 1)[:-1] / n
    assert np.abs(found - wanted).max() < 4.5 * np.sqrt(0.25 / n)
    np.testing.assert_allclose(reward, -problem.costs[9, 2] - problem.sensing_costs()[9, 2])
    assert info["looked"].all() and (info["paid"] == problem.sensing_costs()[9, 2]).all()


def test_an_episode_that_is_over_begins_anew_at_the_next_step():
    T = [[[0.0, 1.0], [0.0, 1.0]]]
    problem = SensingMDP.from_arrays(T, [[2.0], [0.0]], 0.9, 0.5, terminal=[1], start=0)
    env = SensingVectorEnv(problem, 2, end_is_seen=True)
    env.reset(seed=0)
    seen, reward, over, _, _ = env.step([[0, 0], [0, 1]])
    assert seen.tolist() == [1, 1] and over.all() and reward.tolist() == [-2.0, -2.5]
    seen, reward, over, _, info = env.step([[0, 1], [0, 1]])
    assert seen.tolist() == [0, 0] and not over.any() and not reward.any()
    assert not info["paid"].any() and not info["looked"].any()


def test_what_it_cannot_take_is_said():
    problem = load_problem("two-state")
    with pytest.raises(ModelError, match="num_envs is 0"):
        SensingVectorEnv(problem, 0)
    with pytest.raises(ModelError, match="function of the belief"):
        SensingVectorEnv(problem.with_sensing_cost(lambda b, a: 1.0), 4)
    env = SensingVectorEnv(problem, 4)
    env.reset(seed=0)
    with pytest.raises(ValueError, match=r"expected \(4, 2\)"):
        env.step(np.zeros((3, 2)))
