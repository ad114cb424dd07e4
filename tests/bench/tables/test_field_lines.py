"""Published numbers and learners below the planners of a table."""

import pytest

from bench.analysis.learned import FILE, learned
from bench.analysis.results import Results
from bench.tables.field_lines import LEARNER, LEGEND, field_lines
from bench.tables.tables import render
from tests.bench.made_rows import row, store

HEADER = "problem,sensing_cost,learner,runs,training_return,counted\n"
LINES = (
    'measuring-value,0.1,amrl-q,10,0.79734,"training mean, last tenth, no discount"\n'
    'measuring-value,0.05,amrl-q,10,0.77478,"training mean, last tenth, no discount"\n'
    'measuring-value,0.05,never-ended,3,,"training mean, last tenth, no discount"\n'
    'taxi,1,amrl-q,10,-21.4,"training mean, last tenth, no discount"\n'
)


@pytest.fixture
def results(tmp_path):
    (tmp_path / "learning").mkdir()
    (tmp_path / "learning" / FILE).write_text(HEADER + LINES, encoding="utf-8")
    return store(tmp_path, row(problem="measuring-value", k=0.05, solver="spi", value=-0.9375))


def test_learners_stand_below_published_numbers_at_their_cost(results):
    lines = dict(field_lines(results, "measuring-value", [0.05, 0.1, 0.2]))
    name = f"{LEARNER}amrl-q (training mean, last tenth, no discount, 10 runs)"
    assert [entry.text for entry in lines[name]] == ["0.775", "0.797", ""]
    assert list(lines)[-1] == name and next(iter(lines)).startswith("Published: Dyna-ATMQ (")
    assert not any("never-ended" in line for line in lines)


def test_a_problem_without_published_learners_gets_none(results):
    assert learned(results, "taxi") and field_lines(results, "taxi", [1.0]) == []


def test_a_table_says_what_a_learner_counts_only_where_it_has_one(results):
    table = render(Results.load("made", results), "markdown")
    assert f"{LEARNER}amrl-q" in table and LEGEND in table
    (results / "learning" / FILE).unlink()
    table = render(Results.load("made", results), "markdown")
    assert LEARNER not in table and LEGEND not in table and "Published: AMRL" in table
