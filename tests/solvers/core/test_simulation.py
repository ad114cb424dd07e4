import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.problems import load_problem
from solvers import Plan, PlanPolicy, Policy, PolicyError, SensingMDP, evaluate_fully, simulate
from solvers.core.simulation import default_max_steps
from tests.solvers.brute_force import small_problems
from tests.solvers.sampling_error import sampling_error


def random_plans(problem: SensingMDP, seed: int) -> PlanPolicy:
    """Plans of up to four actions, most of which end in a look."""
    rng = np.random.default_rng(seed)
    plans = []
    for end in problem.terminal:
        actions = rng.integers(problem.num_actions, size=rng.integers(1, 5))
        plans.append(Plan((), False) if end else Plan(tuple(actions.tolist()), rng.random() < 0.8))
    return PlanPolicy(problem, plans)


def hidden_state_returns(problem, policy, episodes, seed) -> np.ndarray:
    """The literal simulation: a hidden state, its own costs, the agent's plan."""
    rng = np.random.default_rng(seed)
    running = [np.cumsum(t.toarray(), axis=1) for t in problem.transitions]
    k = np.broadcast_to(problem.sensing_cost, problem.costs.shape)
    returns = np.zeros(episodes)
    for episode in range(episodes):
        s = seen = rng.choice(problem.num_states, p=problem.start)
        age = 0
        for t in range(default_max_steps(problem)):
            if age == 0 and problem.terminal[seen]:
                break
            plan = policy.plans[seen]
            a = plan.actions[min(age, len(plan.actions) - 1)]
            look = plan.senses and age + 1 == len(plan.actions)
            returns[episode] += problem.discount**t * (problem.costs[s, a] + look * k[s, a])
            s = int(np.argmax(running[a][s] > rng.random()))
            seen, age = (s, 0) if look else (seen, age + 1)
    return returns


@settings(max_examples=25, deadline=None)
@given(problem=small_problems(max_states=4, max_actions=3), seed=st.integers(0, 1000))
def test_agrees_with_exact_evaluation(problem, seed):
    policy = random_plans(problem, seed)
    exact = evaluate_fully(problem, policy)
    found = simulate(problem, policy, 10_000, seed=seed)
    assert abs(found.mean - problem.start @ exact.values) <= sampling_error(problem, found)


@pytest.mark.parametrize("problem_id", ["two-state", "inventory", "frozen-lake-4x4"])
def test_agrees_with_a_hidden_state(problem_id):
    problem = load_problem(problem_id)
    policy = random_plans(problem, 3)
    literal = hidden_state_returns(problem, policy, 800, seed=5)
    error = literal.std(ddof=1) / np.sqrt(len(literal))
    found = simulate(problem, policy, 5000, seed=6)
    assert abs(found.mean - literal.mean()) <= 4 * np.hypot(error, found.standard_error)
    assert found.standard_error < error


def test_agrees_on_taxi_with_the_sensing_rate_too():
    problem = load_problem("taxi", 1.0)
    policy = random_plans(problem, 0)
    exact = evaluate_fully(problem, policy)
    found = simulate(problem, policy, 150, seed=2)
    assert abs(found.mean - problem.start @ exact.values) <= 4 * found.standard_error
    assert found.sensing_rate == pytest.approx(exact.sensing_rate(problem.start), abs=0.03)
    assert (problem.start[found.roots] > 0).all()


def test_same_seed_same_episodes():
    problem = load_problem("frozen-lake-4x4")
    policy = random_plans(problem, 1)
    one, two, other = (simulate(problem, policy, 50, seed=s) for s in (7, 7, 8))
    assert (one.returns == two.returns).all() and one.steps == two.steps
    assert (one.returns != other.returns).any()


def test_a_look_that_finds_the_end_is_paid_and_ends_the_episode():
    problem = SensingMDP.from_arrays(
        [[[0, 1], [0, 1]]], [[2.0], [0.0]], 0.5, 0.25, start=0, terminal=[1]
    )
    found = simulate(problem, PlanPolicy(problem, [Plan((0, 0), True), Plan((), False)]), 10)
    assert found.returns == pytest.approx(2.0 + 0.5 * 0.25)
    assert found.steps == 20 and found.looks == 10


def test_an_episode_may_start_at_the_end():
    problem = SensingMDP.from_arrays(
        [[[0, 1], [0, 1]]], [[2.0], [0.0]], 0.5, 0.25, start=1, terminal=[1]
    )
    found = simulate(problem, PlanPolicy(problem, [Plan((0,), True), Plan((), False)]), 3)
    assert found.mean == 0 and found.steps == 0 and found.sensing_rate == 0


class Coin(Policy):
    """Looks at random, and counts how often it is asked."""

    randomised = True

    def __init__(self, problem):
        super().__init__(problem)
        self.rng = np.random.default_rng(0)
        self.asked = 0

    def act(self, belief):
        assert belief.sum() == pytest.approx(1)
        self.asked += 1
        return 0, self.rng.random() < 0.5


def test_a_randomised_policy_is_asked_at_every_step():
    problem = load_problem("two-state", 0.25)
    policy = Coin(problem)
    found = simulate(problem, policy, 20, max_steps=9)
    assert policy.asked == found.steps == 20 * 9
    # The same T and C whether it looks or not: only the looks, half of the steps, are paid.
    blind = evaluate_fully(problem, PlanPolicy(problem, [Plan((0,), False)] * 2))
    looks = 0.25 * 0.5 * (1 - 0.5**9) / (1 - 0.5)
    expected = problem.start @ blind.values + looks
    assert abs(found.mean - expected) <= 4 * found.standard_error + found.truncation


def test_time_ends_between_episodes_but_two_are_run():
    problem = load_problem("two-state", 0.25)
    found = simulate(problem, Coin(problem), 1000, seconds=1e-9)
    assert found.episodes == 2 and np.isfinite(found.standard_error)


def test_one_episode_has_no_standard_error():
    problem = load_problem("two-state", 0.25)
    assert simulate(problem, Coin(problem), 1).standard_error == np.inf


@pytest.mark.parametrize("wrong", [{"episodes": 0}, {"max_steps": 0}])
def test_refuses_nothing_to_do(wrong):
    problem = load_problem("two-state", 0.25)
    with pytest.raises(ValueError, match=next(iter(wrong))):
        simulate(problem, Coin(problem), **wrong)


def test_names_the_place_where_a_policy_fails():
    class Broken(Policy):
        def act(self, belief):
            return (0, False) if belief.max() == 1 else (7, False)

    problem = load_problem("two-state", 0.25)
    with pytest.raises(PolicyError, match="after 1 blind steps the policy chose action"):
        simulate(problem, Broken(problem), 5)


def test_sensing_cost_of_the_belief():
    """Looks that cost 0.3 times the doubt: only a blind step before the look makes it dear."""
    base = load_problem("two-state", 0.25)
    problem = base.with_sensing_cost(lambda belief, action: 0.3 * (1 - belief.max()))
    policy = PlanPolicy(problem, [Plan((0, 1), True), Plan((1,), True)])
    exact = evaluate_fully(problem, policy)
    found = simulate(problem, policy, 4000, seed=1)
    assert abs(found.mean - problem.start @ exact.values) <= 4 * found.standard_error
    free = evaluate_fully(base.with_sensing_cost(0.0), policy)
    assert exact.values[0] > free.values[0]
