"""Policies that change their mind late: values must be those of following ``act`` step by step.

An exact value rests on proofs that a policy repeats an action for good, or that nothing of weight
comes any more.  Each problem here once had such a proof although the policy did something else.
"""

from decimal import Decimal, localcontext

import numpy as np
import pytest

from bench import load_problem
from solvers import (
    AlphaVectorPolicy,
    Plan,
    PlanPolicy,
    Policy,
    SensingMDP,
    evaluate,
    evaluate_fully,
    solve,
)
from solvers.core import unrolling
from solvers.core.ending import resting_states

CORRIDOR = 18
"""Steps before the choice: longer than the first proof that a walk repeats its action."""


def followed(problem, policy, steps=3000):
    """The value at each root (S,) of doing what ``act`` says, one step after another."""
    T = np.array([t.toarray() for t in problem.transitions])
    costs, landings = np.zeros(len(problem.costs)), np.zeros((len(problem.costs),) * 2)
    for root in np.flatnonzero(~problem.terminal):
        belief, weight = np.eye(len(costs))[root], 1.0
        for _ in range(steps):
            a, look = policy.act(belief)
            costs[root] += weight * (belief @ problem.costs[:, a])
            if look:
                costs[root] += weight * problem.sensing_cost_at(belief)[0, a]
                landings[root] = weight * problem.discount * (belief @ T[a]) * ~problem.terminal
                break
            weight, belief = weight * problem.discount, belief @ T[a]
    return np.linalg.solve(np.eye(len(costs)) - landings, costs)


def fork():
    """A corridor where action 1 is free, then a fork where every action is, and 0 is played first:
    it leads to where a blind agent pays."""
    fork, left, right, sink = CORRIDOR + np.arange(4)
    T, C = np.zeros((3, sink + 1, sink + 1)), np.zeros((sink + 1, 3))
    for s in range(CORRIDOR):
        T[:, s, s + 1] = 1
        C[s] = [1, 0, 1]
    T[0, fork, [left, right]] = 0.5
    T[1, fork, fork] = T[2, fork, sink] = 1
    T[:, [left, right, sink], sink] = 1
    C[left], C[right] = [0, 100, 100], [100, 100, 0]
    return SensingMDP.from_arrays(T, C, 0.9, 1.0, start=0)


def free_looks():
    """A corridor that ends in one of two states where a look is free and saves nothing at once:
    ATM looks where both are equal."""
    one, two, on, left, right, sink = CORRIDOR + np.arange(6)
    T, C = np.zeros((3, sink + 1, sink + 1)), np.zeros((sink + 1, 3))
    for s in range(CORRIDOR - 1):
        T[:, s, s + 1] = 1
    T[:, CORRIDOR - 1, [one, two]] = 0.5
    C[:CORRIDOR] = [1, 0, 1]
    T[0, one, on] = T[1, one, one] = T[2, one, sink] = 1
    T[:2, two, two] = T[2, two, sink] = 1
    C[one], C[two] = [0, 0, 1], [10, 0, 1]
    T[:, on, left] = T[:, on, right] = 0.5
    T[:, [left, right, sink], sink] = 1
    C[left], C[right] = [0, 100, 100], [100, 100, 0]
    k = np.ones(C.shape)
    k[[one, two]] = 0
    return SensingMDP.from_arrays(T, C, 0.9, k, start=0)


