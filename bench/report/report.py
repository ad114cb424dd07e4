"""The report of a suite: one static HTML page with the table, every run, the figures, the policies.

Numbers come from :mod:`bench.analysis.frame`, so the page, the tables and the plots agree; this
module only arranges them for the page and writes the file.
"""

from __future__ import annotations

import base64
import gzip
import math
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pandas as pd

from bench.analysis.frame import problem_facts
from bench.analysis.labels import file_word, number, percent, solver_rank
from bench.analysis.results import Results
from bench.problems import Problem
from bench.report.page_file import page_file
from bench.report.policy_data import PolicyData
from bench.store.files import write_text
from bench.store.status import CLAIMED, VERIFIED

TRACE_POINTS = 80
CLOSED = 1e-7
"""A proven gap below this is rounding: the value is optimal."""
TIMES = ("start", "compile", "export", "solve", "evaluate", "wall")


def write_report(results: Results) -> Path:
    """Write ``report.html`` beside a suite's rows from what its runs left there."""
    frame, folder = results.frame, results.folder
    columns = _columns(frame)
    policies = PolicyData()
    cells = []
    for row in frame.to_dict("records"):
        detail = results.details(row["key"])
        cell = {**_cell(row, detail), "solver": columns[row["method"]]}
        cell["explorable"] = policies.add(
            row["key"], problem_facts(row["problem"]), row["sensing_cost"], detail
        )
        cells.append(cell)
    content = {
        "suite": results.name,
        "words": results.suite.description if results.suite is not None else "",
        "problems": _problems(frame),
        "solvers": list(dict.fromkeys(columns.values())),
        "cells": cells,
        "settings": _settings(frame),
        "environments": results.environments,
        "figures": _figures(folder, frame),
    }
    path = folder / "report.html"
    write_text(path, page_file(results.title, content, policies.content()))
    return path


def _cell(row: dict[str, Any], detail: dict[str, Any]) -> dict[str, Any]:
    """One run as the page reads it; numbers in the units the tables print."""
    facts = problem_facts(row["problem"])
    k = row["k"]
    trace = [[seconds, *_range(facts, low, high)] for seconds, low, high in detail.get("trace", [])]
    return {
        "key": row["key"],
        "problem": row["problem"],
        "k": k if isinstance(k, str) else _short(k),
        "method": row["method"],
        "solverId": row["solver"],
        "options": row["options"],
        "seed": row["seed"],
        "status": row["status"],
        "reason": row["failure"],
        "note": row["note"],
        "value": _short(row["shown"]),
        "standardError": _short(row["shown_error"]),
        "best": bool(row["best"]),
        "published": row["published_text"].replace("-", "\u2212"),
        "flag": row["flag"],
        "gap": _short(row["gap"]),
        "gapText": _gap_words(row),
        "bestBound": _short(row["shown_bound"]),
        "verified": row["verified"],
        "bounds": _range(facts, row["lower"], row["upper"]),
        "seconds": _short(row["solve_seconds"]),
        "times": {name: _short(row[f"{name}_seconds"]) for name in TIMES},
        "sensingRate": _short(row["sensing_rate"]),
        "iterations": _short(row["iterations"]),
        "solverStatus": row["solver_status"],
        "memory": _short(row["peak_memory_mb"]),
        "budget": _short(row["budget_seconds"]),
        "threads": _short(row["threads"]),
        "startBelief": row["start_belief"],
        "versions": row["versions"],
        "code": row["code"],
        "clone": row["clone"],
        "finished": row["finished"],
        "trace": _thinned(trace),
        "info": detail.get("info", {}),
    }


def _range(facts: Problem, lower: float | None, upper: float | None) -> list[float | None]:
    """Bounds on a cost as printed, low end first: a reward turns them over."""
    shown = [None if x is None else _short(facts.shown(x)) for x in (lower, upper)]
    return shown[::-1] if facts.rewards else shown


def _thinned(trace: list) -> list:
    """At most TRACE_POINTS of a trace, first and last among them."""
    if len(trace) <= TRACE_POINTS:
        return trace
    last = len(trace) - 1
    return [trace[round(i * last / (TRACE_POINTS - 1))] for i in range(TRACE_POINTS)]


