"""The fuzz campaign: many small hostile problems, every solver and the checker, one referee.

Case i of a campaign depends on (seed, i) alone, so any case can be run again by its number.  Each
case runs some of the solvers, in turn, and always the checker.  Counts are written every so often;
a campaign that was stopped goes on where its file ends.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from bench.conformance.fuzz_checks import SOLVERS, Failure, judge
from bench.conformance.fuzz_problems import Case, draw
from bench.conformance.fuzz_shrink import shrink

PER_CASE = 3
"""Solvers run on one case."""
KEPT = 40
"""Failures kept with a script, at most; all of them are counted."""
SAVED_EVERY = 50


@dataclass
class Campaign:
    """seed, cases done, seconds of CPU time, counts by kind of failure, and failing scripts."""

    seed: int
    done: int = 0
    seconds: float = 0.0
    runs: Counter[str] = field(default_factory=Counter)
    counts: Counter[str] = field(default_factory=Counter)
    failures: list[dict[str, str]] = field(default_factory=list)

    def save(self, path: Path) -> None:
        """Write everything as JSON, whole or not at all."""
        beside = path.with_name(f".{path.name}")
        beside.write_text(json.dumps(vars(self), indent=1) + "\n", encoding="utf-8")
        beside.replace(path)

    @classmethod
    def resume(cls, path: Path, seed: int) -> Campaign:
        """The campaign of a file if it has this seed, else a new one."""
        if not path.exists():
            return cls(seed)
        stored = json.loads(path.read_text(encoding="utf-8"))
        if stored.get("seed") != seed:
            raise ValueError(f"{path} holds the campaign of seed {stored.get('seed')}; use another")
        counters = {name: Counter(stored.pop(name)) for name in ("runs", "counts")}
        return cls(**stored, **counters)


def case_number(seed: int, i: int) -> tuple[Case, list[str], np.random.Generator]:
    """Case i of a campaign, the solvers whose turn it is, and the chance for the checks."""
    chance = np.random.default_rng([seed, i])
    names = list(SOLVERS)
    turn = [names[(PER_CASE * i + n) % len(names)] for n in range(PER_CASE)]
    return draw(chance), turn, chance


def warm_up() -> None:
    """Compile what is compiled, so that no case is charged with it."""
    for i in range(len(SOLVERS)):
        case, _, chance = case_number(0, i)
        judge(case, list(SOLVERS), chance)


def run_campaign(
    campaign: Campaign, cases: int, path: Path, say: Callable[[str], None] = print
) -> Campaign:
    """Run up to case number ``cases``, saving counts and shrunk failures on the way."""
    warm_up()
    while campaign.done < cases:
        began, i = time.process_time(), campaign.done
        case, turn, chance = case_number(campaign.seed, i)
        campaign.runs.update(turn)
        for failure in judge(case, turn, chance):
            campaign.counts[f"{failure.kind}: {failure.where}"] += 1
            say(f"case {i}: {failure.where}: {failure.kind}: {failure.detail}")
            if len(campaign.failures) < KEPT:
                campaign.failures.append(_record(i, case, failure))
        campaign.done += 1
        campaign.seconds += time.process_time() - began
        if campaign.done % SAVED_EVERY == 0 or campaign.done == cases:
            campaign.save(path)
    return campaign


def _record(i: int, case: Case, failure: Failure) -> dict[str, str]:
    """A failure with the smallest script that still shows it."""

    def fails(other: Case) -> bool:
        try:
            found = judge(other, [x for x in [failure.where] if x in SOLVERS], _fresh(i))
        except Exception:  # a case that is no problem any more shows nothing
            return False
        return any(f.kind == failure.kind and f.where == failure.where for f in found)

    small = shrink(case, fails) if failure.kind != "overrun" else case
    call = f'print(solve(problem, "{failure.where}", budget=1))\n'
    script = small.script() + (call if failure.where in SOLVERS else "")
    return {"case": str(i), **failure._asdict(), "script": script}


def _fresh(i: int) -> np.random.Generator:
    return np.random.default_rng(i)
