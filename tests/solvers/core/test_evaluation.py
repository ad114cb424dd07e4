import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.problems import load_problem
from solvers import (
    AlphaVectorPolicy,
    Budget,
    Plan,
    PlanPolicy,
    Policy,
    PolicyError,
    SensingMDP,
    evaluate,
    evaluate_fully,
    make_solver,
    simulate,
    solve,
)
from solvers.core.unrolling import walks
from tests.solvers.brute_force import small_problems
from tests.solvers.sampling_error import sampling_error


def brute_force(problem: SensingMDP, policy: Policy, root: int, depth: int) -> tuple:
    """Cost, looks and steps from a root by following every branch, ``depth`` steps deep."""
    T = [t.toarray() for t in problem.transitions]

    def follow(belief, left):
        if left == 0:
            return np.zeros(3)
        a, look = policy.act(belief)
        k = problem.sensing_cost_at(belief)[0, a] if look else 0.0
        total = np.array([belief @ problem.costs[:, a] + k, float(look), 1.0])
        after = belief @ T[a]
        if not look:
            return total + problem.discount * follow(after, left - 1)
        for s in np.flatnonzero(after * ~problem.terminal):
            seen = follow(np.eye(problem.num_states)[s], left - 1)
            total = total + problem.discount * after[s] * seen
        return total

    return follow(np.eye(problem.num_states)[root], depth)


def random_alpha_policy(problem: SensingMDP, seed: int) -> AlphaVectorPolicy:
    rng = np.random.default_rng(seed)
    A = problem.num_actions
    alphas = rng.uniform(size=(2 * A, problem.num_states))
    return AlphaVectorPolicy(problem, alphas, np.tile(np.arange(A), 2), np.repeat([False, True], A))


def doubt(belief: np.ndarray, action: int) -> float:
    """A sensing cost of the belief: the dearer the less is known, and by action."""
    return (0.2 + 0.1 * action) * (1 - belief.max())


@settings(max_examples=20, deadline=None)
@given(problem=small_problems(), seed=st.integers(0, 1000), by_belief=st.booleans())
def test_agrees_with_following_every_branch(problem, seed, by_belief):
    if by_belief:
        problem = problem.with_sensing_cost(doubt)
    policy = random_alpha_policy(problem, seed)
    exact = evaluate_fully(problem, policy)
    depth = 9
    rest = problem.discount**depth / (1 - problem.discount)
    cost = np.abs(problem.costs).max() + problem.max_sensing_cost
    for root in np.flatnonzero(~problem.terminal):
        found = brute_force(problem, policy, root, depth)
        assert abs(found[0] - exact.values[root]) <= rest * cost + 1e-9
        assert -1e-9 <= exact.looks[root] - found[1] <= rest + 1e-9
        assert -1e-9 <= exact.steps[root] - found[2] <= rest + 1e-9


@settings(max_examples=20, deadline=None)
@given(problem=small_problems(max_states=4), seed=st.integers(0, 1000), by_belief=st.booleans())
def test_agrees_with_simulation(problem, seed, by_belief):
    if by_belief:
        problem = problem.with_sensing_cost(doubt)
    policy = random_alpha_policy(problem, seed)
    found = simulate(problem, policy, 10_000, seed=seed)
    value = problem.start @ evaluate(problem, policy)
    assert abs(found.mean - value) <= sampling_error(problem, found)


@pytest.mark.parametrize("solver", ["always-sense", "spi"])
def test_a_constant_written_in_every_form_is_the_same_cost(solver):
    base = load_problem("frozen-lake-4x4", 0.01)
    forms = [0.01, np.full(4, 0.01), np.full((16, 4), 0.01), lambda belief, action: 0.01]
    policy = solve(base, solver).policy
    values = [evaluate(base.with_sensing_cost(k), policy) for k in forms]
    for other in values[1:]:
        assert np.allclose(other, values[0], atol=1e-14)


def test_a_cost_by_state_is_paid_by_the_belief():
    """One blind step to a belief of halves, then a look: half of each state's price."""
    T = [[[0.5, 0.5], [0.5, 0.5]]]
    k = np.array([[0.2], [0.6]])
    problem = SensingMDP.from_arrays(T, np.zeros((2, 1)), 0.5, k)
    policy = PlanPolicy(problem, [Plan((0, 0), True), Plan((0,), True)])
    V = evaluate(problem, policy)
    mean = V.mean()
    assert V[0] == pytest.approx(0.5 * 0.4 + 0.25 * mean)
    assert V[1] == pytest.approx(0.6 + 0.5 * mean)


def test_a_look_that_finds_the_end_is_paid():
    problem = SensingMDP.from_arrays([[[0, 1], [0, 1]]], [[2.0], [0.0]], 0.5, 0.25, terminal=[1])
    for blind in range(4):
        policy = PlanPolicy(problem, [Plan((0,) * (blind + 1), True), Plan((), False)])
        assert evaluate(problem, policy) == pytest.approx([2.0 + 0.5**blind * 0.25, 0.0])


def test_a_price_that_only_doubt_makes_is_not_overlooked():
    """All steps are free and known states look free: the one cost is the look after a blind step.

    Its price at a known state is 0, so nothing but the doubt itself says that it is coming.
    """
    T = [[[0.5, 0.5], [0.5, 0.5]]]
    problem = SensingMDP.from_arrays(T, np.zeros((2, 1)), 0.5, lambda b, a: 1 - b.max())
    V = evaluate(problem, PlanPolicy(problem, [Plan((0, 0), True)] * 2))
    assert pytest.approx(0.5 * 0.5 / (1 - 0.25) * np.ones(2)) == V


