"""The page of ``sensebench advise``: one HTML file that stands alone, and the same for a terminal.

The sentences come from advice_words.py; here they get their pictures and tables.
"""

from __future__ import annotations

import textwrap
from html import escape
from importlib.resources import files

from bench.problems import Problem
from bench.report.advice_words import (
    Answer,
    answers,
    nearness,
    plan_text,
    price,
    shown,
    tiles,
)
from bench.report.svg_chart import Chart, bars
from solvers.advice.advice import Advice

MOST_STATES = 12
MOST_CHANGES = 15
WIDTH = 96
COUNTS = (
    "Counts are discounted: what happens n steps from now counts with the discount to the power n."
)
SAME_PLAN = "Where the plan does not change from one line to the next, that of another state does."


def advice_text(advice: Advice, facts: Problem) -> str:
    """The advice for a terminal."""
    parts = [_head(advice, facts), ""]
    for answer in answers(advice, facts):
        parts += [answer.question, textwrap.fill(answer.short, WIDTH, **_indent("  "))]
        parts += [textwrap.fill(d, WIDTH, **_indent("  ")) for d in answer.details] + [""]
    parts.append("What to do, in the states that are seen most often")
    for s in advice.states[:MOST_STATES]:
        parts.append(f"  {s.name}: {plan_text(advice, s.plan)}")
    parts += ["", f"Prices at which the plan changes, and the plan from {_likeliest_start(advice)}"]
    for prices, looks, plan in _stretches(advice):
        parts.append(f"  {prices} ({looks} looks, discounted): {plan}")
    return "\n".join(parts)


def _indent(text: str) -> dict[str, str]:
    return {"initial_indent": text, "subsequent_indent": text}


def advice_page(advice: Advice, facts: Problem) -> str:
    """The advice as one HTML page without any other file."""
    style = files("bench.report").joinpath("page/advice.css").read_text(encoding="utf-8")
    always, often, worth, prices, gain, wrong = answers(advice, facts)
    body = [
        _section(always, _value_chart(advice, facts)),
        _section(often, _states_table(advice)),
        _section(worth, _worth_bars(advice)),
        _section(prices, _rate_chart(advice) + _changes_table(advice)),
        _section(gain, ""),
        _section(wrong, _robust_chart(advice, facts)),
    ]
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>When to look: {escape(facts.title)}</title><style>{style}</style></head><body>"
        f"<main><h1>When to look: {escape(facts.title)}</h1><p>{escape(_head(advice, facts))}</p>"
        + _tiles(advice, facts)
        + "".join(body)
        + "</main></body></html>\n"
    )


def _head(advice: Advice, facts: Problem) -> str:
    problem = advice.problem
    word = "reward" if facts.rewards else "cost"
    scaled = "" if facts.scale == 1 else f", times {facts.scale:g}"
    return (
        f"{facts.title}: {problem.num_states:,} states, {problem.num_actions} actions, discount "
        f"{problem.discount:g}, a look costs {price(advice.k)}. The best plan found has a {word} "
        f"of {shown(facts, advice.value)}{scaled}; it is {nearness(advice)}."
    )


def _tiles(advice: Advice, facts: Problem) -> str:
    found = "".join(
        f"<li><b>{escape(number)}</b><span>{escape(words)}</span></li>"
        for number, words in tiles(advice, facts)
    )
    return f'<ul class="tiles">{found}</ul>'


def _section(answer: Answer, picture: str) -> str:
    details = "".join(f"<p>{escape(d)}</p>" for d in answer.details)
    return (
        f"<section><h2>{escape(answer.question)}</h2>"
        f'<p class="short">{escape(answer.short)}</p>{details}{picture}</section>'
    )


def _value_chart(advice: Advice, facts: Problem) -> str:
    """The best cost over the price, always looking beside it, and what is proven."""
    prices, k = advice.prices, advice.k
    if not k > 0:
        return ""
    ends = [0.0, *prices.changes, 10.0]
    best = [
        (m * k, facts.shown(line.at(m)))
        for line, left, right in zip(prices.lines, ends[:-1], ends[1:], strict=True)
        for m in (left, right)
    ]
    bounds = [(p.factor * k, facts.shown(p.lower)) for p in prices.points]
    bounds.append((k, facts.shown(advice.lower)))
    heights = [y for _, y in best + bounds]
    low, high = min(heights), max(heights)
    always = [
        (m * k, facts.shown(prices.always.at(m)))
        for m in (i / 20 for i in range(201))
        if low <= facts.shown(prices.always.at(m)) <= high
    ]
    chart = Chart(
        (0.0, 10 * k), (low, high), "price of a look", _axis(facts), "best value over the price"
    )
    chart.upright(k, "now")
    if len(always) > 1:
        chart.line(always, "always")
    chart.line(best, "best")
    chart.dots(bounds, "bound")
    return _figure(
        chart,
        "Blue: the best plan found at each price. Grey: always looking. Dots: proven, nothing is "
        "better. Upright: the price now.",
    )


