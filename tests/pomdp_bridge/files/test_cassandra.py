import numpy as np
import pytest

from bench import load_problem
from pomdp_bridge.files.cassandra import number, write_pomdp
from pomdp_bridge.files.cassandra_reader import read_pomdp
from tests.pomdp_bridge.random_problems import SHAPES, random_problem, same_model


@pytest.mark.parametrize("sensing", SHAPES)
@pytest.mark.parametrize("seed", range(3))
def test_round_trip(tmp_path, seed, sensing):
    problem = random_problem(seed, sensing=sensing)
    write_pomdp(problem, tmp_path / "p.pomdp")
    same_model(problem, read_pomdp(tmp_path / "p.pomdp"))


@pytest.mark.parametrize(
    "name", ["two-state", "frozen-lake-4x4", "frozen-lake-8x8", "inventory", "taxi"]
)
def test_round_trip_of_real_problems(tmp_path, name):
    problem = load_problem(name)
    write_pomdp(problem, tmp_path / "p.pomdp")
    same_model(problem, read_pomdp(tmp_path / "p.pomdp"))


@pytest.mark.parametrize("x", [0.1, 1e-7, 1.0, -2.5e22, 1 / 3, 0.0])
def test_numbers_are_exact_and_have_digits_around_the_point(x):
    text = number(x)
    assert float(text) == x
    before, after = text.split("e")[0].split(".")
    assert before.lstrip("-").isdigit() and after.isdigit()


def test_the_header_is_what_other_programs_read(tmp_path):
    problem = load_problem("two-state", 0.25)
    write_pomdp(problem, tmp_path / "p.pomdp")
    lines = [x for x in (tmp_path / "p.pomdp").read_text().splitlines() if not x.startswith("#")]
    assert lines[:6] == [
        "discount: 0.5",
        "values: reward",
        "states: 2",
        "actions: 4",
        "observations: 3",
        "start: 0.5 0.5",
    ]
    assert "O: 0 : 1 : 2 1.0" in lines and "O: 3 : 1 : 1 1.0" in lines
    rewards = {x for x in lines if x.startswith("R: 3")}
    assert rewards == {"R: 3 : 0 : * : * -1.25", "R: 3 : 1 : * : * -0.25"}
    probabilities = np.zeros((4, 2))
    for line in lines:
        if line.startswith("T:"):
            _, a, s, rest = line.split(":")
            probabilities[int(a), int(s)] += float(rest.split()[1])
    np.testing.assert_allclose(probabilities, 1)
