"""Other conventions and other members of a family, by the text after the id."""

import pytest

from bench import load_problem
from bench.problems import find_problem
from solvers import ModelError


def test_conventions_are_read_from_the_id():
    model = load_problem("frozen-lake-4x4@horizon=7,discount=1,end_is_seen", 0.01)
    assert model.discount == 1 and model.remaining_steps.max() == 7 and model.end_is_seen
    plain = load_problem("semi-slippery-4x4@horizon=none,discount=none,end_is_seen=false", 0.1)
    assert plain.num_states == 16 and plain.discount == 0.95 and plain.sensing_cost == 0.1
    longer = find_problem("snake-maze@horizon=12")
    assert longer.conventions == "12 steps, discount 1, end seen"
    assert longer.build(0.1).remaining_steps.max() == 12


def test_a_layered_grid_has_a_place_for_every_state():
    facts = find_problem("semi-slippery-4x4@horizon=5")
    grid, model = facts.grid(), facts.build(0.1)
    assert len(grid.position) == model.num_states
    assert grid.position[model.state_index("r2c1, step 2")] == (2, 1)
    assert grid.position[model.state_index("r3c3")] == (3, 3)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("taxi@walls=3", "taxi has no setting 'walls'; expected one of: discount, horizon"),
        ("inventory@capacity=0", "capacity is 0; expected a whole number from 1 to 200"),
        ("inventory@size=2", "expected one of: capacity, mean, discount"),
        ("taxi@horizon=", "expected NAME=VALUE"),
        ("taxi@horizon=2.5", "whole number of steps"),
        ("taxi@discount=1", "give a horizon or a discount below 1"),
        ("nothing@horizon=3", "unknown problem 'nothing'"),
    ],
)
def test_a_mistake_is_named(wrong, message):
    with pytest.raises(ModelError, match=message):
        load_problem(wrong)
