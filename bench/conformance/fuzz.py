"""The fuzz campaign: many small hostile problems, every solver and the checker, one referee.

Case i of a campaign depends on (seed, i) alone, so any case can be run again by its number, and a
campaign can be split into shards.  Each case runs some of the solvers, in turn, and always the
checker, in a child process that may hang or die (:mod:`bench.conformance.fuzz_watch`).  Counts are
written every so often; a campaign that was stopped goes on where its file ends.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from bench.conformance.fuzz_checks import SOLVERS, Failure, judge, takes
from bench.conformance.fuzz_problems import Case, draw
from bench.conformance.fuzz_record import KEPT, Campaign
from bench.conformance.fuzz_shrink import shrink
from bench.conformance.fuzz_watch import ENDED, watched

PER_CASE = 3
"""Solvers run on one case."""
SAVED_EVERY = 50
PER_CHILD = 2000
"""Cases after which a new child is taken, so that none grows."""


def case_number(seed: int, i: int) -> tuple[Case, list[str], np.random.Generator]:
    """Case i of a campaign, the solvers whose turn it is, and the chance for the checks."""
    chance = np.random.default_rng([seed, i])
    names = list(SOLVERS)
    turn = [names[(PER_CASE * i + n) % len(names)] for n in range(PER_CASE)]
    return draw(chance), turn, chance


def warm_up() -> None:
    """Compile what is compiled, so that no case is charged with it."""
    for i in range(10):
        case, _, chance = case_number(0, i)
        judge(case, list(SOLVERS), chance)


def run_campaign(
    campaign: Campaign, cases: int, path: Path, say: Callable[[str], None] = print
) -> Campaign:
    """Run until ``cases`` cases are done, saving counts and shrunk failures on the way."""
    warm_up()
    keeper = _Keeper(campaign, path, say)
    while campaign.done < cases:
        numbers = range(campaign.first + campaign.done, campaign.first + cases)[:PER_CHILD]
        how, detail = watched(
            lambda tell, numbers=numbers: _run_cases(campaign.seed, numbers, tell), keeper.take
        )
        if how != ENDED:
            keeper.lost(how, detail)
        campaign.save(path)
    return campaign


def _run_cases(seed: int, numbers: range, tell: Callable[[Any], None]) -> None:
    """The child's part: tells what it begins (number, where) and what each case gave."""
    for i in numbers:
        began = time.process_time()
        case, turn, chance = case_number(seed, i)
        found = judge(case, turn, chance, lambda where, i=i: tell((i, where)))
        records = []
        for failure in found:
            records.append(_record(i, case, failure, tell))
        tell((i, records, time.process_time() - began))


class _Keeper:
    """The parent's part: counts what the child tells."""

    def __init__(self, campaign: Campaign, path: Path, say: Callable[[str], None]) -> None:
        self.campaign, self.path, self.say = campaign, path, say
        self.where = ""

    def take(self, told: tuple[Any, ...]) -> None:
        if len(told) == 2:
            self.where = told[1]
            return
        i, records, seconds = told
        self._count(i, records, seconds)

    def lost(self, how: str, detail: str) -> None:
        """The child was lost at the case that is next."""
        i = self.campaign.first + self.campaign.done
        script = case_number(self.campaign.seed, i)[0].script() + _call(self.where)
        failure = Failure(how, self.where, detail)
        self._count(i, [{"case": str(i), **failure._asdict(), "script": script}], 0.0)

    def _count(self, i: int, records: list[dict[str, str]], seconds: float) -> None:
        campaign = self.campaign
        case, turn, _ = case_number(campaign.seed, i)
        campaign.labels.update(case.labels)
        for name in turn:
            (campaign.runs if takes(case, name) else campaign.refused)[name] += 1
        for record in records:
            campaign.counts[f"{record['kind']}: {record['where']}"] += 1
            self.say(f"case {i}: {record['where']}: {record['kind']}: {record['detail']}")
        campaign.failures += records[: max(KEPT - len(campaign.failures), 0)]
        campaign.done += 1
        campaign.seconds += seconds
        if campaign.done % SAVED_EVERY == 0:
            campaign.save(self.path)


def _record(i: int, case: Case, failure: Failure, tell: Callable[[Any], None]) -> dict[str, str]:
    """A failure with the smallest script that still shows it."""

    def fails(other: Case) -> bool:
        tell((i, failure.where))
        try:
            found = judge(other, [x for x in [failure.where] if x in SOLVERS], _fresh(i))
        except Exception:  # a case that is no problem any more shows nothing
            return False
        return any(f.kind == failure.kind and f.where == failure.where for f in found)

    small = shrink(case, fails) if failure.kind != "overrun" else case
    return {"case": str(i), **failure._asdict(), "script": small.script() + _call(failure.where)}


def _call(where: str) -> str:
    """The call that fails, as Python."""
    if where not in SOLVERS:
        return ""
    solver, options = SOLVERS[where]
    given = "".join(f", {name}={value!r}" for name, value in options.items())
    return f'print(solve(problem, "{solver}", budget=1{given}))\n'


def _fresh(i: int) -> np.random.Generator:
    return np.random.default_rng(i)
