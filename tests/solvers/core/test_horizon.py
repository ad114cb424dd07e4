"""Problems of H steps and of an end that is seen, against recursions on the plain model."""

import numpy as np
import pytest

from bench import load_problem
from solvers import ModelError, Plan, PlanPolicy, SensingMDP, evaluate, evaluate_fully, solve


def random_model(seed: int, k: float = 0.05, **rest) -> SensingMDP:
    rng = np.random.default_rng(seed)
    T = rng.dirichlet(np.full(4, 0.4), size=(2, 4))
    T[:, 3] = np.eye(4)[3]
    costs = rng.normal(size=(4, 2))
    costs[3] = 0
    return SensingMDP.from_arrays(T, costs, 0.9, k, terminal=[3], start=np.eye(4)[0], **rest)


def optimum_when_told_the_end(model: SensingMDP, k: float, horizon: int, alpha: float) -> float:
    """Optimal cost of H steps for an agent that is told at once when the episode ends.

    Its belief is always over live states; what ends drops out; a look pays k while live.
    """
    T = [matrix.toarray() for matrix in model.transitions]

    def best(belief, left):
        if left == 0:
            return 0.0
        found = []
        for a, matrix in enumerate(T):
            after = np.where(model.terminal, 0.0, belief @ matrix)
            alive = after.sum()
            cost = belief @ model.costs[:, a]
            blind = alpha * alive * best(after / alive, left - 1) if alive > 0 else 0.0
            seen = [alpha * p * best(np.eye(4)[s], left - 1) for s, p in enumerate(after) if p > 0]
            found += [cost + blind, cost + k + sum(seen)]
        return min(found)

    return best(model.start, horizon)


@pytest.mark.parametrize("alpha", [0.9, 1.0])
@pytest.mark.parametrize("seed", range(4))
def test_the_optimum_of_h_steps_with_a_seen_end(seed, alpha):
    k, horizon = 0.05, 4
    model = random_model(seed, k, end_is_seen=True)
    exact = optimum_when_told_the_end(model, k, horizon, alpha)
    found = solve(model.with_horizon(horizon, alpha), "truncation", depth=horizon)
    assert found.value == pytest.approx(exact, abs=1e-9)


def test_layers_hold_only_what_can_be_reached_and_count_down():
    model = random_model(0).with_horizon(6)
    steps = np.array([int(n.rsplit(" ", 1)[1]) for n in model.state_names if ", step " in n])
    assert (steps == 0).sum() == 1  # one start
    assert model.remaining_steps[: len(steps)].tolist() == (6 - steps).tolist()
    assert model.state_names[-2:] == ("3", "time is up")
    assert model.terminal.sum() == 2 and model.discount == 0.9


@pytest.mark.parametrize("seed", range(3))
def test_a_plan_costs_in_layers_what_it_costs_step_by_step(seed):
    model = random_model(seed, 0.3)
    layers = model.with_horizon(5, 1.0)
    plan = Plan((0, 1, 1, 0, 1), True)
    plans = [Plan((), False) if end else plan for end in layers.terminal]
    cost, belief = 0.0, model.start
    for a in plan.actions:
        cost += belief @ model.costs[:, a]
        belief = belief @ model.transitions[a].toarray()
    value = layers.start @ evaluate(layers, PlanPolicy(layers, plans))
    assert value == pytest.approx(cost + 0.3)  # the one look is paid whether it ended or not


def test_a_seen_end_makes_looks_after_it_free_and_keeps_doing_so():
    model = random_model(0, 0.3, end_is_seen=True)
    assert model.sensing_costs()[3].tolist() == [0, 0] and (model.sensing_costs()[:3] == 0.3).all()
    dearer = model.with_sensing_cost(2.0)
    assert dearer.sensing_costs()[3].tolist() == [0, 0] and dearer.max_sensing_cost == 2
    plain = random_model(0, 0.3)
    assert plain.sensing_cost == 0.3
    assert (plain.with_end_seen().sensing_costs() == model.sensing_costs()).all()


def test_a_cost_that_is_a_function_is_asked_for_what_a_live_agent_knows():
    def doubt(belief, action):
        return 1 - belief.max()

    model = random_model(0).with_sensing_cost(doubt).with_end_seen()
    belief = np.array([0.3, 0.3, 0.0, 0.4])
    assert model.sensing_cost_at(belief)[0] == pytest.approx(0.6 * 0.5)
    layers = model.with_horizon(3)
    spread = np.zeros(layers.num_states)
    for s in (0, 1):
        spread[layers.state_index(f"{s}, step 1")] = 0.3
    spread[layers.state_index("3")] = 0.4
    assert layers.sensing_cost_at(spread)[0] == pytest.approx(0.6 * 0.5)


def test_looks_and_steps_of_a_seen_end_stop_at_the_end():
    T = np.zeros((1, 2, 2))
    T[0, 0], T[0, 1, 1] = (0.5, 0.5), 1.0
    model = SensingMDP.from_arrays(
        T, np.zeros((2, 1)), 1.0, 1.0, terminal=[1], end_is_seen=True, start=[1, 0]
    )
    looking = evaluate_fully(model, PlanPolicy(model, [Plan((0,), True), Plan((), False)]))
    assert looking.steps[0] == pytest.approx(2) and looking.looks[0] == pytest.approx(2)
    blind = evaluate_fully(model, PlanPolicy(model, [Plan((0,), False), Plan((), False)]))
    assert blind.steps[0] == pytest.approx(2) and blind.values[0] == 0


def test_a_wrong_horizon_is_refused():
    for horizon in (0, -3, 2.5):
        with pytest.raises(ModelError, match="whole number of steps"):
            random_model(0).with_horizon(horizon)


def test_a_value_without_discount_has_a_small_error():
    atm = solve(load_problem("semi-slippery-4x4@horizon=30,discount=1", 0.05), "atm")
    assert 0 <= atm.value_error < 1e-9


def test_no_probability_is_above_one():
    # The last step sums what leads past the horizon, and such a sum may round above 1.
    for problem_id in ("sepsis-nam", "semi-slippery-8x8@horizon=40,discount=1"):
        for T in load_problem(problem_id).transitions:
            assert T.data.max() <= 1


def test_where_all_is_over_a_horizon_changes_nothing():
    over = {"start": [1, 0], "terminal": [0, 1]}
    all_over = SensingMDP.from_arrays([np.eye(2)], np.zeros((2, 1)), 0.9, 1.0, **over)
    problem = all_over.with_horizon(3)
    assert problem.terminal.all()
    assert solve(problem, "spi").value == 0
