import numpy as np
import pytest

from bench import load_problem
from pomdp_bridge.export import FlatPOMDP, flatten, reveal_start, started
from solvers import ModelError, PlanPolicy, SensingMDP, evaluate, solve
from tests.pomdp_bridge.random_problems import SHAPES, random_plans, random_problem


def pomdp_value(pomdp: FlatPOMDP, policy: PlanPolicy) -> np.ndarray:
    """Reward of following the plans in the POMDP, by brute force over T, O and R alone.

    The belief is filtered through every observation of positive probability.  One that shows a
    state for sure begins that state's plan; anything else must be "nothing" and goes on.
    """
    S, A = pomdp.num_states, pomdp.num_actions // 2
    gains, P = np.zeros(S), np.zeros((S, S))
    for root, plan in enumerate(policy.plans):
        belief = np.eye(S)[root]
        for step, a in enumerate(plan.actions):
            look = plan.senses and step == len(plan.actions) - 1
            action = a + A * look
            scale = pomdp.discount**step
            gains[root] += scale * (belief @ pomdp.rewards[:, action])
            joint = (belief @ pomdp.transition(action))[:, None] * pomdp.observation(
                action
            ).toarray()
            chances = joint.sum(axis=0)
            after = None
            for o in np.flatnonzero(chances > 0):
                posterior = joint[:, o] / chances[o]
                if look:
                    assert posterior.max() == 1.0
                    P[root, int(posterior.argmax())] += scale * pomdp.discount * chances[o]
                else:
                    assert after is None, "a blind step showed something"
                    after = posterior
            belief = after
    return np.linalg.solve(np.eye(S) - P, gains)


@pytest.mark.parametrize("sensing", SHAPES)
@pytest.mark.parametrize("seed", range(10))
def test_exported_pomdp_has_the_value_of_every_plan(seed, sensing):
    problem = random_problem(seed, sensing=sensing)
    policy = random_plans(problem, seed)
    reward = pomdp_value(flatten(problem), policy)
    np.testing.assert_allclose(-reward, evaluate(problem, policy), rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("name", "k"), [("two-state", 0.25), ("frozen-lake-4x4", 0.01), ("inventory", 0.064)]
)
def test_exported_pomdp_has_the_value_of_atm_plans(name, k):
    problem = load_problem(name, k)
    found = solve(problem, "always-sense")
    plans = [found.policy.plan(s) for s in range(problem.num_states)]
    policy = PlanPolicy(problem, plans)
    reward = pomdp_value(flatten(problem), policy)
    np.testing.assert_allclose(-reward, found.values, rtol=0, atol=1e-12)


def test_distributions_are_distributions():
    pomdp = flatten(load_problem("frozen-lake-8x8", 0.01))
    assert (pomdp.num_actions, pomdp.num_observations) == (8, 65)
    for a in range(pomdp.num_actions):
        np.testing.assert_allclose(pomdp.transition(a).sum(axis=1), 1, atol=1e-14)
        np.testing.assert_allclose(pomdp.observation(a).sum(axis=1), 1)
    assert pomdp.start.sum() == 1


def test_a_look_in_a_terminal_state_costs_k_and_blindness_nothing():
    problem = load_problem("frozen-lake-4x4", 0.01)
    pomdp = flatten(problem)
    over = problem.terminal
    assert (pomdp.rewards[over, :4] == 0).all()
    np.testing.assert_allclose(pomdp.rewards[over, 4:], -0.01)
    for a in range(8):
        assert (pomdp.transition(a).toarray()[over][:, over] == np.eye(over.sum())).all()


def test_reward_scale_scales_costs_and_k_alike():
    problem = random_problem(3, sensing="per state and action")
    np.testing.assert_allclose(
        flatten(problem, 1000).rewards, 1000 * flatten(problem).rewards, rtol=1e-15
    )


@pytest.mark.parametrize("seed", range(5))
def test_a_revealed_start_is_worth_the_discounted_start(seed):
    problem = random_problem(seed, sensing="per action")
    revealed = reveal_start(problem)
    policy = random_plans(problem, seed)
    from solvers import Plan

    both = PlanPolicy(revealed, [*policy.plans, Plan((0,), True)])
    reward = pomdp_value(flatten(revealed), both)
    values = evaluate(problem, policy)
    np.testing.assert_allclose(-reward[:-1], values, atol=1e-12)
    np.testing.assert_allclose(-reward[-1], problem.discount * (problem.start @ values), atol=1e-12)


def test_a_belief_dependent_sensing_cost_is_refused():
    problem = random_problem(0)
    curved = SensingMDP.from_arrays(
        [T.toarray() for T in problem.transitions],
        problem.costs,
        problem.discount,
        lambda belief, action: float(1 - belief.max()),
        name="curved",
    )
    for export in (flatten, reveal_start):
        with pytest.raises(ModelError, match="curved: the sensing cost is a function"):
            export(curved)


def test_a_start_is_a_state_by_name_or_number_or_revealed():
    problem = load_problem("frozen-lake-4x4", 0.01)
    assert started(problem, None) is problem
    assert started(problem, "r1c2").start.argmax() == problem.state_names.index("r1c2")
    assert started(problem, "3").start[3] == 1.0
    assert started(problem, "revealed").num_states == problem.num_states + 1
    for wrong in ("nowhere", "99"):
        with pytest.raises(ModelError, match=wrong):
            started(problem, wrong)
