"""The field's problems: sizes and conventions as listed, and the optima known in closed form."""

import numpy as np
import pytest

from bench import load_problem
from bench.problems import find_problem, problems
from bench.problems.gilbert_elliott import SAFE, STAY_BAD, STAY_GOOD
from bench.problems.inspection import hazard
from bench.problems.machine_repair import BREAK_COST, REPAIR_COST
from solvers import solve

# id: live states without layers, discount, steps, sensing costs
FACTS = {
    "measuring-value": (3, 1, 40, (0.05, 0.1, 0.2)),
    "lucky-unlucky": (3, 1, None, (0.2,)),
    "semi-slippery-4x4": (11, 0.995, None, (0.05,)),
    "semi-slippery-8x8": (53, 0.995, None, (0.05,)),
    "random-lake-12x12": (None, 0.995, None, (0.05,)),
    "random-lake-20x20": (None, 0.995, None, (0.05,)),
    "snake-maze": (100, 1, 150, (0.001,)),
    "drone": (40656, 0.95, None, (0.05,)),
    "drone-symmetric": (40656, 0.95, None, (0.05,)),
    "sepsis-nam": (None, 0.7, 5, (0.1,)),
    "machine-repair": (4, 0.95, None, (0.05,)),
    "k-out-of-n-2": (16, 0.95, None, (0.05, 0.1)),
    "k-out-of-n-3": (64, 0.95, None, (0.05, 0.15)),
    "inspection": (26, 0.98, None, (0.1, 0.5)),
    "gilbert-elliott": (2, 0.95, None, (0.05, 0.2)),
}


@pytest.mark.parametrize("problem_id", FACTS)
def test_facts_of_the_source(problem_id):
    live, discount, steps, costs = FACTS[problem_id]
    facts = find_problem(problem_id)
    model = load_problem(problem_id)
    plain = (facts.plain or facts.build)(0.0)
    assert live is None or np.count_nonzero(~plain.terminal) == live
    assert (model.discount, facts.sensing_costs) == (discount, costs)
    assert steps is None or model.remaining_steps.max() == steps
    assert model.end_is_seen == bool(plain.terminal.any())
    assert model.max_sensing_cost == costs[0] and model.name == problem_id


def test_every_listed_problem_has_its_size_and_a_source():
    for facts in problems().values():
        if "drone" in facts.id:
            continue  # loaded above
        model = facts.build(facts.sensing_costs[0])
        assert (model.num_states, model.num_actions) == facts.size, facts.id
        assert facts.source and model.start @ model.terminal == 0


@pytest.mark.parametrize("c", [0.05, 0.1, 0.15, 0.17, 0.2])
def test_measuring_value_is_worth_its_closed_form(c):
    found = solve(load_problem("measuring-value", c), "spi", init="best")
    assert -found.value == pytest.approx(max(0.8, 1 - 1.25 * c), abs=1e-9)


@pytest.mark.parametrize("p", [0.05, 0.3])
@pytest.mark.parametrize("c", [0.02, 0.2])
def test_lucky_unlucky_is_worth_its_closed_form(p, c):
    found = solve(load_problem(f"lucky-unlucky@unlucky={p}", c), "spi", init="best")
    assert -found.value == pytest.approx(max(1 - 2 * p, 1 - p - c), abs=1e-9)


def test_a_machine_wears_breaks_and_is_repaired():
    one = load_problem("machine-repair")
    run, repair = (T.toarray() for T in one.transitions)
    assert run == pytest.approx(
        np.array([[0.8, 0.2, 0, 0], [0, 0.8, 0.2, 0], [0, 0, 0.8, 0.2], [0, 0, 0, 1]])
    )
    assert (repair[:, 0] == 1).all() and one.start.tolist() == [0, 1, 0, 0]
    assert one.costs[3].tolist() == [BREAK_COST, BREAK_COST + REPAIR_COST]
    two = load_problem("k-out-of-n-2")
    at, broken = two.state_index("wear 1-3"), two.state_index("wear 2-3")
    assert two.transitions[0][at, broken] == pytest.approx(0.5)  # a broken neighbour makes haste
    three = load_problem("k-out-of-n-3")
    at, broken = three.state_index("wear 3-0-3"), three.state_index("wear 3-1-3")
    assert three.transitions[0][at, broken] == pytest.approx(0.9)
    assert three.action_names[5] == "repair 1+3"
    assert three.costs[three.state_index("wear 3-0-3"), 5] == 2 * BREAK_COST + 2 * REPAIR_COST


def test_inspection_fails_by_its_weibull_law():
    model = load_problem("inspection")
    alive, T = np.eye(26)[0], model.transitions[0].toarray()
    for t in range(1, 20):
        alive = alive @ T
        assert 1 - alive[25] == pytest.approx(np.exp(-((t / 15) ** 2.5)))
    assert (np.diff(hazard(25, 2.5, 15.0)) > 0).all()
    assert (model.transitions[1].toarray()[:, 0] == 1).all()


def test_a_channel_forgets_as_its_eigenvalue_says():
    model = load_problem("gilbert-elliott")
    rate, good = STAY_GOOD + STAY_BAD - 1, (1 - STAY_BAD) / (2 - STAY_GOOD - STAY_BAD)
    belief = np.array([0.0, 1.0])
    for m in range(1, 8):
        belief = belief @ model.transitions[0].toarray()
        assert belief[1] == pytest.approx(good + (1 - good) * rate**m)
    many = load_problem("gilbert-elliott@channels=3")
    assert (many.num_states, many.num_actions) == (8, 4)
    assert many.costs[many.state_index("good-bad-good")].tolist() == [-SAFE, -1.0, 0.5, -1.0]


def test_an_inventory_of_any_size():
    small, large = (
        load_problem("inventory@capacity=3"),
        load_problem("inventory@capacity=30,mean=9"),
    )
    assert (small.costs == load_problem("inventory").costs).all()
    assert large.num_states == large.num_actions == 31
    # Nothing in stock, nothing ordered: nothing is sold. Enough: mean sales, less what it costs.
    assert large.costs[0, 0] == 0
    assert large.costs[0, 30] == pytest.approx(30 - 2 * 9 + 0.5 * 21, abs=1e-4)
