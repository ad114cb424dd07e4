"""Advice in words: the sentences that the page and the terminal share.

Each question has a heading, a short answer and sentences of detail.  Numbers are printed as the
problem prints them (rewards where it is stated in rewards).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from bench.analysis.labels import counted, percent
from bench.problems import Problem
from solvers.advice.advice import Advice

MOST_LETTERS = 90
DIGITS = 4
"""Most decimals of a value."""
CLOSE = 1e-4
"""A proven gap below this share is called optimal."""
RARE = 1e-3
"""A plan that looks less often than this practically never does."""
PROVEN = 1e-6
"""A proven price this close, as a share, is the price itself."""
SMALL_REGRET = 0.01


@dataclass(frozen=True)
class Answer:
    """One question and its answer."""

    question: str
    short: str
    details: tuple[str, ...]


def shown(facts: Problem, cost: float, more: int = 0) -> str:
    """A cost as this problem prints it."""
    text = f"{facts.shown(cost):.{min(facts.digits, DIGITS) + more}f}"
    return text if float(text) else text.lstrip("-")


def price(x: float) -> str:
    """A price of a look, to four digits."""
    return f"{x:.4g}"


def nearness(advice: Advice) -> str:
    """How far from optimal the plan may be, as proven."""
    text = percent(advice.gap)
    return "proven optimal" if text == "0 %" else f"proven to be within {text} of optimal"


def plan_text(advice: Advice, plan) -> str:
    """A plan in words, cut where it is long."""
    words = plan.describe(advice.problem.action_names)
    return words if len(words) <= MOST_LETTERS else words[: MOST_LETTERS - 1] + "…"


def answers(advice: Advice, facts: Problem) -> list[Answer]:
    """All questions, answered."""
    return [
        _always(advice, facts),
        _often(advice),
        _worth(advice, facts),
        _prices(advice, facts),
        _gain(advice, facts),
        _wrong(advice, facts),
    ]


def tiles(advice: Advice, facts: Problem) -> list[tuple[str, str]]:
    """What counts at first sight: a few numbers, each with its words."""
    k, prices = advice.k, advice.prices
    word = "reward" if facts.rewards else "cost"
    gap = "optimal" if advice.gap <= CLOSE else percent(advice.gap)
    often = "none" if advice.rate <= RARE else f"{100 * advice.rate:.3g} %"
    found = [
        (shown(facts, advice.value), f"{word} of the plan"),
        (gap, "proven, to a hundredth of a percent" if advice.gap <= CLOSE else "at most to gain"),
        (often, "of the steps with a look"),
    ]
    if math.isfinite(prices.break_even):
        found.append((price(prices.break_even * k), "price from which looking always is too much"))
    return found


def _what(facts: Problem) -> str:
    return "earns" if facts.rewards else "costs"


def _always(advice: Advice, facts: Problem) -> Answer:
    prices, k = advice.prices, advice.k
    best, always = shown(facts, advice.value), shown(facts, advice.always)
    limit, proven = prices.break_even * k, prices.always_proven * k
    if advice.always <= advice.value + CLOSE * abs(advice.value):
        short = "Yes: at this price nothing better than looking after every step is known."
    else:
        short = f"No. Always looking {_what(facts)} {always}, the plan below {best}."
    details = []
    if math.isfinite(limit) and limit > 0:
        details.append(
            f"A plan that looks less often is better as soon as a look costs more than "
            f"{price(limit)}"
            + (
                " (that it is not better sooner is not proven)."
                if proven < (1 - PROVEN) * limit
                else "."
            )
        )
    elif limit == 0:
        details.append(
            "A plan that looks less often is better as soon as a look costs anything: some step is "
            "as good blind even if looks are free."
        )
    else:
        details.append(f"Always looking is the best known at every price up to {price(10 * k)}.")
    details.append(
        f"Always looking is proven optimal up to {price(proven)}."
        if proven > 0
        else "No price above 0 is known up to which always looking is proven optimal."
    )
    details.append(
        f"If looks were free one would get {shown(facts, advice.free)}; repeating one action and "
        f"never looking {_what(facts)} {shown(facts, advice.never)}."
    )
    return Answer("Should you always look?", short, tuple(details))


def _often(advice: Advice) -> Answer:
    rate = advice.rate
    if rate <= 1e-9:
        short = "Never: the plan stays blind for good."
    elif rate <= RARE:
        short = "Practically never: the next look is so far off that, discounted, it hardly counts."
    else:
        short = f"At {100 * rate:.3g} % of the steps: about one look every {1 / rate:.3g} steps."
    looking = [s for s in advice.states if s.plan.senses]
    details = []
    if looking:
        soonest = min(looking, key=lambda s: len(s.plan.actions))
        longest = max(looking, key=lambda s: len(s.plan.actions))
        first, last = len(soonest.plan.actions), len(longest.plan.actions)
        details.append(
            f"From every state the next look comes {_after(first)}."
            if first == last
            else f"The next look comes soonest from {soonest.name}, {_after(first)}, and latest "
            f"from {longest.name}, {_after(last)}."
        )
    blind = sum(not s.plan.senses for s in advice.states)
    if blind:
        details.append(f"From {blind} of the {len(advice.states)} states that are seen: never.")
    return Answer("How often, and where?", short, tuple(details))


def _after(n: int) -> str:
    return "after 1 step" if n == 1 else f"after {n} steps"


def _worth(advice: Advice, facts: Problem) -> Answer:
    if not advice.states:
        return Answer("What is one look worth?", "Nothing: there is nothing to see.", ())
    best = max(advice.states, key=lambda s: s.look_worth)
    paying = sum(s.look_worth > advice.k for s in advice.states)
    return Answer(
        "What is one look worth?",
        f"At most {best.look_worth:.4g} (in state {best.name}); a look costs {price(advice.k)}.",
        (
            f"A look after the very next step pays for itself in {paying} of the "
            f"{len(advice.states)} states that are seen.",
            "The worth of a look is the difference between two plans: the best one found that "
            "takes the next step without looking, and the best one that looks after it for free. "
            "Later looks are paid for in both.",
        ),
    )


def _prices(advice: Advice, facts: Problem) -> Answer:
    prices, k = advice.prices, advice.k
    changes = [m * k for m in prices.changes]
    below = [m for m in changes if m < k]
    above = [m for m in changes if m >= k]
    short = f"{len(changes)} changes of plan between a price of 0 and {price(10 * k)}"
    short += "." if prices.finished else ", more may be found with more time."
    return Answer(
        "How does the plan change with the price?", short, _around(prices.finished, below, above)
    )


def _around(finished: bool, below: list[float], above: list[float]) -> tuple[str, ...]:
    """Between which prices today's plan is the best, or at least not known to be beaten."""
    if not below and not above:
        return ()
    if finished:
        ends = [f"down to a price of {price(m)}" for m in below[-1:]]
        ends += [f"up to a price of {price(m)}" for m in above[:1]]
        return (f"Today's plan is the best one {' and '.join(ends)}.",)
    ends = [f"below {price(m)}" for m in below[-1:]] + [f"above {price(m)}" for m in above[:1]]
    return (
        f"Better plans are known for prices {' and '.join(ends)}. Nearer to today's price none was "
        "found, but not every price was searched.",
    )


