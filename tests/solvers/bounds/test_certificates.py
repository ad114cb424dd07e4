from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.analysis.published import facts
from bench.problems import load_problem
from solvers import SensingMDP, always_sense_threshold, certify, solve
from tests.solvers.brute_force import bracket, small_problems


def fact(problem: str, quantity: str) -> list:
    found = [f for f in facts() if f.problem == problem and f.quantity == quantity]
    assert found, f"no fact {quantity!r} of {problem}"
    return found


@pytest.mark.parametrize("name", ["two-state", "two-state-b"])
def test_thresholds_of_theorem_4_1(name):
    printed = fact(name, "always-sense threshold")[0].text
    digits = len(printed.split(".")[1])
    assert round(always_sense_threshold(load_problem(name)), digits) == float(printed)


@pytest.mark.parametrize("name", ["two-state", "two-state-b"])
def test_below_the_threshold_always_sensing_is_optimal(name):
    problem = load_problem(name, 0.01)
    proof = certify(problem, 12)
    assert np.allclose(solve(problem, "always-sense").values, proof.values, atol=1e-12)


@pytest.mark.parametrize(
    ("name", "quantity", "condition"),
    [
        ("two-state", "Lemma 4.3 first holds at N", "one_step"),
        ("two-state", "Theorem 4.4 first holds at N", "settled"),
        ("two-state-b", "Lemma 4.3 first holds at N", "one_step"),
        ("two-state-b", "Theorem 4.4 first holds at N", "settled"),
        ("inventory", "Theorem 4.4 first holds at N", "settled"),
    ],
)
def test_first_depths_at_which_the_conditions_hold(name, quantity, condition):
    published = fact(name, quantity)[0]
    problem, N = load_problem(name, float(published.sensing_cost)), int(published.text)
    holds = [bool(getattr(certify(problem, n), condition).all()) for n in range(N + 1)]
    assert holds == [False] * N + [True]


def test_the_full_table_of_the_counterexample():
    problem = load_problem("two-state-counterexample", 0.005)
    rows = [f for f in facts() if f.quantity.startswith("truncation N=") and "state" in f.quantity]
    assert len(rows) == 14
    for row in rows:
        N, state = (int(x) for x in row.quantity.removeprefix("truncation N=").split(" state "))
        proof = certify(problem, N)
        assert proof.values[state] == pytest.approx(float(row.text), abs=1e-6)
        plan = "".join(problem.action_names[a] for a in proof.plans[state].actions)
        assert f"plan {plan}" == row.note


def test_where_the_criterion_holds_in_the_counterexample():
    problem = load_problem("two-state-counterexample", 0.005)
    settled = np.array([certify(problem, N).settled for N in range(7)])
    assert settled[:, 0].tolist() == [False, False, True, True, True, True, True]
    assert not settled[:, 1].any()


def test_inventory_at_the_higher_cost_beats_atm_from_depth_seven():
    problem = load_problem("inventory", 0.2)
    atm = solve(problem, "atm").values
    better = [bool((certify(problem, N).values < atm - 1e-9).all()) for N in range(9)]
    assert better == [False] * 7 + [True] * 2


def test_two_state_b_beats_atm_at_the_first_root_from_depth_two():
    problem = load_problem("two-state-b", 0.125)
    atm = solve(problem, "atm").values
    better = [bool(certify(problem, N).values[0] < atm[0] - 1e-9) for N in range(5)]
    assert better == [False, False, True, True, True]


def test_inventory_at_the_lower_cost_is_solved_by_one_blind_step_and_by_spi():
    problem = load_problem("inventory", 0.064)
    optimum = certify(problem, 7)
    assert optimum.optimal
    assert np.allclose(certify(problem, 1).values, optimum.values, atol=1e-12)
    assert np.allclose(solve(problem, "spi").values, optimum.values, atol=1e-9)


@settings(max_examples=40, deadline=None)
@given(problem=small_problems(), N=st.integers(0, 3))
def test_every_bound_holds(problem, N):
    low, high = bracket(problem, N=8)
    proof = certify(problem, N)
    assert (proof.lower_bound <= high + 1e-9).all()
    assert (proof.values >= low - 1e-9).all()
    assert (proof.values - low <= proof.depth_bound + (high - low) + 1e-9).all()  # Theorem 4.2
    assert (proof.values - high <= proof.epsilon + 1e-9).all()  # Theorem 4.4
    if proof.optimal:
        assert (proof.values <= high + 1e-9).all()


