"""The paper's numbers as data: looked up by our names, in our units, with their rounding."""

import pytest

from bench.analysis.published import best_published, facts, first_depth, published

TABLE1 = [
    # problem, solver, options, k, value as printed in the paper's Table 1
    ("icu-sepsis", "atm", {}, 0.005, 0.740),
    ("icu-sepsis", "spi", {"max_iterations": 2}, 0.1, 0.745),
    ("icu-sepsis", "julia-sarsop", {}, 0.1, 0.740),
    ("taxi", "spi", {}, 5.0, -9.778),
    ("taxi", "julia-sarsop", {}, 0.1, -22.0),
    ("frozen-lake-4x4", "julia-fib", {}, 0.005, 31.43),
    ("frozen-lake-4x4-hard", "truncation", {"depth": 3}, 0.05, -36.75),
    ("frozen-lake-8x8", "spi", {"init": "always-sense"}, 0.001, 3.53),
]


@pytest.mark.parametrize(("problem", "solver", "options", "k", "value"), TABLE1)
def test_table1_by_our_names(problem, solver, options, k, value):
    assert published(problem, solver, options, k).value == value


def test_all_of_table1_is_there():
    """5 problems × 4 costs of ATM, SARSOP and SPI; FIB and truncation on the three lakes."""
    values = [f for f in facts() if f.source == "Table 1" and not f.quantity.endswith("time")]
    assert len(values) == 5 * 4 * 3 + 3 * 4 * 2
    for f in values:
        ours = {"truncation N=3": "truncation", "SARSOP": "julia-sarsop"}
        solver = ours.get(f.quantity, f.quantity.lower())
        found = published(f.problem, solver, {"depth": 3}, f.sensing_cost)
        assert found.value == float(f.text)


def test_other_methods_have_no_published_value():
    assert published("frozen-lake-4x4", "truncation", {"depth": 4}, 0.01) is None
    assert published("frozen-lake-4x4", "spi", {"init": "best"}, 0.01) is None
    assert published("frozen-lake-4x4", "julia-sarsop-structured", {}, 0.01) is None
    assert published("frozen-lake-4x4", "spi", {}, 0.02) is None
    assert published("icu-sepsis", "fib", {}, 0.1) is None


@pytest.mark.parametrize(
    ("problem", "solver", "k", "low", "high"),
    [
        ("icu-sepsis", "atm", 0.005, 0.73945, 0.741),
        ("taxi", "spi", 0.5, -0.307, -0.30545),
        ("taxi", "julia-sarsop", 0.1, -23.0, -21.45),
        ("frozen-lake-8x8", "truncation", 0.005, -4.944, -4.94245),
        ("frozen-lake-4x4-hard", "atm", 0.01, -0.0055, 0.0055),
    ],
)
def test_what_prints_as_the_number(problem, solver, k, low, high):
    """Rounding twice reaches 0.55 units of the last digit, cutting a whole one away from 0."""
    found = published(problem, solver, {"depth": 3}, k)
    assert (found.low, found.high) == (pytest.approx(low), pytest.approx(high))


def test_units_become_ours():
    """App. B.1 prints plain rewards where our lakes print thousandths."""
    found = published("frozen-lake-4x4-hard-near", "pomcp", {}, 0.01)
    assert found.value == pytest.approx(19.1)
    assert (found.low, found.high) == (pytest.approx(19.045), pytest.approx(19.2))


def test_times_come_along():
    assert published("icu-sepsis", "spi", {}, 0.1).seconds == 2757
    assert published("frozen-lake-8x8", "fib", {}, 0.01).seconds == 475
    assert published("icu-sepsis", "julia-sarsop", {}, 0.1).seconds is None


def test_best_published_knows_the_sign():
    name, best = best_published("frozen-lake-4x4", 0.01)
    assert (name, best.value) == ("FIB", 23.08)
    assert best_published("taxi", 5)[0] == "SPI"
    assert best_published("taxi", 0.3) is None


def test_depths():
    assert first_depth("two-state", "Theorem 4.4 first holds at N", 0.25) == 4
    assert first_depth("inventory", "Theorem 4.4 first holds at N", 0.064) == 7
    assert first_depth("inventory", "Theorem 4.4 first holds at N", 0.2) is None
