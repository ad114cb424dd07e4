import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from bench.problems import load_problem
from solvers import AlphaVectorPolicy, Plan, PlanPolicy, Policy, PolicyError, evaluate, solve
from tests.solvers.brute_force import small_problems


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        (Plan((), False), "nothing to do: the episode is over"),
        (Plan((1,), True), "down, then look"),
        (Plan((1, 1, 2), True), "down ×2, right, then look"),
        (Plan((3, 0), False), "up, left for good, blind"),
        (Plan((0, 0, 0), False), "left for good, blind"),
    ],
)
def test_plans_in_words(plan, words):
    assert plan.describe(["left", "down", "right", "up"]) == words


@settings(max_examples=30, deadline=None)
@given(problem=small_problems(max_states=4), seed=st.integers(0, 1000))
def test_a_plan_policy_acts_as_it_plans(problem, seed):
    """Followed belief by belief it does what its plan says, past a blind end too.

    Two plans that meet at one belief and part there cannot both be followed by a function of the
    belief; then the plan of the lower root, or the younger belief, is the one that counts.  Beliefs
    that agree to ten digits are one belief to it, so chances are larger than that here.
    """
    assume(min(T.data[T.data > 0].min() for T in problem.transitions) > 1e-6)
    rng = np.random.default_rng(seed)
    plans = []
    for end in problem.terminal:
        actions = tuple(rng.integers(problem.num_actions, size=rng.integers(1, 4)).tolist())
        plans.append(Plan((), False) if end else Plan(actions, bool(rng.random() < 0.7)))
    policy = PlanPolicy(problem, plans)
    said: dict[bytes, tuple[int, bool]] = {}
    parted: set[int] = set()  # roots whose plan has left the policy's at a belief where two met
    for depth in range(6):
        for root in np.flatnonzero(~problem.terminal):
            plan = plans[root]
            if root in parted or (plan.senses and depth >= len(plan.actions)):
                continue
            belief = np.eye(problem.num_states)[root]
            for t in range(depth):
                a = plan.actions[min(t, len(plan.actions) - 1)]
                belief = problem.step(belief[None], np.array([a]))[0]
            action = plan.actions[min(depth, len(plan.actions) - 1)]
            look = plan.senses and depth + 1 == len(plan.actions)
            first = said.setdefault(np.round(belief, 6).tobytes(), (action, look))
            if first != (action, look):
                parted.add(int(root))
                continue
            assert policy.act(belief) == (action, look)


def test_plans_are_found_by_name():
    problem = load_problem("frozen-lake-4x4", 0.01)
    policy = solve(problem, "spi").policy
    assert policy.plan("r0c0") == policy.plan(0)


def test_off_its_plans_a_plan_policy_looks_with_the_best_action():
    problem = load_problem("two-state", 0.25)
    policy = PlanPolicy(problem, [Plan((0,), True), Plan((1,), True)])
    V = evaluate(problem, policy)
    belief = np.array([0.123, 0.877])
    scores = [
        belief @ (problem.costs[:, a] + problem.discount * (T @ V))
        for a, T in enumerate(problem.transitions)
    ]
    assert policy.act(belief) == (int(np.argmin(scores)), True)


def test_off_its_plans_the_price_of_the_look_counts():
    problem = load_problem("two-state", 0.25)
    belief = np.array([0.5, 0.5])
    for dear in (0, 1):
        k = np.array([0.0, 0.0])
        k[dear] = 50.0
        policy = PlanPolicy(problem.with_sensing_cost(k), [Plan((1 - dear,), True)] * 2)
        assert policy.act(belief) == (1 - dear, True)


@pytest.mark.parametrize("solver", ["spi", "atm", "always-sense"])
def test_act_and_plan_agree_for_solvers(solver):
    problem = load_problem("frozen-lake-4x4-hard", 0.005)
    policy = solve(problem, solver).policy
    for root in np.flatnonzero(~problem.terminal):
        plan = policy.plan(int(root))
        assert policy.act(np.eye(16)[root]) == (
            plan.actions[0],
            plan.senses and len(plan.actions) == 1,
        )


@settings(max_examples=30, deadline=None)
@given(problem=small_problems(), seed=st.integers(0, 1000))
def test_a_policy_and_its_unrolled_plans_are_worth_the_same(problem, seed):
    rng = np.random.default_rng(seed)
    n = 2 * problem.num_actions
    policy = AlphaVectorPolicy(
        problem,
        rng.uniform(size=(n, problem.num_states)),
        np.tile(np.arange(problem.num_actions), 2),
        np.repeat([False, True], problem.num_actions),
    )
    plans = PlanPolicy(problem, [policy.plan(s) for s in range(problem.num_states)])
    assert np.allclose(evaluate(problem, plans), evaluate(problem, policy), atol=1e-8)


def test_alpha_vectors_take_the_cheapest():
    problem = load_problem("two-state", 0.25)
    policy = AlphaVectorPolicy(problem, [[0.0, 1.0], [1.0, 0.0]], [0, 1], [False, True])
    assert policy.act(np.array([0.9, 0.1])) == (0, False)
    assert policy.act(np.array([0.1, 0.9])) == (1, True)


def test_of_vectors_that_rounding_cannot_tell_apart_the_first_is_taken():
    problem = load_problem("two-state", 0.25)
    belief = np.array([1.0, 0.0])
    for first in (0.3, 0.1 + 0.2):  # the same number, but for its last digit
        policy = AlphaVectorPolicy(problem, [[first, 1.0], [0.3, 0.0]], [0, 1], [False, False])
        assert policy.act(belief) == (0, False)
        assert policy.act(np.array([1 - 1e-9, 1e-9])) == (1, False)  # a difference that is real
        assert (belief @ policy.margins(0) >= 0).all()
        assert (belief @ policy.margins(1) < 0).all()


def test_a_policy_of_act_alone_is_enough():
    class LooksWhenUnsure(Policy):
        def act(self, belief):
            return int(belief.argmax()), bool(belief.max() < 0.9)

    problem = load_problem("two-state", 0.25)
    policy = LooksWhenUnsure(problem)
    actions, looks = policy.act_batch(np.array([[1.0, 0.0], [0.5, 0.5]]))
    assert actions.tolist() == [0, 0] and looks.tolist() == [False, True]
    assert policy.plan(0) == Plan((0, 0), True)


def test_the_number_of_plans_is_checked():
    problem = load_problem("two-state", 0.25)
    with pytest.raises(PolicyError, match="1 plans for the 2 states of two-state"):
        PlanPolicy(problem, [Plan((0,), True)])


def test_a_live_root_without_a_plan_is_named():
    problem = load_problem("two-state", 0.25)
    with pytest.raises(PolicyError, match="at root 1 after 0 blind steps"):
        evaluate(problem, PlanPolicy(problem, [Plan((0,), True), Plan((), False)]))
