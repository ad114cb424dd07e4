"""The numbers of other papers: readable, of problems we have, and none beyond what is possible."""

import numpy as np
import pytest

from bench.analysis.published import facts, field_facts, published
from bench.problems import find_problem
from bench.suites.suite import load_suite

FIELD = [fact for fact in facts() if fact.counted]


def test_every_number_is_of_a_problem_and_cost_we_have():
    assert len(FIELD) > 40
    for fact in FIELD:
        assert float(fact.sensing_cost) in find_problem(fact.problem).sensing_costs
        assert np.isfinite(float(fact.text)) and fact.source and fact.unit == "reward"


def test_a_stated_error_widens_what_counts_as_the_same():
    snake = published("snake-maze", "atm", {}, 0.001)
    assert (snake.low, snake.high) == pytest.approx((0.607, 0.635))
    assert published("lucky-unlucky", "atm", {}, 0.2).value == 0.88
    assert published("snake-maze", "spi", {}, 0.001) is None


def test_sums_without_discount_are_not_held_against_discounted_values():
    assert any(f.quantity == "ATM" and "no discount" in f.counted for f in field_facts("drone"))
    assert published("drone", "atm", {}, 0.05) is None


def test_measuring_value_is_reported_as_its_closed_form_allows():
    """A last tenth is 100 episodes of 5 runs: nothing lies above the optimum by three errors."""
    for fact in field_facts("measuring-value"):
        c = float(fact.sensing_cost)
        optimum = max(0.8, 1 - 1.25 * c)
        error = np.sqrt(0.8 * 0.2 / 500)
        assert float(fact.text) <= optimum + 3 * error


def test_the_suite_has_every_problem_of_the_field():
    named = {problem.id for problem in load_suite("active-measuring").problems}
    assert {fact.problem for fact in FIELD} <= named