def test_blind_for_good_repeats_the_last_action():
    problem = SensingMDP.from_arrays([[[1.0]], [[1.0]]], [[1.0, 3.0]], 0.5, 0.1)
    assert evaluate(problem, PlanPolicy(problem, [Plan((0,), False)])) == pytest.approx(2.0)
    assert evaluate(problem, PlanPolicy(problem, [Plan((1, 0), False)])) == pytest.approx(4.0)
    full = evaluate_fully(problem, PlanPolicy(problem, [Plan((1, 0), False)]))
    assert full.steps == pytest.approx(2.0) and full.looks == 0
    assert full.sensing_rate(problem.start) == 0


def test_always_sense_looks_at_every_step():
    problem = load_problem("taxi", 0.5)
    full = evaluate_fully(problem, solve(problem, "always-sense").policy)
    assert np.allclose(full.looks, full.steps)
    assert (full.values[problem.terminal] == 0).all()


@pytest.mark.parametrize("solver", ["spi", "atm", "qmdp"])
def test_large_problems_go_other_ways_to_the_same_values(monkeypatch, solver):
    problem = load_problem("taxi", 1.0)
    policy = solve(problem, solver).policy
    direct = evaluate_fully(problem, policy)
    monkeypatch.setattr("solvers.kernels.returns.DENSE_STATES", 10)
    factored = evaluate_fully(problem, policy)
    monkeypatch.setattr("solvers.kernels.returns.SPARSE_STATES", 10)
    iterated = evaluate_fully(problem, policy)
    monkeypatch.setattr("solvers.core.unrolling.BLOCK_ENTRIES", 5000)  # ten roots at a time
    in_blocks = evaluate_fully(problem, policy)
    monkeypatch.setattr("solvers.core.unrolling.SPARSE_STATES", 10)  # beliefs as sparse rows
    of_rows = evaluate_fully(problem, policy)
    for other in (factored, iterated, in_blocks, of_rows):
        assert (np.abs(other.values - direct.values) <= other.error + direct.error).all()
        assert (other.error <= 1e-10 * np.abs(other.values)).all()
        assert np.allclose(other.looks, direct.looks) and np.allclose(other.steps, direct.steps)


class Answers(Policy):
    """Gives one fixed answer for all beliefs."""

    def __init__(self, problem, answer):
        super().__init__(problem)
        self.answer = answer

    def act_batch(self, beliefs):
        return self.answer


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (3, r"must answer with \(actions, looks\); it answered 3"),
        ((np.array([0, 1]),), r"must answer with \(actions, looks\)"),
        (([0], [True]), r"each of 2 beliefs; it gave shapes \(1,\) and \(1,\)"),
        (([0, 2], [True, True]), "at root 1 after 0 blind steps the policy chose action .*2"),
        (([-1, 0], [True, True]), "at root 0 after 0 blind steps the policy chose action .*-1"),
        (([0.5, 0], [True, True]), "at root 0 .* chose action .*0.5"),
        ((["up", "up"], [True, True]), "at root 0 .* chose action .*up"),
    ],
)
def test_what_is_not_a_choice_is_refused_with_its_place(answer, message):
    problem = load_problem("two-state", 0.25)
    with pytest.raises(PolicyError, match=message):
        evaluate(problem, Answers(problem, answer))


def test_a_fault_deep_in_a_plan_is_named_with_its_depth():
    problem = load_problem("two-state", 0.25)
    policy = PlanPolicy(problem, [Plan((0,), True), Plan((1, 0, 9), True)])
    with pytest.raises(PolicyError, match=r"at root 1 after 2 blind steps .*actions 0 to 1"):
        evaluate(problem, policy)


def test_a_randomised_policy_has_no_exact_value():
    problem = load_problem("two-state", 0.25)
    policy = Answers(problem, ([0, 0], [True, True]))
    policy.randomised = True
    with pytest.raises(PolicyError, match=r"Answers is randomised.*solvers.simulate"):
        evaluate(problem, policy)


def test_a_belief_that_drifts_by_its_rounding_has_come_back():
    """Rows that sum to a little less than 1 in double precision never repeat to the bit."""
    T = [[[0.0077950535412769474, 0.992204946458723], [0.08582941509207698, 0.9141705849079229]]]

    def price(belief, action):
        return 0.001 * (1 + float(max(belief)))

    for cost in (0.0, 0.5):
        problem = SensingMDP.from_arrays(T, [[cost], [cost]], 0.9999, price, start=[0.9, 0.1])
        policy = make_solver("atm").solve(problem, Budget(1.0)).policy
        assert max(step.depth for step in walks(problem, policy, np.arange(2))) < 1000
        found = evaluate_fully(problem, policy)
        assert (np.abs(found.values - cost / 1e-4) <= found.error + 1e-9 * cost).all()
        assert (found.error <= 1e-10 * cost / 1e-4 + 1e-30).all()


def test_leaps_do_not_hide_that_a_walk_repeats():
    """ATM alternates between two actions for good here.  Each proof that is tried finds it sure for
    some steps; were these leapt over, what the belief had been would be forgotten each time."""
    T = [
        [[0.009823403336212198, 0.9901765966637878], [0.003601908857657658, 0.9963980911423423]],
        [[0.9928250727245679, 0.007174927275432116], [0.009074393769799384, 0.9909256062302007]],
        [[0.9985673183938053, 0.0014326816061947301], [0.0013608384558498798, 0.9986391615441501]],
    ]
    C = [[-1.28, 0.464, -1.61], [1.15, -0.807, 1.14]]
    problem = SensingMDP.from_arrays(T, C, 0.9999, 2e7)
    policy = make_solver("atm").solve(problem, Budget(10.0)).policy
    steps = sum(1 for _ in walks(problem, policy, np.arange(2)))
    assert steps < 20_000  # the discount alone would let it go on for 345,000
