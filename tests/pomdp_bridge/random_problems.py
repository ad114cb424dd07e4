"""Random sensing-cost MDPs and plans for the tests of the bridge."""

from __future__ import annotations

import numpy as np

from solvers import Plan, PlanPolicy, SensingMDP

SHAPES = ("number", "per action", "per state and action")


def random_problem(seed: int, S: int = 6, A: int = 3, sensing: str = "number") -> SensingMDP:
    """Sparse random transitions, costs of both signs, the last state terminal."""
    rng = np.random.default_rng(seed)
    T = rng.random((A, S, S)) * (rng.random((A, S, S)) < 0.6)
    T[:, np.arange(S), rng.integers(0, S, S)] += 0.1
    T[:, -1] = np.eye(S)[-1]
    T /= T.sum(axis=2, keepdims=True)
    C = rng.normal(size=(S, A))
    C[-1] = 0.0
    k = {"number": 0.3, "per action": rng.random(A), "per state and action": rng.random((S, A))}
    start = np.append(rng.dirichlet(np.ones(S - 1)), 0.0)
    return SensingMDP.from_arrays(
        T, C, 0.8, k[sensing], start=start, terminal=[S - 1], name=f"random {seed}"
    )


def random_plans(problem: SensingMDP, seed: int) -> PlanPolicy:
    """A plan of one to five actions with a look at its end from each live root."""
    rng = np.random.default_rng(seed)
    plans = [
        Plan((), False)
        if problem.terminal[s]
        else Plan(tuple(map(int, rng.integers(0, problem.num_actions, rng.integers(1, 6)))), True)
        for s in range(problem.num_states)
    ]
    return PlanPolicy(problem, plans)


def same_model(one: SensingMDP, other: SensingMDP) -> None:
    """Assert that two models are the same, up to the last bit of a renormalised probability."""
    assert one.num_actions == other.num_actions
    for T, U in zip(one.transitions, other.transitions, strict=True):
        assert np.abs(T.toarray() - U.toarray()).max() <= 1e-15
    np.testing.assert_allclose(other.costs, one.costs, rtol=0, atol=0)
    np.testing.assert_allclose(other.sensing_cost, one.sensing_cost, rtol=1e-12, atol=1e-13)
    assert np.shape(one.sensing_cost) == np.shape(other.sensing_cost)
    np.testing.assert_allclose(other.start, one.start, rtol=0, atol=1e-15)
    assert one.discount == other.discount
    assert (one.terminal == other.terminal).all()
    assert (one.name, one.state_names, one.action_names) == (
        other.name,
        other.state_names,
        other.action_names,
    )
