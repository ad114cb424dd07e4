"""The environment pays and shows what the model says."""

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from bench import load_problem
from bench.problems import problems
from solvers import ModelError, SensingMDP, evaluate, solve
from solvers.learning import SensingEnv, SensingVectorEnv

TEN = (
    "frozen-lake-4x4",
    "frozen-lake-8x8",
    "taxi",
    "inventory",
    "two-state",
    "two-state-b",
    "measuring-value",
    "semi-slippery-4x4",
    "lucky-unlucky",
    "sepsis-nam",
)
LARGE = 5000
"""States above which a problem takes too long to build for every run of the tests."""


def fast_ids():
    return [p.id for p in problems().values() if p.size is None or p.size[0] <= LARGE]


@pytest.mark.parametrize("problem_id", fast_ids())
def test_check_env_accepts_every_problem(problem_id):
    check_env(SensingEnv(load_problem(problem_id)), skip_render_check=True)


@pytest.mark.slow
@pytest.mark.parametrize("problem_id", sorted(set(problems()) - set(fast_ids())))
def test_check_env_accepts_the_largest_problems(problem_id):
    check_env(SensingEnv(load_problem(problem_id)), skip_render_check=True)


def plan_returns(problem: SensingMDP, plans, episodes: int, horizon: int, seed: int) -> np.ndarray:
    """Discounted returns of following a plan per root, in the vectorised environment."""
    env = SensingVectorEnv(problem, episodes, horizon=horizon)
    length = max(len(p.actions) for p in plans) or 1
    table = np.zeros((problem.num_states, length), int)
    last = np.zeros(problem.num_states, int)
    for s, plan in enumerate(plans):
        table[s, : len(plan.actions)] = plan.actions
        last[s] = max(len(plan.actions) - 1, 0)
    senses = np.array([p.senses for p in plans])
    root, _ = env.reset(seed=seed)
    depth, total = np.zeros(episodes, int), np.zeros(episodes)
    going = ~problem.terminal[root]
    for t in range(horizon):
        actions = table[root, np.minimum(depth, last[root])]
        looks = senses[root] & (depth >= last[root])
        seen, reward, over, cut, _ = env.step(np.column_stack([actions, looks]))
        total += going * problem.discount**t * reward
        going &= ~(over | cut)
        new = seen < problem.num_states
        root, depth = np.where(new, seen, root), np.where(new, 0, depth + 1)
        if not going.any():
            break
    return total


@pytest.mark.parametrize("problem_id", TEN)
def test_the_mean_return_is_the_exact_value(problem_id):
    problem = load_problem(problem_id)
    solver = {"options": {"max_iterations": 2}, "solver": "spi"}
    policy = solve(problem, solver["solver"], **solver["options"]).policy
    exact = -float(problem.start @ evaluate(problem, policy))
    left = np.log(1e-7) / np.log(problem.discount) if problem.discount < 1 else 100
    returns = plan_returns(problem, policy.plans, 20_000, int(np.ceil(left)), seed=7)
    error = returns.std() / np.sqrt(len(returns))
    scale = np.abs(problem.costs).max() + problem.max_sensing_cost
    assert abs(returns.mean() - exact) <= 4.5 * error + 1e-6 * scale


def two_rooms(**options) -> SensingMDP:
    """From 0 one steps to the end, 1, for a cost of 2; a look costs 0.5."""
    T = [[[0.0, 1.0], [0.0, 1.0]]]
    return SensingMDP.from_arrays(T, [[2.0], [0.0]], 0.9, 0.5, terminal=[1], start=0, **options)


def test_an_unseen_end_goes_on_until_a_look_finds_it():
    env = SensingEnv(two_rooms(), horizon=3)
    assert env.reset(seed=0)[0] == 0
    assert env.step((0, 0)) == (2, -2.0, False, False, {"looked": False, "paid": 0.0, "cost": 2.0})
    assert env.step((0, 1))[:4] == (1, -0.5, True, False)


def test_a_seen_end_is_the_end():
    env = SensingEnv(two_rooms(end_is_seen=True))
    env.reset(seed=0)
    assert env.step((0, 0))[:4] == (1, -2.0, True, False)


def test_the_horizon_cuts_an_episode():
    env = SensingEnv(two_rooms(), horizon=2)
    env.reset(seed=0)
    assert env.step((0, 0))[2:4] == (False, False)
    assert env.step((0, 0))[2:4] == (False, True)


def test_a_price_that_depends_on_the_belief_is_asked_at_the_belief():
    T = [[[0.5, 0.5], [0.5, 0.5]]]
    problem = SensingMDP.from_arrays(T, [[0.0], [0.0]], 0.9, lambda b, a: float(b.max()), start=0)
    env = SensingEnv(problem)
    env.reset(seed=3)
    assert env.step((0, 1))[4]["paid"] == 1.0
    env.step((0, 0))
    assert env.step((0, 1))[4]["paid"] == 0.5


@pytest.mark.parametrize("horizon", [0, 2.5, -1])
def test_a_horizon_that_is_none_is_refused(horizon):
    with pytest.raises(ModelError, match="horizon is"):
        SensingEnv(two_rooms(), horizon=horizon)
