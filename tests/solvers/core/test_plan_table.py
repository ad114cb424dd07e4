import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers import Plan, PlanPolicy, SensingMDP, evaluate
from solvers.core.plan_table import PlanTable
from tests.solvers.brute_force import small_problems


@st.composite
def plans_of(draw, problem):
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    return [
        Plan((), False)
        if end
        else Plan(
            tuple(rng.integers(0, problem.num_actions, rng.integers(1, 5)).tolist()),
            bool(rng.integers(2)),
        )
        for end in problem.terminal
    ]


@settings(max_examples=40, deadline=None)
@given(data=st.data(), problem=small_problems(max_states=4))
def test_values_are_those_of_the_evaluator(data, problem):
    plans = data.draw(plans_of(problem))
    table = PlanTable.of_plans(problem, plans)
    assert np.allclose(table.values(), evaluate(problem, PlanPolicy(problem, plans)), atol=1e-9)


@settings(max_examples=40, deadline=None)
@given(data=st.data(), problem=small_problems(max_states=4))
def test_merging_is_at_least_as_good_as_either_everywhere(data, problem):
    one = PlanTable.of_plans(problem, data.draw(plans_of(problem)))
    other = PlanTable.of_plans(problem, data.draw(plans_of(problem)))
    both = one.merged(other).values()
    assert (both <= np.minimum(one.values(), other.values()) + 1e-9).all()


def test_values_do_not_change_with_the_table_they_came_from():
    problem = SensingMDP.from_arrays(
        [[[0.01, 0.99], [0.99, 0.01]], [[0.99, 0.01], [0.01, 0.99]]],
        [[-0.02, 1.25], [0.6, 0.06]],
        0.9,
        1.0,
    )
    table = PlanTable.of_plans(problem, [Plan((0,), False), Plan((1,), False)])  # none looks
    values = table.values()
    before = values.copy()
    table.put(0, Plan((1,), False), -100.0, None)
    np.testing.assert_array_equal(values, before)