def _gap_words(row: dict[str, Any]) -> str:
    """A proven gap in words; the distance itself where the value is 0 and has no shares."""
    gap = row["gap"]
    if not math.isnan(row["standard_error"]):
        return "simulated"
    if math.isnan(gap):
        return "no bound"
    if math.isinf(gap):
        return f"within {number(abs(row['shown_bound'] - row['shown']), row['digits'])}"
    return "optimal" if gap <= CLOSED else percent(gap)


def _short(x: float | None) -> float | int | None:
    """A number of ten digits; None for what is missing or not finite."""
    if x is None or not math.isfinite(x):
        return None
    short = float(f"{x:.10g}")
    return int(short) if short.is_integer() else short


def _columns(frame: pd.DataFrame) -> dict[str, str]:
    """The column of each method, in order.

    A solver that runs with other options on other problems has one column; two variants of it on
    the same instance have two.
    """
    # A method stands where its plainest options put it: SPI before SPI-best.
    ranked = frame.to_dict("records")
    ranked.sort(key=lambda row: (solver_rank(row["solver"], row["options"]), row["method"]))
    groups: list[tuple[str, str, set]] = []  # solver, label, instances taken
    found = {}
    for row in ranked:
        if row["method"] in found:
            continue
        own = frame[frame["method"] == row["method"]]
        instances = set(zip(own["problem"], own["sensing_cost"], strict=True))
        for solver, label, taken in groups:
            if solver == row["solver"] and not taken & instances:
                taken |= instances
                found[row["method"]] = label
                break
        else:
            groups.append((row["solver"], row["method"], instances))
            found[row["method"]] = row["method"]
    return found


def _problems(frame: pd.DataFrame) -> list[dict[str, Any]]:
    found = []
    for problem_id in dict.fromkeys(frame["problem"]):
        facts = problem_facts(problem_id)
        unit = "reward" if facts.rewards else "cost"
        found.append(
            {
                "id": problem_id,
                "title": facts.title,
                "unit": unit if facts.scale == 1 else f"{unit} × {facts.scale:g}",
                "rewards": facts.rewards,
                "scale": facts.scale,
                "digits": facts.digits,
                "grid": facts.grid is not None,
            }
        )
    return found


def _settings(frame: pd.DataFrame) -> list[tuple[str, str]]:
    """What was equal for every run, and what was not."""
    counts = frame["status"].value_counts()
    days = sorted(day[:10] for day in frame["finished"] if day)
    return [
        ("Runs", ", ".join(f"{n} {status}" for status, n in counts.items())),
        ("Claimed bounds", _claims(frame)),
        ("Planning budget", _listed(frame["budget_seconds"], " s")),
        ("Threads", _listed(frame["threads"])),
        ("Seeds", ", ".join(dict.fromkeys(map(str, frame["seed"])))),
        ("Finished", " to ".join(sorted({days[0], days[-1]})) if days else ""),
    ]


def _claims(frame: pd.DataFrame) -> str:
    """How many of the bounds that rows claim were proved again by the independent checker."""
    counts = frame["verified"].value_counts()
    words = {VERIFIED: "verified by the independent checker", CLAIMED: "claimed only"}
    parts = [f"{counts[word]} {text}" for word, text in words.items() if word in counts]
    return ", ".join(parts) or "not checked"


def _listed(column: pd.Series, unit: str = "") -> str:
    return ", ".join(f"{x:g}{unit}" for x in sorted(column.dropna().unique()))


def _figures(folder: Path, frame: pd.DataFrame) -> list[dict[str, str]]:
    """The suite's figures, those of all problems first; packed, since an SVG is mostly repetition.

    The page shows them as images, so that nothing in them can act on it.
    """
    titles = dict(zip(frame["problem"], frame["problem_title"], strict=True))
    found = []
    for path in (folder / "figures").glob("*.svg"):
        own = [p for p in titles if path.stem.endswith(f"-{file_word(p)}")]
        problem = max(own, key=len, default="")
        words = path.stem.removesuffix(f"-{file_word(problem)}").replace("-", " ").capitalize()
        packed = gzip.compress(path.read_bytes(), mtime=0)
        figure = {
            "title": f"{words}: {titles[problem]}" if problem else words,
            "file": f"figures/{quote(path.name)}",
            "packed": base64.b64encode(packed).decode("ascii"),
        }
        found.append((bool(problem), path.stem, figure))
    return [figure for _, _, figure in sorted(found, key=lambda each: each[:2])]
