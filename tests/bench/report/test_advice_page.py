"""The page and the words of an advice: complete, self-contained, and made of the same numbers."""

import re
from functools import cache

import pytest

from bench.cli.entry import main
from bench.problems import find_problem
from bench.report.advice_page import advice_page, advice_text
from bench.report.advice_words import answers, shown, tiles
from bench.report.svg_chart import nice_ticks
from solvers import advise


@cache
def advised(problem_id):
    facts = find_problem(problem_id)
    return facts, advise(facts.build(facts.sensing_costs[0]), budget=6)


@pytest.mark.parametrize("problem_id", ["inventory", "gilbert-elliott"])
def test_page_and_terminal_say_the_same(problem_id):
    facts, advice = advised(problem_id)
    page, text = advice_page(advice, facts), " ".join(advice_text(advice, facts).split())
    plain = re.sub(r"<[^>]+>", " ", page).replace("&#x27;", "'").replace("&gt;", ">")
    plain = " ".join(plain.split())
    for answer in answers(advice, facts):
        for said in (answer.question, answer.short, *answer.details):
            assert said in plain and said in text
    assert shown(facts, advice.value) in plain.split("Should you")[0]
    assert f"{facts.shown(advice.value):.{facts.digits}f}" in plain
    for number, words in tiles(advice, facts):
        assert f"{number} {words}" in plain
    assert page.count("<svg") == 2 + (len(advice.robustness) > 1) and "http" not in page
    for s in advice.states[:12]:
        assert s.name in plain


def test_the_command_writes_page_and_controller(tmp_path, capsys):
    page, control = tmp_path / "page.html", tmp_path / "control.json"
    arguments = ["advise", "two-state", "-k", "0.25", "--budget", "4", "-o", str(page)]
    assert main([*arguments, "--controller", str(control)]) == 0
    told = capsys.readouterr().out
    assert "Should you always look?" in told and page.is_file() and control.is_file()
    assert main([*arguments[:-1], str(tmp_path / "no" / "page.html")]) == 2
    assert "there is no folder" in capsys.readouterr().err


def test_ticks_are_round_and_inside():
    assert nice_ticks(0.0, 1.0) == pytest.approx([0, 0.2, 0.4, 0.6, 0.8, 1.0])
    assert nice_ticks(-6.7, -6.1) == pytest.approx([-6.6, -6.4, -6.2])
