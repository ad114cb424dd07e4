from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.analysis.published import facts
from bench.problems import load_problem
from solvers import always_sense_threshold, certify, solve
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
