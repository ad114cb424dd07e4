"""One tidy frame per suite: a line per method and instance, ready for tables, plots and reports.

An *instance* is (problem, sensing cost).  Within one, all rows share what any of them proves: with
``L`` the greatest trusted lower bound on the optimal cost,

    gap = (value - L) / |value|      "within 0.3 % of optimal (proven)"

A lower bound above the exact value of some policy is wrong whoever proved it, so it is left out
and said so.  Values are compared with the paper's within the rounding of what the paper printed.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

import numpy as np
import pandas as pd

from bench.analysis.labels import method_name, problem_rank, solver_rank, solver_title
from bench.analysis.published import published
from bench.problems import Problem, find_problem
from bench.store.costs import number_or_text
from bench.store.result import COLUMNS, TIMES, Result, latest, options_text
from bench.store.status import OK, VERIFIED
from solvers.core.validation import ModelError

AS_PUBLISHED, BETTER, WORSE = "as published", "better", "worse"
NUMBERS = (
    *("value", "standard_error", "lower", "upper", "sensing_rate", "iterations"),
    *("peak_memory_mb", "budget_seconds", "threads", *TIMES),
)
INSTANCE = ["problem", "sensing_cost"]
CROSSING = 1e-11
"""How far a lower bound may lie above an exact value, as a share of it, and still be rounding."""
FLOOR = 1e-6
"""A value below this share of the sensing cost counts as that when a gap is a share of it."""
NO_SHARE = 1e5
"""A value this much smaller than its distance from the bound is a zero with rounding."""
CLOSE = 1e-6
"""A verified bound this close to the best one, as a share, vouches for it."""
SURE = 2.0
"""A simulated value is compared at this many standard errors to its disadvantage."""


def tidy(stored: Iterable[Result]) -> pd.DataFrame:
    """Rows as stored -> the frame, a line per cell; of two rows of it the later counts.

    Added columns: ``k`` (number or text), ``method`` (its name, the same on all problems),
    ``title`` (with its options), ``problem_title``, ``digits``, ``rewards``, ``shown`` and
    ``shown_error`` (as tables print), ``best_lower``, ``shown_bound`` (the same, printed),
    ``bound_verified``, ``gap``,
    ``published`` with ``published_text``, ``_low``, ``_high`` and ``_seconds``, ``flag``,
    ``compared_cost`` (see :func:`_add_best`), ``best``, ``failure``, ``wrong_bound``.
    """
    rows = latest(stored)
    frame = pd.DataFrame([vars(row) for row in rows], columns=list(COLUMNS))
    for column in NUMBERS:
        frame[column] = pd.to_numeric(frame[column], errors="coerce").astype(float)
    frame["k"] = pd.Series([number_or_text(k) for k in frame["sensing_cost"]], dtype=object)
    frame["failure"] = [row.failure for row in rows]
    _add_printed(frame)
    _add_bounds(frame)
    _add_published(frame)
    _add_best(frame)
    _add_methods(frame)
    return _ordered(frame)


@cache
def problem_facts(problem_id: str) -> Problem:
    """How a problem's numbers are printed; costs as they are for one that is not known here."""
    try:
        return find_problem(problem_id)
    except (ModelError, ImportError, OSError):
        return Problem(problem_id, problem_id, build=None, sensing_costs=(), rewards=False)


def _add_printed(frame: pd.DataFrame) -> None:
    facts = [problem_facts(p) for p in frame["problem"]]
    frame["problem_title"] = [f.title for f in facts]
    frame["digits"] = [f.digits for f in facts]
    frame["rewards"] = [f.rewards for f in facts]
    frame["shown"] = [f.shown(v) for f, v in zip(facts, frame["value"], strict=True)]
    scale = np.array([abs(f.scale) for f in facts], float)
    frame["shown_error"] = frame["standard_error"] * scale


