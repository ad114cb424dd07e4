"""Plans too long to be written down: none is cut in silence, as it would be another plan."""

import numpy as np
import pytest

from solvers import (
    AlphaVectorPolicy,
    PlanPolicy,
    Policy,
    PolicyError,
    SensingMDP,
    evaluate,
    save_policy,
)
from solvers.core import unrolling


class ByTurns(Policy):
    """Goes to and fro between two states for ever."""

    def act(self, belief):
        return (0 if belief[0] > 0.5 else 1), False


def to_and_fro(discount):
    T = [[[0, 1], [0, 1]], [[1, 0], [1, 0]]]
    costs = [[0.0, 0.0], [100.0, 1.0]]
    return ByTurns(SensingMDP.from_arrays(np.array(T, float), costs, discount, 1.0, start=0))


def late_look(discount):
    """It looks after some 110,000 steps."""
    T = np.array([[[0.9999, 0.0001], [0, 1]]])
    problem = SensingMDP.from_arrays(T, [[1.0], [10.0]], discount, 1000.0, start=0)
    return AlphaVectorPolicy(problem, [[0, 1], [1, 1 - 1e-5]], [0, 0], [False, True])


@pytest.mark.parametrize("policy", [to_and_fro(0.99999), late_look(0.99999)])
def test_a_plan_that_would_be_cut_is_refused(policy, tmp_path):
    with pytest.raises(PolicyError, match="too long to be written"):
        policy.all_plans()
    with pytest.raises(PolicyError, match="too long to be written"):
        policy.controller()
    if isinstance(policy, ByTurns):  # vectors are kept as they are
        with pytest.raises(PolicyError, match="too long to be written"):
            save_policy(tmp_path / "policy.npz", policy)
    assert policy.plan(0).actions  # to be shown


def test_a_walk_given_up_for_want_of_time_is_refused_too(monkeypatch):
    """What is booked of it is counted in the error; written down it would be another plan."""
    late_look(0.999).all_plans()
    monkeypatch.setattr(unrolling, "MOST_WORK", 100 * unrolling.STEP_WORK)
    with pytest.raises(PolicyError, match=r"after \d{3} actions it has not ended"):
        late_look(0.999).all_plans()


@pytest.mark.parametrize("discount", [0.9996, 0.9997, 0.99999])
def test_going_round_with_one_action_is_a_short_plan(discount):
    """Found by an adversary: a belief that came back was taken for a plan that goes on."""
    T = np.array([[[0.0, 1], [1, 0]]])
    problem = SensingMDP.from_arrays(T, [[1.0], [2.0]], discount, 1.0)

    class Always(Policy):
        def act(self, belief):
            return 0, False

    assert [p.actions for p in Always(problem).all_plans()] == [(0,), (0,)]


@pytest.mark.parametrize("dear", [1e3, 1e10, 1e20])
def test_a_cycle_is_written_for_as_long_as_it_counts(dear):
    """Found by an adversary: past its end a plan repeats an action that the cycle avoids there."""
    T = [[[0, 1], [0, 1]], [[1, 0], [1, 0]]]
    costs = [[0.0, dear], [dear, 1.0]]
    problem = SensingMDP.from_arrays(np.array(T, float), costs, 0.9, 1.0)
    policy = ByTurns(problem)
    plans = PlanPolicy(problem, policy.all_plans())
    assert evaluate(problem, plans) == pytest.approx(evaluate(problem, policy), rel=1e-12)


def test_one_that_is_written_is_worth_what_the_policy_is():
    policy = to_and_fro(0.999)
    plans = PlanPolicy(policy.problem, policy.all_plans())
    assert evaluate(policy.problem, plans) == pytest.approx(
        evaluate(policy.problem, policy), rel=1e-12
    )
