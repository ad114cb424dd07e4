"""Hold against all policies of its kind, and against methods that bound it from either side."""

from itertools import product

import numpy as np
import pytest

from bench import load_problem
from solvers import SensingMDP, SolverError, solve


def random_model(seed, discount=0.8):
    rng = np.random.default_rng(seed)
    T = rng.dirichlet(np.full(3, 0.5), size=(2, 3))
    k = float(rng.uniform(0.02, 0.5))
    return SensingMDP.from_arrays(T, rng.random((3, 2)), discount, k)


def best_by_enumeration(model, most):
    """The least value at each root over all maps from roots to (action, steps or for good)."""
    alpha, S = model.discount, model.num_states
    options = [[] for _ in range(S)]
    for s in range(S):
        for a in range(model.num_actions):
            T, belief, cost = model.transitions[a].toarray(), np.eye(S)[s], 0.0
            for n in range(most):
                cost += alpha**n * belief @ model.costs[:, a]
                belief = belief @ T
                look = alpha**n * model.sensing_cost
                options[s].append((cost + look, alpha ** (n + 1) * belief))
            forever = np.linalg.solve(np.eye(S) - alpha * T, model.costs[:, a])[s]
            options[s].append((forever, np.zeros(S)))
    best = np.full(S, np.inf)
    for chosen in product(*options):
        c, P = np.array([c for c, _ in chosen]), np.array([p for _, p in chosen])
        best = np.minimum(best, np.linalg.solve(np.eye(S) - P, c))
    return best


@pytest.mark.parametrize("seed", range(6))
def test_it_is_the_best_of_all_policies_of_its_kind(seed):
    model = random_model(seed)
    found = solve(model, "hold")
    best = best_by_enumeration(model, most=8)
    assert (found.values <= best + 1e-9).all()
    longest = max(len(found.policy.plan(s).actions) for s in range(3))
    assert longest > 8 or found.values == pytest.approx(best)


@pytest.mark.parametrize(
    ("problem_id", "k"),
    [("inventory", 0.2), ("frozen-lake-4x4", 0.01), ("machine-repair", 0.05), ("inspection", 0.1)],
)
def test_it_lies_between_always_sensing_and_the_optimum(problem_id, k):
    model = load_problem(problem_id, k)
    found = solve(model, "hold")
    for root in np.flatnonzero(~model.terminal):
        assert len(set(found.policy.plan(root).actions)) == 1
    always = solve(model, "always-sense")
    optimum = solve(model, "dips", budget=20)
    assert (found.values <= always.values + 1e-9).all()
    assert optimum.value <= found.value + 1e-9
    assert (found.lower_bound <= found.values + 1e-9).all()


def test_it_sees_far_where_the_discount_is_near_one():
    # A state that is left after about 200 steps, and where being late is dear: one holds long.
    T = np.array([[[0.995, 0.005], [0, 1]], [[1, 0], [1, 0]]], float)
    model = SensingMDP.from_arrays(T, [[0.0, 5.0], [1.0, 5.0]], 0.999, 2.0, start=[1, 0])
    found = solve(model, "hold")
    assert len(found.policy.plan(0).actions) > 15 and found.policy.plan(0).senses
    assert found.values[0] < solve(model, "always-sense").values[0]


def test_an_undiscounted_problem_of_some_steps():
    # Going back and forward again are two actions: each of the 0.25 returns needs a look more.
    found = solve(load_problem("measuring-value", 0.05), "hold")
    assert -found.value == pytest.approx(1 - (1.25 + 0.25) * 0.05, abs=1e-9)
    blind = load_problem("measuring-value@end_is_seen=false", 0.3)
    assert -solve(blind, "hold").value == pytest.approx(0.8, abs=1e-9)


def test_it_refuses_a_cost_that_is_a_function():
    model = random_model(0).with_sensing_cost(lambda belief, action: 1 - belief.max())
    with pytest.raises(SolverError, match="number or an array"):
        solve(model, "hold")
