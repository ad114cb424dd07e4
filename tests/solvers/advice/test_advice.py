"""Every number of an advice, recomputed in another way."""

from functools import cache
from itertools import product

import numpy as np
import pytest

from bench import load_problem
from solvers import SensingMDP, SolverError, advise, solve, solver_classes
from solvers.advice import advice as advice_module
from solvers.advice.price import priced
from solvers.advice.robustness import perturbed


def pump() -> SensingMDP:
    """Three states of one's own: a pump that wears."""
    T = [[[0.8, 0.2, 0], [0, 0.7, 0.3], [0, 0, 1]], [[1, 0, 0], [0.9, 0.1, 0], [0.6, 0, 0.4]]]
    costs = [[0, 1.0], [0.4, 1.2], [2, 1.8]]
    return SensingMDP.from_arrays(np.array(T), costs, 0.95, 0.15, start=[1, 0, 0], name="pump")


@cache
def advised(name: str):
    model = pump() if name == "pump" else load_problem(name)
    return model, advise(model, budget=120)


CASES = ("pump", "inventory", "lucky-unlucky@end_is_seen=false,discount=0.95", "machine-repair")


def by_hand(model, plans, free_looks=False):
    """Value, looks and steps of plans at each root, and how often each root is seen from start."""
    S, alpha = model.num_states, model.discount
    k = 0.0 if free_looks else model.max_sensing_cost
    cost, looks, steps, P = np.zeros(S), np.zeros(S), np.zeros(S), np.zeros((S, S))
    for root in np.flatnonzero(~model.terminal):
        belief, plan = np.eye(S)[root], plans[root]
        length = len(plan.actions) if plan.senses else 1500
        for m in range(length):
            a = plan.actions[min(m, len(plan.actions) - 1)]
            cost[root] += alpha**m * belief @ model.costs[:, a]
            steps[root] += alpha**m
            belief = belief @ model.transitions[a].toarray()
        if plan.senses:
            cost[root] += alpha ** (length - 1) * k
            looks[root] += alpha ** (length - 1)
            P[root] = alpha**length * np.where(model.terminal, 0.0, belief)
    inverse = np.linalg.inv(np.eye(S) - P)
    return inverse @ cost, inverse @ looks, inverse @ steps, model.start @ inverse


@pytest.mark.parametrize("name", CASES)
def test_value_looks_steps_and_visits(name):
    model, advice = advised(name)
    value, looks, steps, seen = by_hand(model, advice.policy.plans)
    assert advice.value == pytest.approx(model.start @ value)
    assert advice.looks == pytest.approx(model.start @ looks, abs=1e-9)
    assert advice.steps == pytest.approx(model.start @ steps)
    assert advice.rate == pytest.approx(advice.looks / advice.steps)
    for s in advice.states:
        assert s.visits == pytest.approx(seen[s.state], abs=1e-9)
        assert s.value == pytest.approx(value[s.state])
        assert s.plan == advice.policy.plans[s.state] and s.name == model.state_names[s.state]
    assert [s.visits for s in advice.states] == sorted(s.visits for s in advice.states)[::-1]


@pytest.mark.parametrize("name", CASES)
def test_always_never_and_free_by_value_iteration(name):
    model, advice = advised(name)
    live = ~model.terminal
    T = np.stack([t.toarray() for t in model.transitions])
    free, never = np.zeros(model.num_states), np.zeros((model.num_states, model.num_actions))
    for _ in range(1500):
        free = np.where(live, (model.costs + model.discount * (T @ free).T).min(axis=1), 0.0)
        never = model.costs + model.discount * np.einsum("ast,ta->sa", T, never)
    assert advice.free == pytest.approx(model.start @ free)
    assert advice.never == pytest.approx(model.start @ never.min(axis=1))
    acts = (model.costs + model.discount * (T @ free).T).argmin(axis=1)
    always = np.zeros(model.num_states)
    for _ in range(1500):
        ahead = np.array([T[a, s] @ always for s, a in enumerate(acts)])
        paid = model.costs[range(len(acts)), acts] + model.max_sensing_cost
        always = np.where(live, paid + model.discount * ahead, 0.0)
    assert advice.always == pytest.approx(model.start @ always)
    assert advice.lower <= advice.value + 1e-9
    assert advice.gap == pytest.approx((advice.value - advice.lower) / abs(advice.value), abs=1e-9)


