"""Pictures of policies: whose plan is shown, where it ends, and the beliefs on the way."""

import numpy as np
import pytest

from bench import load_problem
from bench.plots.grid_sheet import on_grid
from bench.plots.policy_picture import STEPS, beliefs, ending, shown_steps
from bench.problems import find_problem
from tests.bench.drawn import drawn, texts
from tests.bench.made_rows import row, solved, store

COSTS = (0.001, 0.05)


def test_of_methods_equally_good_the_first_in_order_is_pictured(tmp_path):
    made = [row(k=k, solver=s, value=-0.02) for k in COSTS for s in ("dips", "spi", "pbvi")]
    plans = {"plans": {"0": {"actions": [0], "senses": True}}}
    results = store(tmp_path, *made, details={line.key: plans for line in made})
    words = texts(drawn(results)["policy-frozen-lake-4x4"])
    assert any("\nSPI" in text for text in words) and not any("\nDIPS" in w for w in words)


def test_policy_picture_ends_where_the_plan_does(tmp_path):
    made, details = [], {}
    for k in COSTS:
        line, content = solved("frozen-lake-4x4", k, "spi")
        made.append(line)
        details |= content
    words = texts(drawn(store(tmp_path, *made, details=details))["policy-frozen-lake-4x4"])
    assert {"looks here", "never looks", "1. left"} <= words
    assert "Frozen Lake 4x4: plans from state r0c0" in words


def test_beliefs_spread_as_the_model_says():
    model = load_problem("frozen-lake-4x4", 0.01)
    path = beliefs(model, 0, {"actions": [0, 1], "senses": True})
    assert path.sum(axis=1) == pytest.approx(1)
    assert path[2] == pytest.approx(path[1] @ model.transitions[1].toarray())
    cells = on_grid(find_problem("frozen-lake-4x4").grid(), path[1])
    assert cells[0, 0] == pytest.approx(2 / 3)
    assert cells[1, 0] == pytest.approx(1 / 3)


def test_a_plan_cut_short_does_not_claim_its_end():
    model = load_problem("frozen-lake-4x4", 0.01)
    cut = {"actions": [0] * 3, "senses": True, "length": 4}
    assert ending(cut, beliefs(model, 0, cut)) == "still blind"
    whole = {"actions": [0] * 3, "senses": True}
    assert ending(whole, beliefs(model, 0, whole)) == "looks here"
    lost = {"actions": [2] * 100, "senses": False, "length": 101}
    assert ending(lost, beliefs(model, 0, lost)) == "never looks"


def test_taxi_beliefs_add_up_over_passengers():
    grid = find_problem("taxi").grid()
    assert on_grid(grid, np.full(500, 1 / 500)) == pytest.approx(np.full((5, 5), 1 / 25))


@pytest.mark.parametrize("length", [1, 3, STEPS, STEPS + 1, 40, 300])
def test_shown_steps_fit_and_end_with_the_last(length):
    steps = shown_steps(np.zeros((length, 1)))
    assert len(steps) == min(length, STEPS)
    assert steps == sorted(set(steps))
    assert (steps[0], steps[-1]) == (0, length - 1)
