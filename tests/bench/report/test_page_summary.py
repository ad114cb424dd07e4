"""Who wins where: the sentence and the bars before the table, in a real browser."""

import pytest

from bench.analysis.results import Results
from bench.report.report import write_report
from tests.bench.made_rows import row, store

pytestmark = pytest.mark.browser


def test_more_problems_than_colours_are_told_apart_by_numbers(browser, tmp_path):
    names = [f"two-state@discount=0.{i}" for i in range(31, 40)]
    store(tmp_path, *(row(n, 0.25, s, v) for n in names for s, v in (("spi", 1.0), ("atm", 2.0))))
    page = browser.new_page()
    page.goto(write_report(Results.load("made", tmp_path)).as_uri())
    page.wait_for_selector("html[data-ready=all]")
    numbers = [str(i) for i in range(1, 10)]
    assert page.locator("#summary .wins-piece").all_inner_texts() == numbers
    assert page.locator("#summary .wins-key .swatch").all_inner_texts() == numbers
    page.close()


def test_a_sentence_and_a_chart_say_who_wins_before_the_table(visit):
    page = visit()
    words = page.locator("#summary .verdict").inner_text()
    assert words.startswith("Of 2 instances, SPI has the best value on 2.")
    assert "On 2 more only one" in words
    assert page.locator("#summary .wins-piece").count() == 1
    assert page.locator("#summary .wins").get_attribute("aria-label") == "SPI: best on 2 of 2"
    above = page.evaluate(
        "document.querySelector('#summary').getBoundingClientRect().bottom"
        " <= document.querySelector('#table').getBoundingClientRect().top"
    )
    assert above


def summary(browser, results):
    """The sentence about these results, and the line of those that have no bar."""
    page = browser.new_page()
    page.goto(write_report(Results.load("made", results)).as_uri())
    page.wait_for_selector("html[data-ready=all]")
    words = page.locator("#summary .verdict").inner_text()
    more = page.locator("#summary .wins-more").all_inner_texts()
    page.close()
    return words, more


def test_the_sentence_names_every_method_that_ties_and_says_when_values_tie(browser, tmp_path):
    wins = {"dips": 3, "pbvi": 2, "spi": 1, "atm": 1, "fib": 0}
    made = [
        row(k=0.01 * (i + 1), solver=solver, value=-0.02 if i < count else 0.01)
        for solver, count in wins.items()
        for i in range(3)
    ]
    words, more = summary(browser, store(tmp_path, *made))
    assert words.startswith(
        "Of 3 instances, DIPS (ours) has the best value on 3; PBVI on 2; SPI and ATM on 1 each. "
        "Values that print the same digits are equally good"
    )
    assert more == []


def test_methods_without_room_for_a_bar_are_named(browser, tmp_path):
    made = [row(solver=f"own-{i}", value=-0.02) for i in range(10)]
    _, (more,) = summary(browser, store(tmp_path, *made))
    assert more == "Also best: own-8 and own-9 on 1 each."