@pytest.mark.parametrize("name", CASES)
def test_a_look_is_worth_what_writing_out_plans_says(name):
    """Against all plans of up to six steps whose first step is blind, and blind ones for good."""
    model, advice = advised(name)
    value = by_hand(model, advice.policy.plans)[0]
    ahead = np.where(model.terminal, 0.0, value)
    S, A, alpha, k = model.num_states, model.num_actions, model.discount, model.max_sensing_cost
    T = [t.toarray() for t in model.transitions]
    for_good = [np.linalg.solve(np.eye(S) - alpha * T[a], model.costs[:, a]) for a in range(A)]
    for s in advice.states:
        best = np.inf
        for length in range(2, 7 if A < 4 else 5):
            for actions in product(range(A), repeat=length):
                belief, cost = np.eye(S)[s.state], 0.0
                for m, a in enumerate(actions):
                    cost += alpha**m * belief @ model.costs[:, a]
                    belief = belief @ T[a]
                look = cost + alpha ** (length - 1) * k + alpha**length * belief @ ahead
                on = cost + alpha**length * min(belief @ v for v in for_good)
                best = min(best, look, on)
        free = min(model.costs[s.state, a] + alpha * T[a][s.state] @ ahead for a in range(A))
        # The plan itself may be longer than those written out, and so better.
        assert s.look_worth <= max(best - free, 0.0) + 1e-9
        if len(s.plan.actions) <= 2:
            assert s.look_worth == pytest.approx(max(best - free, 0.0), abs=1e-6)


@pytest.mark.parametrize("name", CASES)
def test_prices_are_a_lower_envelope_and_true_optima(name):
    model, advice = advised(name)
    prices = advice.prices
    for line in prices.lines:
        half = by_hand(priced(model, 0.5), line.plans)[0] @ model.start
        dear = by_hand(priced(model, 4.0), line.plans)[0] @ model.start
        assert (line.at(0.5), line.at(4.0)) == pytest.approx((half, dear), abs=1e-7)
    for m, left, right in zip(prices.changes, prices.lines[:-1], prices.lines[1:], strict=True):
        assert left.at(m) == pytest.approx(right.at(m), abs=1e-9) and left.slope > right.slope
    for m in (0.03, 0.4, 0.9, 2.0, 7.0):
        best = min(line.at(m) for line in prices.lines)
        found = solve(priced(model, m), "dips", budget=5)
        lower = model.start @ found.lower_bound
        assert best >= lower - 1e-9
        assert not prices.finished or best == pytest.approx(found.value, rel=2e-4, abs=1e-5)


def test_always_looking_ends_where_it_is_said_to():
    model, advice = advised("pump")
    at, proven = advice.prices.break_even, advice.prices.always_proven
    assert at == pytest.approx(proven, rel=1e-6)
    below, above = priced(model, 0.98 * at), priced(model, 1.02 * at)
    always = [solve(m, "always-sense").value for m in (below, above)]
    best = [solve(m, "dips").value for m in (below, above)]
    assert always[0] == pytest.approx(best[0], abs=1e-6) and always[1] > best[1] + 1e-6


def test_a_wrong_model_by_hand():
    model, advice = advised("pump")
    for level in advice.robustness:
        values = []
        for seed in range(level.drawn):
            other = perturbed(model, level.noise, seed)
            assert all(abs(t.sum(axis=1) - 1).max() < 1e-12 for t in other.transitions)
            values.append(by_hand(other, advice.policy.plans)[0] @ model.start)
        assert level.mean == pytest.approx(np.mean(values))
        assert (level.best, level.worst) == pytest.approx((min(values), max(values)))
        best = solve(perturbed(model, level.noise, 0), "dips").value
        assert level.replanned == pytest.approx(min(best, values[0]), abs=1e-5)
        assert level.regret == pytest.approx((values[0] - level.replanned) / abs(values[0]))


def test_a_cost_that_is_a_function_is_refused():
    with pytest.raises(SolverError, match="function of the belief"):
        advise(pump().with_sensing_cost(lambda belief, action: 1.0))


def test_compiling_is_not_charged_to_the_advice(monkeypatch):
    """The first use of all compiles for as long as a budget; on a slow machine nothing was left."""
    order = []
    for name in ("dips", "spi"):
        cls = solver_classes()[name]
        monkeypatch.setattr(cls, "warm_up", classmethod(lambda cls: order.append("compile")))
    real = advice_module.Budget
    monkeypatch.setattr(advice_module, "Budget", lambda s: order.append("clock") or real(s))
    advise(pump(), budget=15)
    assert order[:3] == ["compile", "compile", "clock"]
