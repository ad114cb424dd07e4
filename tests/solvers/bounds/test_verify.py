"""The checker: what is true and provable it accepts, what is false it never does."""

import math
import time

import numpy as np
import pytest

from bench import load_problem
from bench.conformance.fuzz_problems import Case, draw
from bench.conformance.fuzz_referee import bracket
from solvers import Plan, SensingMDP, solve, verify, write_proof
from solvers.bounds import proof_file
from solvers.bounds.proof import _arrays, make_proof
from solvers.bounds.verify import check
from solvers.bounds.witnesses import Witnesses
from tests.solvers.bounds.exact_check import lower_holds, upper_holds

SMALL = [
    ("two-state", 0.25),
    ("two-state-b", 0.1),
    ("two-state-counterexample", 0.1),
    ("inventory", 0.2),
    ("inventory", 0.064),
    ("frozen-lake-4x4", 0.005),
    ("frozen-lake-4x4", 0.05),
    ("frozen-lake-4x4-hard", 0.005),
]
SECONDS = 20.0


def proof_of(problem, tmp_path, solver="dips"):
    path = tmp_path / "proof.npz"
    solution = solve(problem, solver, budget=2)
    return solution, path, write_proof(path, problem, solution, SECONDS)


def refusal(stored):
    """Why the arrays are refused, their digest put right; None if they are accepted."""
    stored["digest"] = proof_file.digest(stored)
    try:
        check(proof_file.unpack(stored), time.process_time() + SECONDS)
    except proof_file.Refused as refused:
        return str(refused)
    return None


def put_claim(stored):
    """Claim what lower and upper say under start."""
    lower, upper = (proof_file.exact_mean(stored["start"], stored[x]) for x in ("lower", "upper"))
    stored["claim"] = np.array([math.nextafter(lower, -math.inf), math.nextafter(upper, math.inf)])


@pytest.mark.parametrize(("name", "k"), SMALL)
def test_the_bounds_of_dips_are_verified_nearly_as_they_stand(name, k, tmp_path):
    problem = load_problem(name, k)
    solution, path, verdict = proof_of(problem, tmp_path)
    assert verdict.ok, verdict.reason
    scale = abs(solution.value)
    assert solution.lower - 2e-8 * scale <= verdict.lower <= solution.lower
    assert solution.value <= verdict.upper <= solution.value + 1e-8 * scale
    assert path.stat().st_size < 20e6


@pytest.mark.parametrize(("name", "k"), SMALL[:3])
def test_what_is_accepted_holds_in_exact_rationals(name, k, tmp_path):
    problem = load_problem(name, k)
    _, path, verdict = proof_of(problem, tmp_path)
    assert verdict.ok, verdict.reason
    proof = proof_file.unpack(proof_file.load(path))
    assert lower_holds(proof)
    assert upper_holds(proof)


@pytest.mark.parametrize("solver", ["always-sense", "spi", "delayed-information", "fib"])
def test_the_bounds_of_other_solvers_are_verified_too(solver, tmp_path):
    problem = load_problem("frozen-lake-4x4", 0.005)
    solution, _, verdict = proof_of(problem, tmp_path, solver)
    assert verdict.ok, verdict.reason
    assert abs(verdict.lower - solution.lower) <= 1e-6 * abs(solution.lower)


CHANGES = {
    "a bound raised": ("lower", lambda x: x + 1e-6 * np.abs(x)),
    "a bound lowered": ("upper", lambda x: x - 1e-6 * np.abs(x)),
    "the claim": ("claim", lambda x: x * (1 + 1e-6)),
    "a plan": ("plan_actions", lambda x: np.where(np.arange(len(x)) == 0, (x + 1) % 4, x)),
    "a look left out": ("plan_senses", lambda x: np.zeros_like(x)),
    "a probability": ("data", lambda x: np.where(np.arange(len(x)) == 7, x * (1 - 1e-6), x)),
    "a cost": ("costs", lambda x: x + 1e-6 * x),
    "the sensing cost": ("sensing_cost", lambda x: x * (1 + 1e-6)),
    "the discount": ("discount", lambda x: x * (1 + 1e-6)),
    "the start": ("start", lambda x: np.roll(x, 1)),
    "a witness": ("potential", lambda x: x * (1 + 1e-6)),
}


@pytest.mark.parametrize("change", CHANGES)
def test_any_number_changed_is_refused(change, tmp_path):
    _, path, verdict = proof_of(load_problem("frozen-lake-4x4", 0.005), tmp_path)
    assert verdict.ok, verdict.reason
    stored = proof_file.load(path)
    name, alter = CHANGES[change]
    stored[name] = alter(stored[name]).astype(stored[name].dtype)
    proof_file.save(path, stored)
    again = verify(path)
    assert not again.ok
    assert "digest" in again.reason


@pytest.mark.parametrize("side", ["lower", "upper"])
@pytest.mark.parametrize(("name", "k"), SMALL)
def test_a_false_bound_is_refused_whatever_the_digest(name, k, side, tmp_path):
    problem = load_problem(name, k)
    _, path, verdict = proof_of(problem, tmp_path)
    assert verdict.ok, verdict.reason
    stored = proof_file.load(path)
    width = 1e-6 * np.abs(stored["upper"]) * ~problem.terminal
    if side == "lower":  # above the cost of plans that exist
        stored["lower"] = np.where(problem.start > 0, stored["upper"] + width, stored["lower"])
    else:
        stored["upper"] = np.where(problem.start > 0, stored["lower"] - width, stored["upper"])
    put_claim(stored)
    assert refusal(stored) is not None