def _add_bounds(frame: pd.DataFrame) -> None:
    """The greatest trusted lower bound of each instance, and the gap of every exact value to it."""
    exact = (frame["status"] == OK) & frame["standard_error"].isna()
    exact_value = frame["value"].where(exact)
    least = exact_value.groupby([frame[c] for c in INSTANCE]).transform("min")
    floor = FLOOR * pd.to_numeric(frame["k"], errors="coerce").fillna(0.0)
    allowed = least + CROSSING * np.maximum(least.abs(), floor)
    frame["wrong_bound"] = frame["lower"] > allowed.fillna(np.inf)
    doubted = frame["note"].str.contains("not trusted", regex=False)
    lower = frame["lower"].where(~frame["wrong_bound"] & ~doubted)
    best = lower.groupby([frame[c] for c in INSTANCE]).transform("max")
    frame["best_lower"] = best
    held = (frame["verified"] == VERIFIED) & (lower >= best - CLOSE * best.abs())
    frame["bound_verified"] = held.groupby([frame[c] for c in INSTANCE]).transform("max")
    frame["shown_bound"] = [
        problem_facts(p).shown(b) for p, b in zip(frame["problem"], best, strict=True)
    ]
    distance = frame["value"] - best
    with np.errstate(divide="ignore", invalid="ignore"):
        gap: pd.Series = distance / np.maximum(frame["value"].abs(), floor)
    frame["gap"] = gap.where(distance != 0, distance)  # 0/0 is no gap at all
    frame.loc[frame["gap"] > NO_SHARE, "gap"] = np.inf
    frame.loc[frame["standard_error"].notna(), "gap"] = np.nan  # a simulated value proves nothing


def _add_published(frame: pd.DataFrame) -> None:
    columns = zip(frame["problem"], frame["solver"], frame["options"], frame["k"], strict=True)
    found = [published(*line) for line in columns]
    for name in ("value", "low", "high", "seconds"):
        column = "published" if name == "value" else f"published_{name}"
        frame[column] = pd.Series([getattr(f, name, None) for f in found], dtype=float)
    frame["published_text"] = [f.text if f else "" for f in found]
    room = SURE * frame["shown_error"].fillna(0) + 1e-9 * frame["published"].abs()
    above = frame["shown"] > frame["published_high"] + room
    below = frame["shown"] < frame["published_low"] - room
    none = frame["shown"].isna() | frame["published"].isna()
    better = above.where(frame["rewards"], below)
    worse = below.where(frame["rewards"], above)
    frame["flag"] = np.select([none, better, worse], ["", BETTER, WORSE], AS_PUBLISHED)


def _add_best(frame: pd.DataFrame) -> None:
    """Which values are best on their instance: all that print the same digits as the best one.

    This is the only rule for ties, of tables, the report page and figures alike.  The cost that is
    compared is the value, a simulated one at SURE standard errors to its disadvantage.
    """
    cost = frame["value"] + SURE * frame["standard_error"].fillna(0)
    cost = frame["compared_cost"] = cost.where(frame["status"] == OK)
    least = cost.groupby([frame[c] for c in INSTANCE]).transform("min")
    scale = np.array([abs(problem_facts(p).scale) for p in frame["problem"]], float)
    unit = 10.0 ** -frame["digits"].astype(float) / scale
    frame["best"] = (cost / unit).round(6).round() == (least / unit).round(6).round()


def _add_methods(frame: pd.DataFrame) -> None:
    """The same name for a method on every problem, unique on each instance.

    A suite may give one label to entries with other options on other problems: one method.
    """
    columns = [frame[c] for c in ("solver", "label", "options")]
    names = [method_name(s, label) for s, label, _ in zip(*columns, strict=True)]
    titles = [solver_title(s, o) for s, _, o in zip(*columns, strict=True)]
    texts = frame["options"].map(options_text)
    shared = texts.groupby([*(frame[c] for c in INSTANCE), pd.Series(names)]).transform("nunique")
    frame["method"] = np.where(shared == 1, names, titles)
    seeds = frame.groupby([*INSTANCE, "method"])["seed"].transform("nunique")
    frame["method"] += np.where(seeds > 1, ", seed " + frame["seed"].astype(str), "")
    named = (frame["label"] != "") & (frame["label"] != frame["solver"])
    frame["title"] = np.where(named | (shared > 1) | (seeds > 1), frame["method"], titles)


def _ordered(frame: pd.DataFrame) -> pd.DataFrame:
    keys = [
        (problem_rank(p), solver_rank(s, o), str(seed), isinstance(k, str), k)
        for p, s, o, seed, k in zip(
            *(frame[c] for c in ("problem", "solver", "options", "seed", "k")), strict=True
        )
    ]
    order = sorted(range(len(keys)), key=lambda i: keys[i])
    return frame.iloc[order].reset_index(drop=True)