@pytest.mark.parametrize("problem", [fork(), free_looks()])
@pytest.mark.parametrize("solver", ["qmdp", "atm", "fib"])
def test_equal_choices_of_no_cost_are_made_as_act_makes_them(problem, solver):
    found = solve(problem, solver)
    assert found.values == pytest.approx(followed(problem, found.policy), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("k", [1.0, 1e-3])
def test_a_look_after_the_end_is_paid_however_late_it_comes(k):
    """It looks once the live probability is below 1e-20; the end is unseen, so it costs k."""
    T = np.array([[[0.5, 0.5], [0, 1]]] * 2)
    problem = SensingMDP.from_arrays(T, [[1.0, 1.0], [0, 0]], 0.99, k, terminal=[1], start=0)
    policy = AlphaVectorPolicy(problem, [[-1.0, 1e-20], [0.0, 0.0]], [0, 1], [False, True])
    assert policy.plan(0).senses and len(policy.plan(0).actions) == 68
    found = evaluate_fully(problem, policy)
    assert found.values[0] == pytest.approx(followed(problem, policy)[0], rel=1e-13)
    assert not policy.stays_blind(np.array([[1e-12, 1 - 1e-12]]))


def test_the_same_for_a_policy_that_says_nothing_of_itself():
    class LooksLate(Policy):
        def act(self, belief):
            return 0, bool(belief[0] < 1e-20)

    T = np.array([[[0.5, 0.5], [0, 1]]])
    problem = SensingMDP.from_arrays(T, [[1.0], [0]], 0.99, 1.0, terminal=[1], start=0)
    policy = LooksLate(problem)
    assert evaluate(problem, policy)[0] == pytest.approx(followed(problem, policy)[0], rel=1e-13)
    seen = problem.with_end_seen()  # the look costs nothing there
    assert evaluate(seen, LooksLate(seen))[0] == pytest.approx(1 / (1 - 0.99 / 2), rel=1e-13)


def test_a_policy_that_stays_blind_does_so_at_every_later_belief():
    """Where it says so, none of the beliefs with less live probability makes it look."""
    rng, said = np.random.default_rng(5), 0
    T = np.array([[[0.6, 0.3, 0.1], [0.2, 0.7, 0.1], [0, 0, 1]]] * 2)
    C = np.array([[1.0, 2.0], [3.0, 1.0], [0, 0]])
    problem = SensingMDP.from_arrays(T, C, 0.9, 0.3, terminal=[2], start=0)
    atm = solve(problem, "atm").policy
    for _ in range(300):
        alphas = rng.uniform(-1, 1, (4, 3)) * 10.0 ** rng.integers(-6, 2, (4, 1))
        vectors = AlphaVectorPolicy(problem, alphas, [0, 1, 0, 1], [False, False, True, True])
        live = 10.0 ** rng.uniform(-8, 0)
        belief = np.array([[live / 2, live / 2, 1 - live]])
        for policy in (vectors, atm):
            if policy.stays_blind(belief)[0]:
                said += 1
                for _ in range(20):
                    later = rng.uniform(0, live / 2, 2) * rng.integers(0, 2, 2)
                    assert not policy.act(np.array([*later, 1 - later.sum()]))[1]
    assert said > 50


def test_another_vector_of_the_same_action_does_not_hide_a_third():
    """Vectors 0 and 2 play action 0.  When 2 overtakes 0, 1 is within a tie of it and first."""
    T = np.array([[[0.9, 0.1], [0, 1]]] * 2)
    problem = SensingMDP.from_arrays(T, [[0.0, 0.0], [0.0, 1.0]], 0.99, 1.0, start=0)
    tie = 2e-13
    alphas = [[1.0, 1.0], [2.0, 1 - 0.9 * tie], [2.0, 1 - 1.5 * tie]]
    policy = AlphaVectorPolicy(problem, alphas, [0, 1, 0], [False] * 3)
    found = evaluate(problem, policy)
    assert found == pytest.approx(followed(problem, policy, 5000), rel=1e-10)
    assert found[0] > 1


def test_without_discount_a_belief_that_comes_back_is_no_end():
    """A leak of 2^-49 a step: the belief is soon the same up to rounding, but all is not over.  An
    error that does not reach the true value would be false."""
    leak, S, first = 2.0**-49, 43, 3  # too many states for strides
    T = np.zeros((2, S, S))
    T[:, 0, 1] = T[:, 1, 0] = 1 - leak
    T[:, :2, 2] = leak
    T[:, 2, 2] = 1
    T[:, first, [0, 2]] = 0.5
    T[:, first + 1 :, :2] = 0.5
    C = np.zeros((S, 2))
    C[0], C[1] = [1, 3], [3, 1]
    problem = SensingMDP.from_arrays(T, C, 1.0, 1.0, terminal=[2], start=first)
    alphas = np.zeros((2, S))
    alphas[0, 1] = alphas[1, 0] = 1
    policy = AlphaVectorPolicy(problem, alphas, [0, 1], [False, False])  # one a step, for 1 / leak
    found = evaluate_fully(problem, policy, np.array([first]))
    assert abs(found.values[first] - 0.5 / leak) <= found.error[first]


def test_a_price_at_the_end_counts_how_its_probability_is_rounded():
    """250 states leak into the end a little each step, and the look's price depends on the state:
    the probability of the end is a sum of 250 numbers, rounded 20,000 times."""
    N, M, alpha = 250, 20_000, 0.999999
    S, q = N + 2, N * 2.0**-54 * 1.9
    T = np.zeros((1, S, S))
    T[0, 0, 0] = 1
    T[0, 1, 0], T[0, 1, 2:] = 0.5, 0.5 / N
    for s in range(2, S):
        T[0, s, s], T[0, s, 0] = 1 - q, q
    k = np.zeros((S, 1))
    k[0] = 1
    problem = SensingMDP.from_arrays(T, np.zeros((S, 1)), alpha, k, terminal=[0], start=1)
    plans = [Plan((), False), Plan((0,) * M, True), *[Plan((0,), False)] * N]
    found = evaluate_fully(problem, PlanPolicy(problem, plans))
    with localcontext() as exact:
        exact.prec = 60
        X = [[Decimal(float(x)) for x in row] for row in problem.transitions[0].toarray()[1:3]]
        stay = Decimal(float(problem.transitions[0].toarray()[2, 2]))
        spread = sum(X[0][2:])
        over = X[0][0] + spread * X[1][0] * (1 - stay ** (M - 2)) / (1 - stay)
        true = Decimal(alpha) ** (M - 1) * over
        assert abs(true - Decimal(float(found.values[1]))) <= Decimal(float(found.error[1]))


def test_a_free_state_that_can_be_left_is_not_the_end():
    """After the corridor all is free; the first vector moves on to a state where it looks."""
    x, y = CORRIDOR, CORRIDOR + 1
    T, C = np.zeros((2, y + 1, y + 1)), np.zeros((y + 1, 2))
    for s in range(CORRIDOR):
        T[:, s, s + 1] = 1
        C[s] = [2, 1]
    T[0, x, y] = T[1, x, x] = T[0, y, y] = T[1, y, x] = 1
    problem = SensingMDP.from_arrays(T, C, 0.9, 1.0, start=0)
    alphas = np.zeros((3, y + 1))
    alphas[:, :CORRIDOR] = [[2], [1], [3]]
    alphas[:, y] = [5, 5, 1]
    policy = AlphaVectorPolicy(problem, alphas, [0, 1, 0], [False, False, True])
    assert evaluate(problem, policy) == pytest.approx(followed(problem, policy), rel=1e-12)


def test_atm_takes_the_first_action_where_costs_cancel_in_a_mixture():
    """Half in a state where action 0 costs one, half where action 1 does."""
    one, two, fork, left, right, sink = CORRIDOR + np.arange(6)
    T, C = np.zeros((3, sink + 1, sink + 1)), np.zeros((sink + 1, 3))
    for s in range(CORRIDOR - 1):
        T[:, s, s + 1] = 1
    C[:CORRIDOR] = [1, 0, 1]
    T[:, CORRIDOR - 1, [one, two]] = 0.5
    C[one], C[two] = [1, 0, 5], [0, 1, 5]
    T[0, [one, two], fork] = 1
    T[1:, one, sink] = T[1:, two, sink] = 1
    T[:, fork, left] = T[:, fork, right] = 0.5
    T[:, [left, right, sink], sink] = 1
    C[left], C[right] = [0, 100, 100], [100, 100, 0]
    problem = SensingMDP.from_arrays(T, C, 0.9, 200.0, start=0)
    found = solve(problem, "atm")
    assert found.values == pytest.approx(followed(problem, found.policy), rel=1e-12)


def test_a_walk_that_is_cut_says_how_far_it_may_be_off(monkeypatch):
    """A ring that pays 1 in one state and earns 1 in the others, walked by a policy that says
    nothing of itself: it is cut, and what is booked for the rest may be on the other side of 0."""
    monkeypatch.setattr(unrolling, "MOST_WORK", 1e4)
    S, alpha = 64, 0.9999
    T, earned = np.roll(np.eye(S), 1, axis=1), -np.ones(S)
    problem = SensingMDP.from_arrays([T, T], np.tile([1.0, -1.0], (S, 1)), alpha, 0.0, start=0)

    class Rings(Policy):
        def act_batch(self, beliefs):
            return np.where(beliefs.argmax(axis=1) == 0, 0, 1), np.zeros(len(beliefs), bool)

    earned[0] = 1
    true = np.linalg.solve(np.eye(S) - alpha * T, earned)
    found = evaluate_fully(problem, Rings(problem))
    assert found.error.max() > 100  # else it was not cut
    assert (np.abs(found.values - true) <= found.error).all()


def test_resting_states_are_those_that_nothing_leaves_or_pays_for():
    assert np.flatnonzero(resting_states(fork())).tolist() == [CORRIDOR + 3]
    lake = load_problem("frozen-lake-4x4", 0.01)
    assert resting_states(lake).tolist() == lake.terminal.tolist()


def test_atm_pays_a_late_look_where_its_price_depends_on_the_state():
    """After some hundred blind steps the look, free before, is worth its price at the end."""
    far, slow, end = 1, 2, 3
    T, C = np.zeros((3, 4, 4)), np.zeros((4, 3))
    T[:, 0, [far, slow]] = 1.0, 1e-25
    T[:, far, [far, end]] = 0.5
    T[:, slow, [slow, end]] = 0.9, 0.1
    T[:, end, end] = 1
    C[0], C[far], C[slow] = 1, [2, 1, 2], [2, 2, 1]
    k = np.full((4, 3), 100.0)
    k[end] = [0, 1, 10]
    problem = SensingMDP.from_arrays(T, C, 0.99, k, terminal=[end], start=0)
    found = solve(problem, "atm")
    assert found.policy.plan(0).senses
    assert found.values == pytest.approx(followed(problem, found.policy), rel=1e-12)
