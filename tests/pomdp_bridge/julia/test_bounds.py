"""The repaired FIB bound holds for any vectors, converged or not."""

import numpy as np
import pytest

from pomdp_bridge.export import flatten
from pomdp_bridge.julia.bounds import fib_backup, fib_lower_bound
from solvers import AlphaVectorPolicy, solve
from tests.pomdp_bridge.random_problems import SHAPES, random_problem


def policy_of(problem, alphas):
    A = problem.num_actions
    return AlphaVectorPolicy(problem, alphas, np.arange(2 * A) % A, np.arange(2 * A) >= A)


def plain_backup(problem, alphas):
    """The textbook FIB backup over the exported T, O and R, observation by observation."""
    pomdp = flatten(problem)
    new = np.empty_like(alphas)
    for a in range(pomdp.num_actions):
        T, shown = pomdp.transition(a).toarray(), pomdp.observation(a).toarray()
        for s in range(pomdp.num_states):
            best = sum(
                max(-alphas[b] @ (T[s] * shown[:, o]) for b in range(len(alphas)))
                for o in range(pomdp.num_observations)
            )
            new[a, s] = -(pomdp.rewards[s, a] + problem.discount * best)
    return new


@pytest.mark.parametrize("sensing", SHAPES)
def test_the_structured_backup_is_the_textbook_one(sensing):
    problem = random_problem(5, sensing=sensing)
    alphas = np.random.default_rng(5).normal(size=(2 * problem.num_actions, problem.num_states))
    np.testing.assert_allclose(
        fib_backup(problem, alphas), plain_backup(problem, alphas), atol=1e-13
    )


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("rounds", [0, 1, 3, 30, 300])
def test_the_bound_holds_however_early_it_is_stopped(seed, rounds):
    problem = random_problem(seed)
    alphas = np.zeros((2 * problem.num_actions, problem.num_states))
    for _ in range(rounds):
        alphas = fib_backup(problem, alphas)
    bound, residual = fib_lower_bound(problem, policy_of(problem, alphas))
    assert (bound <= solve(problem, "always-sense").values + 1e-12).all()
    if rounds == 300:
        assert residual < 1e-12
