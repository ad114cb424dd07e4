import numpy as np

from solvers import AlphaVectorPolicy, Plan, PlanPolicy, SensingMDP, evaluate
from solvers.core.evaluation import evaluate_fully
from solvers.core.strides import LENGTH


def nearly_deterministic(seed, alpha, S=3, A=2):
    chance = np.random.default_rng(seed)
    T = 0.99 * np.eye(S)[chance.integers(S, size=(A, S))]
    T += 0.01 * chance.dirichlet(np.ones(S), size=(A, S))
    C = chance.normal(size=(S, A))
    return SensingMDP.from_arrays(T, C, alpha, 1.0), T, C


def test_a_walk_that_never_repeats_costs_what_its_single_steps_cost():
    """Against a sum written out in longer numbers, within the error that is stated."""
    alpha, changes = 0.999, 0
    for seed in range(6):
        problem, T, C = nearly_deterministic(seed, alpha)
        vectors = np.random.default_rng(seed).normal(size=(2, 3))
        policy = AlphaVectorPolicy(problem, vectors, np.arange(2), np.zeros(2, bool))
        found = evaluate_fully(problem, policy)
        for root in range(3):
            b, total, weight, last = np.eye(3)[root], np.longdouble(0), np.longdouble(1), -1
            while weight > 1e-17:
                a = int(np.argmin(b @ vectors.T))
                total, weight = total + weight * np.longdouble(b @ C[:, a]), weight * alpha
                changes, last, b = changes + (a != last), a, b @ T[a]
            off = abs(float(total) - found.values[root])
            assert off <= found.error[root] + 1e-13 * abs(float(total))
            assert found.error[root] <= 1e-7 * max(1.0, abs(found.values[root]))
    assert changes > LENGTH  # else they all settled


def test_a_look_after_many_steps_is_found_where_it_is():
    """The state leaks away so slowly that the look comes after several strides."""
    T = np.array([[[1 - 1e-4, 1e-4], [0.0, 1.0]], [[1.0, 0.0], [1.0, 0.0]]])
    C = np.array([[0.0, 3.0], [1.0, 3.0]])
    problem = SensingMDP.from_arrays(T, C, 0.9999, 0.5)
    vectors = np.array([[0.0, 1.0], [0.3, 0.3]])  # look once 0.3 has leaked away
    policy = AlphaVectorPolicy(problem, vectors, np.array([0, 1]), np.array([False, True]))
    left, steps = 1.0, 0
    while 1 - left < 0.3:
        left, steps = left * (1 - 1e-4), steps + 1
    assert steps > 3 * LENGTH
    plans = [Plan((0,) * steps + (1,), True), Plan((1,), True)]
    exact = evaluate(problem, PlanPolicy(problem, plans))
    np.testing.assert_allclose(evaluate(problem, policy), exact, rtol=1e-9)
    assert policy.plan(0) == plans[0]
