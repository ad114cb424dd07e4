"""Claims pushed upwards until the checker refuses: what it accepts last has to be true.

The truth is the cost of plans in exact rationals, so nothing is forgiven, not the last bit.
"""

import time
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from bench import load_problem
from bench.conformance.fuzz_problems import draw
from bench.conformance.fuzz_referee import Case, cost_of_plans
from solvers import solve
from solvers.bounds import proof_file, verify
from solvers.bounds.proof import _arrays, make_proof
from solvers.bounds.witnesses import Witnesses
from tests.solvers.bounds.exact_check import exact_costs
from tests.solvers.bounds.test_verify import put_claim

SWEEPS = [(0,), (2, 1), (40,), (20, 20)]
"""With few sweeps the search and its merging carry the proof, with many the heuristic."""


def accepted(stored, seconds=0.1):
    put_claim(stored)
    stored["digest"] = proof_file.digest(stored)
    try:
        verify.check(proof_file.unpack(stored), time.process_time() + seconds)
    except proof_file.Refused:
        return False
    return True


def told_once_counts(stored):
    """Whether the heuristic is another one without what an agent pays who is told once."""
    levels = []
    for told in (True, False):
        proof = proof_file.unpack(stored)
        p = verify.Excess(proof)
        p.D = p.D if told else np.zeros_like(p.D)
        heuristic = verify.Heuristic(p)
        for n, times in enumerate(proof.sweeps):
            if n:
                heuristic.deepen()
            heuristic.climb(times, np.inf)
        levels.append(heuristic.levels())
    return any((with_it != without).any() for with_it, without in zip(*levels, strict=True))


def pushed(stored, truth, live):
    """Raise the claim along a ray and then root by root; yields every claim that is accepted."""
    v, cost = stored["potential"], np.array([float(x) for x in truth])
    best = None
    for share in (0.3, 0.9, 0.99, 0.9999, 1 - 1e-8, 1 - 1e-12, 1.0, 1 + 1e-12, 1 + 1e-8, 1.01):
        stored["lower"] = np.where(live, v + share * np.maximum(cost - v, 0), 0.0)
        if accepted(stored):
            best = stored["lower"]
            yield f"share {share}"
    if best is None:
        return
    for j in np.flatnonzero(live):
        for more in (1e-12, 1e-8, 1e-4, 0.1):
            stored["lower"] = best.copy()
            stored["lower"][j] += more * max(abs(cost[j]), cost[j] - v[j])
            if accepted(stored):
                best = stored["lower"]
                yield f"root {j} by {more}"


def test_no_claim_can_be_pushed_above_what_plans_cost():
    chance, judged, told = np.random.default_rng(11), 0, 0
    for _ in range(16):
        case = draw(chance)
        if case.shape or case.terminal.all():
            continue
        problem, live = case.problem(), ~case.terminal
        plans = solve(problem, "dips", budget=0.2).policy.plans
        stored = _arrays(problem, Witnesses(problem, plans))
        stored["lower"], stored["sweeps"] = np.where(live, stored["potential"], 0), np.array([0])
        put_claim(stored)
        stored["digest"] = proof_file.digest(stored)
        truth = exact_costs(proof_file.unpack(stored))
        for sweeps in SWEEPS:
            stored["sweeps"] = np.array(sweeps)
            for what in pushed(stored, truth, live):
                judged += 1
                told += told_once_counts(stored)
                for j in np.flatnonzero(live):
                    said = Fraction(float(stored["lower"][j]))
                    assert said <= truth[j], (what, sweeps, case.script())
    assert judged >= 100
    assert told >= 20  # the rule was at work


LAKES = [("frozen-lake-4x4", 0.005), ("frozen-lake-4x4", 0.05), ("frozen-lake-4x4-hard", 0.005)]


@pytest.fixture(scope="module", params=LAKES, ids=str)
def lake(request):
    """A proof of a Table 1 instance whose bounds meet at every root, and its referee."""
    problem = load_problem(*request.param)
    solution = solve(problem, "dips", budget=10, roots="all", target_gap=1e-9)
    stored = make_proof(problem, solution.lower_bound, solution.policy.plans, 20.0)
    gap = stored["upper"] - stored["lower"]
    assert (gap <= 1e-7 * np.abs(stored["upper"]) + 1e-12).all()
    T = np.array([matrix.toarray() for matrix in problem.transitions])
    k, start = problem.sensing_costs(), problem.start
    return stored, Case(T, problem.costs, problem.discount, k, problem.terminal, start)


def test_a_lakes_bound_beyond_the_optimum_by_a_millionth_is_refused_at_every_root(lake):
    stored, case = lake
    assert accepted(dict(stored), 10)
    for j in np.flatnonzero(~case.terminal):
        for side, sign in (("lower", 1), ("upper", -1)):
            false = stored | {side: stored[side].copy()}
            false[side][j] += sign * 1e-6 * abs(false[side][j])
            assert not accepted(false, 10), (side, j)


def plans_in(stored):
    """The plans of a proof as the referee takes them; a terminal root's is never followed."""
    actions, looks = stored["plan_actions"].tolist(), stored["plan_senses"].tolist()
    parts = [actions[i:j] or [0] for i, j in pairwise(stored["plan_ends"].tolist())]
    return list(zip(parts, looks, strict=True))


def test_a_lakes_plan_with_any_action_changed_is_refused_unless_it_costs_the_same(lake):
    stored, case = lake
    refused = 0
    for i, a in enumerate(stored["plan_actions"].tolist()):
        other = stored | {"plan_actions": stored["plan_actions"].copy()}
        other["plan_actions"][i] = (a + 1) % 4
        if accepted(other, 10):
            cost = cost_of_plans(case, plans_in(other))
            assert (cost <= stored["upper"] + 1e-12 * np.abs(cost)).all(), i
        else:
            refused += 1
    assert refused >= len(stored["plan_actions"]) / 2


def test_a_lakes_probabilities_changed_by_a_millionth_are_refused_unless_it_still_holds(lake):
    """The sum of a row is kept: else that alone would be the reason."""
    stored, case = lake
    S, refused, judged = len(case.start), 0, 0
    flat = np.concatenate([[0], np.cumsum(np.diff(stored["indptr"], axis=1).ravel())])
    for i, first in enumerate(flat[:-1]):
        if flat[i + 1] - first < 2:
            continue
        judged += 1
        data, T = stored["data"].copy(), case.T.copy()
        shift = 1e-6 * data[first]
        data[first : first + 2] += -shift, shift
        for at in (first, first + 1):
            T[i // S, i % S, stored["indices"][at]] = data[at]
        if accepted(stored | {"data": data}, 10):
            changed = Case(T, case.C, case.alpha, case.k, case.terminal, case.start)
            cost = cost_of_plans(changed, plans_in(stored))
            slack = 1e-12 * np.abs(cost)
            assert ((stored["lower"] <= cost + slack) & (cost <= stored["upper"] + slack)).all(), i
        else:
            refused += 1
    assert judged >= 40
    assert refused >= judged / 4  # the others are rows that no plan comes to
