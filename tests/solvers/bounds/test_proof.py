"""The writer of proofs: it finds what the checker accepts, and gives up what is false."""

import numpy as np
import pytest

from bench import load_problem
from bench.conformance.fuzz_referee import free_looks
from solvers import Plan, SensingMDP, evaluate, solve, verify_claim, write_proof
from solvers.bounds.proof_file import Refused
from solvers.bounds.witnesses import Witnesses
from tests.solvers.brute_force import bracket


def test_a_claim_above_the_optimum_is_given_up_until_it_is_true():
    problem = load_problem("two-state", 0.25)
    solution = solve(problem, "dips", budget=5)
    raised = solution.lower_bound + 0.01 * np.abs(solution.lower_bound)
    verdict = verify_claim(problem, raised, solution.policy.plans, 5)
    assert verdict.ok, verdict.reason
    assert verdict.lower <= solution.value < float(problem.start @ raised)


def test_the_verified_bounds_hold_the_brute_force_bracket():
    problem = load_problem("two-state-b", 0.1)
    solution = solve(problem, "dips", budget=5)
    verdict = verify_claim(problem, solution.lower_bound, solution.policy.plans, 5)
    lower, upper = bracket(problem, N=8)
    assert verdict.lower <= problem.start @ upper
    assert verdict.upper >= problem.start @ lower


@pytest.mark.parametrize("name", ["frozen-lake-4x4", "inventory"])
def test_upper_is_the_cost_of_the_plans_and_no_less(name):
    problem = load_problem(name)
    policy = solve(problem, "spi", budget=5).policy
    values = evaluate(problem, policy)
    upper = Witnesses(problem, policy.plans).upper
    assert (upper >= values - 1e-10 * np.abs(values)).all()
    assert upper == pytest.approx(values, rel=1e-8, abs=1e-9)


def test_endless_plans_are_stored_without_their_repetitions():
    problem = load_problem("frozen-lake-4x4", 0.05)
    plans = [Plan((1, 2, 2, 2, 2), False)] * problem.num_states
    assert Witnesses(problem, plans).plans[0] == Plan((1, 2), False)


def test_one_forbidden_action_does_not_blur_the_others():
    T = [[[0, 1, 0], [1, 0, 0], [1, 0, 0]], [[0, 0, 1], [1, 0, 0], [1, 0, 0]], np.eye(3)]
    C = [[0, 0.01, 1e9], [0.1, 0.1, 1e9], [0, 0, 1e9]]
    problem = SensingMDP.from_arrays(T, C, 0.99, 0.01)
    optimum = free_looks(np.array(T), np.array(C), 0.99)  # nothing is random: looks tell nothing
    plans = [Plan((0, 1), False), Plan((0,), False), Plan((0,), False)]
    verdict = verify_claim(problem, optimum, plans, 5)
    assert verdict.ok, verdict.reason
    assert problem.start @ optimum - 1e-9 <= verdict.lower <= problem.start @ optimum


def test_a_sensing_cost_that_is_a_function_is_refused(tmp_path):
    problem = load_problem("two-state").with_sensing_cost(lambda belief, a: 0.1)
    with pytest.raises(Refused, match="function of the belief"):
        write_proof(tmp_path / "p.npz", problem, solve(problem, "always-sense", budget=5))


def test_a_root_that_costs_nothing_is_proven_beside_a_dear_one():
    """Solving for its cost gave -9e-72, less than its plan costs (found by fuzzing)."""
    T = [[[0, 1, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0], [0, 0, 1, 0]]]
    problem = SensingMDP.from_arrays(T, [[0], [0], [1e5], [0]], 0.9, 0.0, start=3)
    verdict = verify_claim(problem, np.array([0, 0, 1e5, 9e4]), [Plan((0, 0, 0), True)] * 4, 5)
    assert verdict.ok, verdict.reason
    assert verdict.lower == pytest.approx(9e4, rel=1e-6)
