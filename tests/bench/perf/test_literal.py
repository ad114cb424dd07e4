import numpy as np
import pytest

from bench.perf.literal import LiteralPolicyUpdate, observation_loop_fib
from bench.problems import load_problem
from solvers.core.evaluation import evaluate
from solvers.core.solver import solve
from solvers.planners.always_sense import AlwaysSensePolicy
from solvers.planners.fib import fib_vectors


@pytest.mark.parametrize("k", [0.001, 0.005, 0.05])
def test_one_update_of_spi_is_the_algorithm_on_the_page(k):
    problem = load_problem("frozen-lake-4x4-hard", k)
    V = evaluate(problem, AlwaysSensePolicy(problem))
    literal = LiteralPolicyUpdate(problem, V)
    plans = solve(problem, "spi", max_iterations=1).policy.plans
    compared = 0
    for root in np.flatnonzero(~problem.terminal):
        actions, looks = literal.walk(int(root), max_steps=200)
        plan = plans[root]
        if looks and plan.senses and len(plan.actions) > 1:
            assert plan.actions == actions
            compared += 1
        if not looks and not plan.senses:
            # Ours is written up to where repeating its last action changes nothing.
            written = len(plan.actions) - 1
            assert plan.actions[:written] == actions[:written]
            compared += 1
    assert compared >= 3


def test_fib_in_closed_form_is_the_general_backup():
    problem = load_problem("two-state", 0.25)
    ours, _, _ = fib_vectors(problem)
    general = observation_loop_fib(problem, sweeps=60)
    order = np.r_[0 : problem.num_actions, problem.num_actions : 2 * problem.num_actions]
    assert np.allclose(ours[order], general, atol=1e-8)
