"""docs/problems.md names every problem of the field, and its closed numbers are those of today."""

import re
from pathlib import Path

import pytest

from bench import load_problem
from bench.problems import find_problem, problems
from bench.report.boards import DRAWN, FILLS, MAPS, board
from solvers import solve

PAGE_FILE = Path(__file__).parents[2] / "docs" / "problems.md"
PAGE = PAGE_FILE.read_text(encoding="utf-8")


def test_every_problem_that_is_not_the_papers_is_on_the_page():
    for facts in problems().values():
        if facts.source != "the paper":
            short = re.sub(r"^(semi-slippery|random-lake|k-out-of-n)", "", facts.id)
            assert f"`{facts.id}`" in PAGE or f"`{short}`" in PAGE, facts.id


@pytest.mark.parametrize("problem_id", DRAWN)
def test_a_picture_is_of_the_problem_as_it_is_built(problem_id):
    drawn = (PAGE_FILE.parent / "boards" / f"{problem_id}.svg").read_text(encoding="utf-8")
    assert drawn == board(problem_id) and f"boards/{problem_id}.svg" in PAGE
    facts = find_problem(problem_id)
    cells = (MAPS.get(problem_id) or facts.plain_grid or facts.grid)().cells
    assert drawn.count(FILLS["H"]) == "".join(cells).count("H") + ("H" in "".join(cells))


@pytest.mark.parametrize(
    ("problem_id", "k", "solver"),
    [
        ("machine-repair", 0.05, "dips"),
        ("k-out-of-n-2", 0.1, "dips"),
        ("gilbert-elliott", 0.2, "dips"),
        ("inspection", 0.5, "dips"),
        ("sepsis-nam", 0.1, "spi"),
        ("semi-slippery-4x4", 0.05, "dips"),
        ("semi-slippery-8x8", 0.05, "dips"),
        ("random-lake-12x12", 0.05, "dips"),
        ("random-lake-20x20", 0.05, "spi"),
    ],
)
def test_a_number_of_the_page_is_found_again(problem_id, k, solver):
    value = abs(solve(load_problem(problem_id, k), solver, budget=20).value)
    assert f"{value:.4f}" in PAGE or f"{value:.3f}" in PAGE


@pytest.mark.parametrize("components", [2, 3])
def test_the_sources_optimum_lies_between_two_of_ours(components):
    published = {2: (-1.749, -1.737), 3: (-2.633, -2.100)}[components]
    worth = [
        -solve(load_problem(f"k-out-of-n-{components}", k), "dips", budget=20).value
        for k in (0.05 * components, 0.05)
    ]
    assert worth[0] <= published[1] and published[0] <= worth[1]