@settings(max_examples=25, deadline=None)
@given(problem=small_problems())
def test_epsilon_falls_and_lower_bounds_rise_with_depth(problem):
    proofs = [certify(problem, N) for N in range(5)]
    assert (np.diff([p.epsilon for p in proofs]) <= 1e-9).all()
    # The paper proves it for eps_N; settled roots stay settled, and one_step says what comes next.
    for now, then in pairwise(proofs):
        assert (then.settled >= now.settled).all() or now.optimal
        if now.one_step.all():
            assert np.allclose(now.values, then.values, atol=1e-9)


def test_a_function_of_the_belief_has_no_depth_bound_but_all_else():
    problem = load_problem("two-state", 0.25)
    uniform = certify(problem, 4)
    by_function = certify(problem.with_sensing_cost(lambda belief, action: 0.25), 4)
    assert by_function.depth_bound == np.inf
    assert by_function.optimal
    assert np.allclose(by_function.lower_bound, uniform.lower_bound)


def test_the_price_of_a_look_that_no_plan_takes_settles_nothing():
    """Found by an adversary: looks cost 1e15 after one action, and that hid all else."""
    problem = SensingMDP.from_arrays([[[1.0]], [[1.0]]], [[1.0, 2.0]], 0.99, [1e15, 0.006])
    for N in (2, 5):
        # N times action 0 blind, then action 1 with a look, for ever; blind for good costs 100.
        written = (1 - 0.99**N) / 0.01 + 0.99**N * 2.006
        proof = certify(problem, N)
        assert proof.values[0] <= written / (1 - 0.99 ** (N + 1)) + 1e-10
        assert not proof.settled.any()
        assert not proof.one_step.any()
        assert proof.values[0] - 100 <= proof.epsilon <= proof.values[0] - 100 + 1e-9
        assert proof.lower_bound[0] == pytest.approx(100, abs=1e-9)
        assert proof.lower_bound[0] <= 100 + 1e-13


@pytest.mark.parametrize("N", [0, 7, 14])
def test_a_look_that_is_forced_at_any_price_settles_nothing(N):
    """Found by an adversary: the optimum is 1 / 0.9, blind for good."""
    problem = SensingMDP.from_arrays([[[1.0]]], [[1.0]], 0.1, 1e15)
    proof = certify(problem, N)
    written = ((1 - 0.1 ** (N + 1)) / 0.9 + 0.1**N * 1e15) / (1 - 0.1 ** (N + 1))
    assert proof.values[0] == pytest.approx(written, rel=1e-12)
    assert not proof.settled.any()
    assert not proof.one_step.any()
    assert written - 1 / 0.9 <= proof.epsilon * (1 + 1e-13)
    assert written - 1 / 0.9 <= proof.depth_bound
    assert proof.lower_bound[0] <= 1 / 0.9 + 1e-15


def test_a_dear_look_does_not_hide_a_cheaper_action():
    """Found by an adversary: action 1 eighteen times blind, then with a look, costs 1.1121."""
    problem = SensingMDP.from_arrays([[[1.0]], [[1.0]]], [[100.0, 1.0]], 0.1, 1e15)
    proof = certify(problem, 18)
    assert proof.values[0] == pytest.approx(1 / 0.9 + 1e-3, abs=1e-12)
    assert not proof.settled.any()
    assert 1e-3 * (1 - 1e-9) <= proof.epsilon <= 1e-3 * (1 + 1e-6)


def test_one_action_has_no_threshold():
    rng = np.random.default_rng(5)
    for _ in range(50):
        T, C = rng.dirichlet(np.ones(3), (1, 3)), rng.uniform(0, 1, (3, 1)) * 1e9
        assert always_sense_threshold(SensingMDP.from_arrays(T, C, 0.99, 1.0)) == 0