def _gain(advice: Advice, facts: Problem) -> Answer:
    bound = shown(facts, advice.lower, 1)
    if advice.gap <= CLOSE:
        short = f"Nothing worth having: the plan is {nearness(advice)}."
    else:
        short = f"At most {percent(advice.gap)}."
    word = "more than" if facts.rewards else "less than"
    return Answer(
        "What is still to be gained?",
        short,
        (f"It is proven that no policy {_what(facts)} {word} {bound}.",),
    )


def _wrong(advice: Advice, facts: Problem) -> Answer:
    levels = advice.robustness
    if not levels:
        return Answer("How wrong may the model be?", "There was no time to find out.", ())
    fine = [r.noise for r in levels if r.regret <= SMALL_REGRET]
    if fine:
        short = (
            f"Even with every probability off by about {100 * max(fine):.0f} %, a new plan would "
            "gain less than 1 %."
        )
    else:
        short = (
            f"Not much: with probabilities off by {100 * levels[0].noise:.0f} % a new plan would "
            f"gain {100 * levels[0].regret:.2g} %."
        )
    details = tuple(
        f"Off by {100 * r.noise:.0f} %: the plan {_what(facts)} {shown(facts, r.mean)} on average "
        f"over {counted(r.drawn, 'model')} drawn at random ({shown(facts, r.worst)} at worst); a "
        f"plan made for the first of these models would gain {100 * r.regret:.2g} % there."
        for r in levels
    )
    return Answer("How wrong may the model be?", short, details)