@pytest.mark.parametrize("bad", ["steps", "potential", "tails", "sweeps", "indices"])
def test_a_spoilt_witness_is_refused_whatever_the_digest(bad, tmp_path):
    _, path, verdict = proof_of(load_problem("frozen-lake-4x4", 0.05), tmp_path)
    assert verdict.ok, verdict.reason
    stored = proof_file.load(path)
    spoilt = {
        "steps": stored["steps"] * 0.4,
        "potential": stored["potential"] + 1e-6,
        "tails": stored["tails"] - 1e-6,
        "sweeps": np.full(60, 1),
        "indices": stored["indices"] + 1,
    }
    stored[bad] = spoilt[bad]
    assert refusal(stored) is not None


def test_no_false_claim_on_problems_drawn_to_be_hard():
    chance = np.random.default_rng(5)
    judged = 0
    for _ in range(40):
        case = draw(chance)
        if case.shape:  # a sensing cost that is a function of the belief has no proof file
            continue
        lower, upper, size = bracket(case)
        roots = np.flatnonzero((upper - lower <= 1e-8 * size) & ~case.terminal & (size > 0))
        if not len(roots):
            continue
        judged += 1
        j, problem = int(chance.choice(roots)), case.problem()
        stored = _arrays(problem, Witnesses(problem, [Plan((0,), True)] * len(size)))
        stored["lower"] = np.where(case.terminal, 0.0, upper)
        stored["lower"][j] += 1e-7 * size[j]
        stored["sweeps"] = np.full(int(chance.integers(1, 4)), 30)
        put_claim(stored)
        assert refusal(stored) is not None, case.script()
        stored["lower"] = np.where(case.terminal, 0.0, stored["potential"])
        stored["upper"][j] = lower[j] - 1e-7 * size[j]
        put_claim(stored)
        assert refusal(stored) is not None, case.script()
    assert judged >= 10


def two_by_two(alpha, k, **rest):
    T = [[[0.9, 0.1], [0.2, 0.8]], [[0.5, 0.5], [0.6, 0.4]]]
    return SensingMDP.from_arrays(T, [[0.0, 1.0], [1.0, 0.3]], alpha, k, **rest)


@pytest.mark.parametrize("k", [0.1, [0.2, 0.05], [[0.2, 0.0], [0.1, 0.3]], 0.0, 1e8])
def test_every_form_of_sensing_cost(k, tmp_path):
    problem = two_by_two(0.4, k)
    solution, path, verdict = proof_of(problem, tmp_path)
    assert verdict.ok, verdict.reason
    assert verdict.lower >= solution.lower - 1e-7 * abs(solution.lower)
    assert lower_holds(proof_file.unpack(proof_file.load(path)))


def test_a_discount_near_one(tmp_path):
    problem = two_by_two(0.9999, 0.1)
    solution, _, verdict = proof_of(problem, tmp_path)
    assert verdict.ok, verdict.reason
    assert verdict.lower >= solution.lower - 1e-6 * abs(solution.lower)


@pytest.mark.parametrize("end_is_seen", [False, True])
def test_a_horizon_with_discount_one(end_is_seen, tmp_path):
    problem = two_by_two(0.8, 0.1).with_horizon(4, discount=1.0)
    if end_is_seen:
        problem = problem.with_end_seen()
    T = np.array([matrix.toarray() for matrix in problem.transitions])
    k, start = problem.sensing_costs(), problem.start
    lower, upper, _ = bracket(Case(T, problem.costs, 1 - 1e-12, k, problem.terminal, start))
    plans = [Plan((0,), True)] * problem.num_states
    assert upper == pytest.approx(lower, abs=1e-9)
    stored = make_proof(problem, lower - 1e-9, plans, SECONDS)
    assert refusal(stored) is None
    assert stored["claim"][0] == pytest.approx(problem.start @ upper, abs=1e-6)


def test_of_strings_that_reach_the_same_belief_one_goes_on():
    once = two_by_two(0.8, 0.3)
    thrice = SensingMDP.from_arrays(once.transitions * 3, np.tile(once.costs, 3), 0.8, 0.3)
    bound, strings = solve(once, "dips", budget=5).lower_bound, []
    for problem in (once, thrice):
        stored = _arrays(problem, Witnesses(problem, [Plan((0,), True)] * 2))
        stored["lower"], stored["sweeps"] = bound - 1e-4, np.array([3])  # weak: a long search
        put_claim(stored)
        stored["digest"] = proof_file.digest(stored)
        reason = check(proof_file.unpack(stored), time.process_time() + SECONDS)
        strings.append(int(reason.split()[2]))
    # Each of the two roots is a string; of all others there are three, and one of them goes on.
    assert strings[1] - 2 == 3 * (strings[0] - 2) > 30


def test_a_file_that_is_no_proof(tmp_path):
    (tmp_path / "empty.npz").write_bytes(b"")
    (tmp_path / "text.npz").write_text("not a proof")
    np.savez(tmp_path / "other.npz", costs=np.zeros((2, 2)))
    for name in ("empty.npz", "text.npz", "other.npz", "missing.npz"):
        verdict = verify(tmp_path / name)
        assert not verdict.ok
        assert verdict.reason