def _rate_chart(advice: Advice) -> str:
    """What the looks of the best plan cost per unit of price: how much it looks."""
    prices, k = advice.prices, advice.k
    if not k > 0:
        return ""
    ends = [0.0, *prices.changes, 10.0]
    looks = [
        (m * k, line.slope / k)
        for line, left, right in zip(prices.lines, ends[:-1], ends[1:], strict=True)
        for m in (left, right)
    ]
    top = max(y for _, y in looks)
    chart = Chart((0.0, 10 * k), (0.0, top), "price of a look", "looks (discounted)", "looks")
    chart.upright(k, "now")
    chart.line(looks, "best")
    return _figure(chart, "How many looks the best plan takes, discounted, at each price.")


def _robust_chart(advice: Advice, facts: Problem) -> str:
    if len(advice.robustness) < 2:
        return ""
    levels = [(0.0, *(facts.shown(advice.value),) * 3)]
    levels += [
        (100 * r.noise, facts.shown(r.worst), facts.shown(r.mean), facts.shown(r.best))
        for r in advice.robustness
    ]
    heights = [y for level in levels for y in level[1:]]
    chart = Chart(
        (0.0, levels[-1][0]),
        (min(heights), max(heights)),
        "error of the probabilities, in %",
        _axis(facts),
        "value of the plan when the model is wrong",
    )
    chart.band([(x, worst, best) for x, worst, _, best in levels], "band")
    chart.line([(x, mean) for x, _, mean, _ in levels], "best")
    return _figure(chart, "The same plan in models that are off: mean, best and worst draw.")


def _axis(facts: Problem) -> str:
    word = "reward" if facts.rewards else "cost"
    return word if facts.scale == 1 else f"{word} x {facts.scale:g}"


def _figure(chart: Chart, caption: str) -> str:
    return f"<figure>{chart.svg()}<figcaption>{escape(caption)}</figcaption></figure>"


def _worth_bars(advice: Advice) -> str:
    best = sorted(advice.states, key=lambda s: -s.look_worth)[:MOST_STATES]
    lines = [(s.name, s.look_worth) for s in best]
    if not lines:
        return ""
    title = f"The mark is the price, {price(advice.k)}. The states where a look is worth most."
    return bars(lines, advice.k, title, lambda value: f"{value:.3g}")


def _states_table(advice: Advice) -> str:
    rows = "".join(
        f"<tr><td>{escape(s.name)}</td><td>{s.visits:.3g}</td>"
        f"<td>{escape(plan_text(advice, s.plan))}</td></tr>"
        for s in advice.states[:MOST_STATES]
    )
    more = len(advice.states) - MOST_STATES
    note = f"and {more:,} more states. " if more > 0 else ""
    note = f'<p class="small">{note}{COUNTS}</p>'
    return (
        '<div class="scroll"><table><tr><th>seen</th><th>how often</th><th>then do</th></tr>'
        f"{rows}</table></div>{note}"
    )


def _changes_table(advice: Advice) -> str:
    """The stretches of prices and their plans, as a table."""
    rows = "".join(
        f"<tr><td>{escape(prices)}</td><td>{looks}</td><td>{escape(plan)}</td></tr>"
        for prices, looks, plan in _stretches(advice)
    )
    more = len(advice.prices.lines) - MOST_CHANGES
    note = f"and {more} more stretches. " if more > 0 else ""
    return (
        f'<div class="scroll"><table><tr><th>price</th><th>looks</th>'
        f"<th>plan from {escape(_likeliest_start(advice))}</th></tr>{rows}</table></div>"
        f'<p class="small">{note}{SAME_PLAN}</p>'
    )


def _likeliest_start(advice: Advice) -> str:
    return advice.problem.state_names[int(advice.problem.start.argmax())]


def _stretches(advice: Advice) -> list[tuple[str, str, str]]:
    """Each stretch of prices, the discounted looks there, the plan from the likeliest start."""
    prices, k = advice.prices, advice.k
    root = int(advice.problem.start.argmax())
    if not k > 0:
        return []
    ends = [0.0, *prices.changes, 10.0]
    found = zip(prices.lines[:MOST_CHANGES], ends[:-1], ends[1:], strict=False)
    return [
        (
            f"{price(left * k)} to {price(right * k)}",
            f"{line.slope / k:.3g}",
            plan_text(advice, line.plans[root]),
        )
        for line, left, right in found
    ]
