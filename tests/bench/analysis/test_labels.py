"""Names and numbers as they are printed."""

import pytest

from bench.analysis.labels import (
    cost_title,
    method_name,
    number,
    percent,
    problem_rank,
    seconds,
    solver_rank,
    solver_title,
)


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.0, "0 %"), (1e-9, "0 %"), (2e-6, "0.001 %"), (0.00301, "0.31 %"), (0.25, "25.0 %")],
)
def test_a_gap_is_never_rounded_down(share, text):
    assert percent(share) == text


def test_numbers():
    assert number(-0.001, 2) == "0.00"
    assert number(-0.306525, 3) == "-0.307"
    assert [seconds(t) for t in (0.0042, 0.123, 3.44, 2757.0)] == ["0.004", "0.12", "3.4", "2757"]


@pytest.mark.parametrize(
    ("solver", "options", "title"),
    [
        ("spi", {}, "SPI"),
        ("spi", {"max_steps": 500}, "SPI"),  # its default
        ("spi", {"max_steps": 50, "init": "best"}, "SPI (init best, max steps 50)"),
        ("truncation", {"depth": 3}, "Truncation N=3"),
        ("julia-sarsop", {"scale": 1000.0}, "SARSOP (Julia, scale 1000)"),
        ("mine", {"speed": 2}, "mine (speed 2)"),
    ],
)
def test_titles_tell_options_that_are_not_defaults(solver, options, title):
    assert solver_title(solver, options) == title


def test_a_label_that_begins_with_the_id_is_written_like_the_method():
    assert method_name("spi", "spi-best") == "SPI-best"
    assert method_name("spi", "") == "SPI"
    assert method_name("spi", "Ours") == "Ours"


def test_order_of_methods_and_problems():
    methods = [
        ("mine", {}),
        ("julia-sarsop", {}),
        ("dips", {}),
        ("spi", {"init": "best"}),
        ("spi", {}),
        ("truncation", {"depth": 10}),
        ("truncation", {"depth": 9}),
    ]
    ordered = sorted(methods, key=lambda m: solver_rank(*m))
    names = [o.get("depth") or o.get("init", s) for s, o in ordered]
    assert names == ["spi", "best", 9, 10, "dips", "julia-sarsop", "mine"]
    assert sorted(["zoo", "inventory", "taxi"], key=problem_rank) == ["taxi", "inventory", "zoo"]


def test_costs_in_headings():
    assert cost_title(0.05) == "0.05"
    assert cost_title("[0.1, 0.2, 0.3, 0.4]") == "[0.1, 0.2, 0.…"
