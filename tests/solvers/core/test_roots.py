"""What only the start can reach: the same numbers as for all roots, and nothing else computed."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from bench.perf.large_lakes import random_lake
from solvers import SensingMDP, SolverError, evaluate, solve
from solvers.core import evaluation, unrolling
from solvers.core.evaluation import evaluate_fully
from solvers.core.policy import Plan, PlanPolicy
from solvers.core.roots import roots_along


def rooms(seed, num_rooms=3, size=4, actions=2):
    """Rooms without doors: from one nothing of the others is ever reached."""
    chance = np.random.default_rng(seed)
    S = num_rooms * size + 1  # the last state ends it
    T = np.zeros((actions, S, S))
    for a in range(actions):
        for s in range(S - 1):
            room = slice(s // size * size, s // size * size + size)
            row = np.append(chance.dirichlet(np.ones(size)), chance.random())
            T[a, s, room], T[a, s, -1] = row[:-1], row[-1] * 0.2
            T[a, s] /= T[a, s].sum()
        T[a, -1, -1] = 1.0
    costs = chance.normal(size=(S, actions))
    costs[-1] = 0.0
    return SensingMDP.from_arrays(T, costs, 0.9, 0.2, start=0, terminal=[S - 1])


def simulated_closure(problem, plans, start):
    """The roots that these plans reach, by following one state at a time: no library code."""
    T = [t.toarray() for t in problem.transitions]
    reached, open_roots = set(), [start]
    while open_roots:
        root = open_roots.pop()
        if root in reached or problem.terminal[root]:
            continue
        reached.add(root)
        plan = plans[root]
        if not plan.senses:
            continue
        support = {root}
        for a in plan.actions:
            support = {t for s in support for t in np.flatnonzero(T[a][s])}
        open_roots.extend(support)
    return reached


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6))
def test_only_reached_roots_are_evaluated_and_as_before(seed):
    problem = rooms(seed)
    chance = np.random.default_rng(seed)
    plans = [
        Plan(
            tuple(chance.integers(2, size=chance.integers(1, 4)).tolist()),
            bool(chance.random() < 0.7),
        )
        for _ in range(problem.num_states - 1)
    ] + [Plan((), False)]
    policy = PlanPolicy(problem, plans)
    part = evaluate_fully(problem, policy, np.array([0]))
    whole = evaluate_fully(problem, policy)
    known = set(np.flatnonzero(np.isfinite(part.values) & ~problem.terminal).tolist())
    assert known == simulated_closure(problem, plans, 0)
    at = sorted(known)
    for name in ("values", "looks", "steps"):
        np.testing.assert_allclose(getattr(part, name)[at], getattr(whole, name)[at], atol=1e-12)
    assert (np.abs(part.values - whole.values)[at] <= (part.error + whole.error)[at]).all()


@pytest.mark.parametrize("solver", ["spi", "atm"])
@pytest.mark.parametrize("seed", range(5))
def test_reachable_roots_give_the_value_of_all_roots(solver, seed):
    """In the room of the start nothing depends on other rooms, so neither do the plans."""
    problem = rooms(seed)
    part, whole = (solve(problem, solver, roots=roots) for roots in ("reachable", "all"))
    assert part.value == pytest.approx(whole.value, abs=1e-12)
    assert part.sensing_rate == pytest.approx(whole.sensing_rate, abs=1e-12)
    assert np.isnan(part.values[4:12]).all()
    assert np.isfinite(whole.values).all()
    assert part.lower <= part.value + part.value_error


@pytest.mark.parametrize("seed", range(5))
def test_values_of_other_roots_are_computed_on_demand(seed):
    problem = rooms(seed)
    found = solve(problem, "spi", roots="reachable")
    expected = evaluate(problem, found.policy)
    everywhere = range(problem.num_states)
    np.testing.assert_allclose(found.values_at(everywhere), expected, atol=1e-12)
    np.testing.assert_allclose(found.values, expected, atol=1e-12)


def test_a_large_problem_is_planned_from_its_start_by_default():
    """A ring of 30,000 states; the agent may only step on or stay, and an end is three steps on."""
    S = 30_000
    s = np.arange(S)
    step = sparse.csr_array((np.ones(S), (s, np.where(s % 10 == 3, s, (s + 1) % S))), (S, S))
    blur = 0.5 * step + 0.5 * sparse.eye_array(S, format="csr")
    costs = np.where(s % 10 == 3, 0.0, 1.0)
    problem = SensingMDP.from_arrays([step, blur], costs, 0.95, 0.1, start=0, terminal=s % 10 == 3)
    blind = 1 + 0.95 + 0.95**2
    for solver, elsewhere in (("spi", 1.1 * blind), ("atm", blind)):
        found = solve(problem, solver)
        assert found.value == pytest.approx(blind, abs=1e-12)
        assert np.isfinite(found.values[~problem.terminal]).sum() < 5
        # where SPI did not plan, its policy looks after every step
        assert found.values_at([10])[0] == pytest.approx(elsewhere, abs=1e-12)


@pytest.mark.parametrize("solver", ["spi", "atm"])
def test_values_of_roots_that_count_for_next_to_nothing_are_exact_when_asked_for(solver):
    """On a way without an end, discounted by ten each step, evaluation from the start goes as far
    as a chance of 1e-16; the values of the last roots there lack what comes after."""
    S = 30
    T = np.eye(S)[np.minimum(np.arange(S) + 1, S - 1)]
    problem = SensingMDP.from_arrays([T], np.ones((S, 1)), 0.1, 0.0, start=0)
    found = solve(problem, solver, roots="reachable")
    assert np.isfinite(found.values[15])
    assert found.error[15] > 1e-3
    np.testing.assert_allclose(found.values_at(range(S)), 1 / 0.9, rtol=1e-12)


@pytest.mark.parametrize("solver", ["spi", "atm"])
def test_another_word_for_roots_is_refused(solver):
    with pytest.raises(SolverError, match="roots is 'some'"):
        solve(rooms(0), solver, roots="some")


def test_walks_of_many_roots_over_many_states_are_not_cut_short(monkeypatch):
    """Beliefs are sparse there: work is counted by what they hold, not by roots times states."""
    problem = random_lake(70)
    assert problem.num_states >= unrolling.SPARSE_STATES
    monkeypatch.setattr(unrolling, "MOST_WORK", unrolling.SPARSE_BLOCK * problem.num_states / 2)
    found = solve(problem, "atm", roots="reachable")
    assert found.value_error <= 1e-9 * abs(found.value)
    every = solve(problem, "atm", roots="all")
    assert found.value == pytest.approx(every.value, rel=1e-9)


def test_roots_that_stay_blind_are_walked_only_if_they_are_reached(monkeypatch):
    """A walk over many states is dear, and a policy that looks seldom reaches few roots: of those
    that looking after every step would reach, nearly all are left after a few steps."""
    problem = random_lake(70, seed=1)
    long = np.arange(problem.num_states) % 3 > 0  # every third plan is short
    plans = [Plan((0, 1) * (12 if wait else 1), True) for wait in long]
    policy = PlanPolicy(problem, plans)
    deep = np.zeros(problem.num_states, bool)

    def noted(self, step, enter=evaluation._Book.enter):
        deep[step.roots] |= step.depth >= evaluation.GUESSED_STEPS
        return enter(self, step)

    monkeypatch.setattr(evaluation._Book, "enter", noted)
    start = np.flatnonzero(problem.start)
    part = evaluate_fully(problem, policy, start)
    assert deep.any()
    assert not (deep & np.isnan(part.values)).any()
    deep[:] = False
    monkeypatch.setattr(unrolling, "SPARSE_STATES", 10**6)  # beliefs written out, nothing guessed
    again = evaluate_fully(problem, policy, start)
    known = np.isfinite(part.values)
    assert (known == np.isfinite(again.values)).all()
    for name in ("values", "looks", "steps"):
        mine, theirs = getattr(part, name)[known], getattr(again, name)[known]
        np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-12)
    assert (np.abs(part.values - again.values) <= part.error + again.error)[known].all()


def test_roots_along_landings_are_those_with_a_path():
    problem = rooms(3)
    P = problem.discount * problem.policy_matrix(np.zeros(problem.num_states, int))
    looking = [Plan((0,), True)] * problem.num_states
    found = roots_along(P, problem.start, problem.terminal)
    assert set(np.flatnonzero(found).tolist()) == simulated_closure(problem, looking, 0)
