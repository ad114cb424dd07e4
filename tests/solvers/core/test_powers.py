"""Leaps over many blind steps give what single steps give, and end where those do not."""

from functools import partial

import numpy as np
import pytest

from solvers import SensingMDP, solve
from solvers.core import policy as policy_module
from solvers.core import powers, repeats, strides, unrolling
from solvers.core.evaluation import evaluate_fully
from solvers.core.written_plans import unroll_plans
from solvers.planners import atm


def slow_problem(seed, alpha, S=4, A=3, by_state=False):
    """Beliefs move by a hundredth a step, so that a policy repeats its actions for long."""
    chance = np.random.default_rng(seed)
    T = 0.99 * np.eye(S) + 0.01 * chance.dirichlet(np.full(S, 0.3), size=(A, S))
    k = chance.uniform(0.2, 2, size=(S, A)) if by_state else 1.0
    return SensingMDP.from_arrays(T, chance.uniform(size=(S, A)), alpha, k)


def steps_of(monkeypatch, run):
    """What a run gives, and how many steps of walks it made."""
    counted, one = [0], unrolling.Walker._step

    def count(self, block):
        counted[0] += 1
        return one(self, block)

    with monkeypatch.context() as patch:
        patch.setattr(unrolling.Walker, "_step", count)
        return run(), counted[0]


@pytest.mark.parametrize("by_state", [False, True])
@pytest.mark.parametrize("solver", ["qmdp", "atm", "fib"])
def test_leaps_change_nothing(monkeypatch, solver, by_state):
    fewer = 0
    monkeypatch.setattr(strides, "MOST_STATES", 0)  # they would be taken instead
    for seed in (0, 3, 5, 6):
        problem = slow_problem(seed, 0.97, by_state=by_state)
        policy = solve(problem, solver).policy
        run = partial(evaluate_fully, problem, policy)
        monkeypatch.setattr(powers, "LONG", 0)
        monkeypatch.setattr(powers, "PATIENCE", 10**9)
        slow, many = steps_of(monkeypatch, run)
        plans = unroll_plans(problem, policy, np.arange(4), limit=400)
        monkeypatch.setattr(powers, "PATIENCE", 0)
        quick, few = steps_of(monkeypatch, run)
        fewer += few < many / 2
        assert (np.abs(quick.values - slow.values) <= quick.error + slow.error).all()
        assert (quick.error <= 1e-10 * quick.values).all()
        assert quick.looks == pytest.approx(slow.looks) and quick.steps == pytest.approx(slow.steps)
        for plan, other in zip(
            plans, unroll_plans(problem, policy, np.arange(4), limit=400), strict=True
        ):
            assert written(plan, 400) == written(other, 400)
    assert fewer >= 2


def written(plan, length):
    """The first actions of a plan, its last one repeated if it stays blind."""
    return plan.actions + (() if plan.senses else plan.actions[-1:] * (length - len(plan.actions)))


def test_discounts_near_one_end_in_few_steps(monkeypatch):
    """Single steps would take 345,000 of them."""
    problem = slow_problem(3, 0.9999, by_state=True)
    for solver in ("qmdp", "atm"):
        policy = solve(problem, solver).policy
        exact, steps = steps_of(monkeypatch, partial(evaluate_fully, problem, policy))
        assert steps < 5000
        assert (exact.error <= 1e-10 * np.abs(exact.values)).all()


def test_a_nearly_periodic_chain_is_seen_to_repeat(monkeypatch):
    """Every state has its own bad phase, so the least entries over a run prove nothing (found by
    fuzzing: at most 32 steps were made at a time)."""
    T = [
        [[0.002, 0.008, 0.99], [0.994, 0.0, 0.006], [0.003, 0.993, 0.004]],
        [[0.993, 0.005, 0.002], [0.004, 0.99, 0.006], [0.008, 0.99, 0.002]],
        [[0.001, 0.003, 0.996], [0.006, 0.994, 0.0], [0.006, 0.994, 0.0]],
    ]
    C = [[0.79, 2.16, 0.62], [2.88, 4.28, 2.19], [1.17, 1.85, 1.66]]
    k = 1e7 * np.array([[6.5, 8.0, 8.9], [2.3, 5.0, 7.3], [5.5, 3.1, 7.8]])
    problem = SensingMDP.from_arrays(T, C, 0.999, k)
    policy = solve(problem, "atm", budget=1).policy
    exact, steps = steps_of(monkeypatch, partial(evaluate_fully, problem, policy))
    monkeypatch.setattr(repeats, "MOST_KEPT", 0)
    slow, many = steps_of(monkeypatch, partial(evaluate_fully, problem, policy))
    assert steps < many / 4
    assert (np.abs(exact.values - slow.values) <= exact.error + slow.error).all()


def test_a_walk_that_is_cut_says_what_it_may_lack(monkeypatch):
    problem = slow_problem(1, 0.99)
    policy = solve(problem, "qmdp").policy
    whole = evaluate_fully(problem, policy)
    monkeypatch.setattr(powers, "MOST_STATES", 0)
    monkeypatch.setattr(unrolling, "MOST_WORK", 300 * unrolling.STEP_WORK)
    cut = evaluate_fully(problem, policy)
    off = np.abs(cut.values - whole.values)
    assert (off <= cut.error + whole.error).all()


def test_sums_over_powers_of_two_steps_are_those_of_single_ones():
    problem = slow_problem(5, 0.9)
    made = powers.Powers(problem, np.ones(4))
    for a, T in enumerate(problem.transitions):
        belief, total = np.eye(4), np.zeros((4, 3))
        cost = problem.costs[:, a]
        for m in range(64):
            total += 0.9**m * belief @ np.column_stack([cost, np.abs(cost), np.ones(4)])
            belief = belief @ T.toarray()
        assert made.sums(a, 6) == pytest.approx(total, rel=1e-12)
        assert made.power(a, 6) == pytest.approx(belief, rel=1e-12)


@pytest.mark.parametrize("limit", ["MOST_NUMBERS", "MOST_MARGINS"])
def test_without_room_for_proofs_the_value_is_the_same(monkeypatch, limit):
    problem = slow_problem(3, 0.99, by_state=True)
    for solver in ("qmdp", "atm"):
        policy = solve(problem, solver).policy
        proven = evaluate_fully(problem, policy)
        with monkeypatch.context() as patch:
            for module in (repeats, policy_module, atm):
                patch.setattr(module, limit, 40, raising=False)
            stepped = evaluate_fully(problem, policy)
        assert (np.abs(proven.values - stepped.values) <= proven.error + stepped.error).all()