def exact_baseline(T: np.ndarray, C: np.ndarray, alpha: float) -> list[Fraction]:
    """V* of two states in exact arithmetic: the best of all policies."""
    a = Fraction(alpha)
    values = []
    for policy in product(range(len(T)), repeat=2):
        (p, q), (r, s) = ([a * Fraction(x) for x in T[policy[i], i]] for i in range(2))
        c, d = (Fraction(C[i, policy[i]]) for i in range(2))
        whole = (1 - p) * (1 - s) - q * r
        values.append((((1 - s) * c + q * d) / whole, (r * c + (1 - p) * d) / whole))
    return [min(v[i] for v in values) for i in range(2)]


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), scale=st.sampled_from([1e-9, 1.0, 1e9]))
def test_the_threshold_is_below_the_exact_one(seed, scale):
    rng = np.random.default_rng(seed)
    T, C = rng.dirichlet(np.ones(2), (2, 2)), rng.uniform(-1, 1, (2, 2)) * scale
    if seed % 2:
        C[:, 1] = C[:, 0] * (1 + 1e-13)
    V = exact_baseline(T, C, 0.99)
    exact = [[Fraction(x) for x in row] for row in T.reshape(4, 2)]
    ahead = [Fraction(0.99) * (row[0] * V[0] + row[1] * V[1]) for row in exact]
    regret = [[Fraction(C[s, a]) + ahead[2 * a + s] - V[s] for s in range(2)] for a in range(2)]
    least = min(row[0] * g[0] + row[1] * g[1] for row in exact for g in regret)
    found = always_sense_threshold(SensingMDP.from_arrays(T, C, 0.99, 1.0))
    assert Fraction(found) <= Fraction(0.99) * least
    assert found >= 0.99 * float(least) - 1e-9 * scale


@pytest.mark.parametrize("off", [9e-15, 1.2e-16])
def test_the_threshold_counts_rows_that_do_not_sum_to_1(off):
    """Found by an adversary: a step to where rows sum to less saves looks for the next million
    steps, and pays below the threshold that was claimed."""
    near, far = [0.5 * (1 + off)] * 2 + [0, 0], [0, 0] + [0.5 * (1 - off)] * 2
    T = [[near, near, far, far], [near, near, far, far], [far] * 4]
    C = [[0, 1, 0.3], [1, 0, 0.3], [0, 1, 0.4], [1, 0, 0.4]]
    problem = SensingMDP.from_arrays(T, C, 1 - 1e-6, 0.2)
    alpha = Fraction(problem.discount)
    grows, shrinks = (
        alpha * sum(Fraction(x) for x in problem.transitions[0][[s]].data) for s in (0, 2)
    )
    k = Fraction(always_sense_threshold(problem)) * (1 - Fraction(1, 10**9))
    always, there = k / (1 - grows), k / (1 - shrinks)
    gone = grows * (Fraction(0.3) + k + shrinks * there)  # action 0 blind, then action 2, looking
    assert always <= gone
    assert k > 0.29


@pytest.mark.parametrize(("big", "small"), [(1, 1e-3), (100, 0.01), (1000, 1)])
def test_a_value_that_is_0_by_cancelling_can_be_settled(big, small):
    """Found by an adversary: the error of a value was held against the value, not its terms."""
    T = np.zeros((2, 5, 5))
    T[:, 0, [1, 2]] = 0.5
    T[:, 1, [0, 1, 3]] = T[:, 2, [0, 2, 4]] = [0.1, 0.6, 0.3]
    T[:, 3, 3] = T[:, 4, 4] = 1
    costs = [[0, 0], [big, 2 * big], [-big, 2 * big], [small, 2 * small], [-small, 2 * small]]
    found = certify(SensingMDP.from_arrays(T, costs, 0.95, 0.0), 1)
    assert abs(found.values[0]) < 1e-12 * big
    assert found.optimal


@pytest.mark.parametrize(("gone", "k"), [(1e-6, 1e-3), (1e-10, 1e-3)])
def test_one_more_step_that_saves_a_look_is_seen_near_discount_1(gone, k):
    """Found by an adversary: a share that is for merged strings alone hid it."""
    problem = SensingMDP.from_arrays([[[1.0]]], [[0.85]], 1 - gone, k)
    assert not certify(problem, 0).one_step.any()
