"""The numbers printed on an advice page, read off the page and recomputed in another way."""

import re
from functools import cache

import numpy as np
import pytest

from bench.problems import find_problem
from bench.report.advice_page import advice_page, advice_text
from solvers import advise, solve
from solvers.advice.price import priced
from tests.solvers.advice.test_advice import by_hand, pump


@cache
def advised(name):
    facts = find_problem("inspection") if name == "pump" else find_problem(name)
    model = pump() if name == "pump" else facts.build(facts.sensing_costs[0])
    advice = advise(model, budget=60)  # ends by itself; a busy machine may take longer
    return model, facts, advice, advice_page(advice, facts)


def table(page, heading):
    """The cells of the first table below a heading, without its header."""
    part = page.split(heading)[1].split("</table>")[0]
    rows = re.findall(r"<tr>(.*?)</tr>", part)
    return [re.findall(r"<td>(.*?)</td>", row) for row in rows[1:]]


CASES = ("pump", "gilbert-elliott", "machine-repair")


@pytest.mark.parametrize("name", CASES)
def test_states_are_seen_as_often_as_the_page_says(name):
    model, _, advice, page = advised(name)
    seen = by_hand(model, advice.policy.plans)[3]
    rows = table(page, "How often, and where?")
    assert len(rows) == min(12, np.count_nonzero(seen > 0))
    for state, how_often, _ in rows:
        expected = seen[model.state_names.index(state)]
        assert float(how_often) == pytest.approx(expected, rel=6e-3)


@pytest.mark.parametrize("name", CASES)
def test_between_two_prices_the_best_plan_looks_as_often_as_the_page_says(name):
    """Solved afresh at two prices inside each stretch: the looks are what dearer looks add."""
    model, _, advice, page = advised(name)
    rows = table(page, "How does the plan change with the price?")
    for words, looks, plan in rows:
        left, right = map(float, words.split(" to "))
        prices = [left + share * (right - left) for share in (0.2, 0.8)]
        costs = [solve(priced(model, p / advice.k), "dips", budget=10).value for p in prices]
        slope = (costs[1] - costs[0]) / (prices[1] - prices[0])
        # The search stops within 1e-6 of the optimum, and the page prints three digits.
        doubt = 4e-6 * (1 + max(map(abs, costs))) / (prices[1] - prices[0])
        assert float(looks) == pytest.approx(slope, rel=6e-3, abs=doubt), (words, plan)
    wide = [words for words, _, _ in rows if float(words.split(" to ")[1]) > advice.k]
    assert len(rows) >= 2 and wide


@pytest.mark.parametrize("name", CASES)
def test_the_terminal_lists_the_same_prices_and_plans(name):
    _, facts, advice, page = advised(name)
    text = advice_text(advice, facts)
    for words, looks, plan in table(page, "How does the plan change with the price?"):
        assert f"  {words} ({looks} looks, discounted): {plan}" in text


def test_a_look_is_worth_what_the_bars_say():
    """Two states, one channel: written out, from the definition in the page's own words."""
    model, _, advice, page = advised("gilbert-elliott")
    value, k = by_hand(model, advice.policy.plans)[0], advice.k
    T = model.transitions[0].toarray()
    for s in advice.states:
        free = min(model.costs[s.state, a] + model.discount * T[s.state] @ value for a in range(2))
        blind = np.inf
        for actions in np.ndindex(*(2,) * 6):
            belief, cost = np.eye(2)[s.state], 0.0
            for m, a in enumerate(actions):
                cost += model.discount**m * belief @ model.costs[:, a]
                belief = belief @ T
                if m:
                    look = k + model.discount * belief @ value
                    blind = min(blind, cost + model.discount**m * look)
        assert s.look_worth == pytest.approx(blind - free, abs=1e-6)
        assert f"{s.look_worth:.3g}" in page
