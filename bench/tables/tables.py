"""Tables of a suite, laid out like the paper's Table 1: problems as blocks, sensing costs as
columns, methods as rows; beside our value the published one.

Below the methods of a block stands what is proven: a bound no policy can beat, and how close to
optimal the best value found therefore is.  A failure is told in words where its value would be.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from bench.analysis.frame import problem_facts
from bench.analysis.labels import cost_title, number, percent, seconds
from bench.analysis.published import best_published
from bench.analysis.results import Results
from bench.store.files import write_text
from bench.store.result import options_text
from bench.store.status import CLAIMED, VERIFIED
from bench.tables.certificate_table import certificate_blocks
from bench.tables.field_lines import LEARNER, LEGEND, field_lines
from bench.tables.formats import (
    FAILURE,
    WIDTH,
    Block,
    Entry,
    Table,
    to_markdown,
    to_terminal,
)
from bench.tables.latex import to_latex

FORMATS = ("terminal", "markdown", "latex", "csv")
FILES = {"csv": "table.csv", "markdown": "table.md", "latex": "table.tex"}
COSTS_PER_BLOCK = 4
"""Sensing costs side by side; more of them go into further blocks of the same problem."""
WORDS = 18
"""A reason up to this long stands in its cell; a longer one becomes a note."""
CSV_COLUMNS = (
    *("problem", "sensing_cost", "method", "solver", "options", "seed", "status", "reason"),
    *("shown", "shown_error", "published", "flag", "best", "shown_bound", "gap", "sensing_rate"),
    *("solve_seconds", "published_seconds", "peak_memory_mb", "budget_seconds", "threads"),
    *("value", "best_lower", "verified", "note"),
)


def render(results: Results, fmt: str, colour: bool | None = None) -> str:
    """The table of a suite's results as text.

    fmt : one of FORMATS; colour : of the terminal form, None for "if standard output is a terminal"
    """
    if fmt not in FORMATS:
        raise ValueError(f"unknown table format {fmt!r}; the formats are: {', '.join(FORMATS)}")
    if fmt == "csv":
        return _csv(results.frame)
    table = build_table(results)
    if fmt == "markdown":
        return to_markdown(table)
    if fmt == "latex":
        return to_latex(table)
    return to_terminal(table, sys.stdout.isatty() if colour is None else colour)


def write_tables(results: Results) -> list[Path]:
    """Write ``table.csv``, ``table.md`` and ``table.tex`` beside the rows; returns their paths."""
    written = []
    for fmt, name in FILES.items():
        path = results.folder / name
        write_text(path, render(results, fmt))
        written.append(path)
    return written


def build_table(results: Results) -> Table:
    """The table as blocks of entries, for any written form."""
    frame = results.frame
    notes: list[str] = []
    blocks, beside = [], results.folder.parent
    for problem in frame["problem"].unique():
        part = frame[frame["problem"] == problem]
        costs = sorted(part["k"].unique(), key=lambda k: (isinstance(k, str), k))
        for first in range(0, len(costs), COSTS_PER_BLOCK):
            blocks.append(_block(part, costs[first : first + COSTS_PER_BLOCK], notes, beside))
    blocks += certificate_blocks(results)
    for line in frame[frame["wrong_bound"]].itertuples():
        notes.append(
            f"The lower bound of {line.method} on {line.problem} at k = {cost_title(line.k)} "
            "contradicts the exact value of a policy and is not used."
        )
    return Table(
        name=results.name,
        caption=f"sensebench {results.name}: value of each method's policy under the start "
        "distribution",
        blocks=blocks,
        notes=notes,
        legend=" ".join([_legend(frame), *([LEGEND] if _has_learners(blocks) else [])]),
        settings=_settings(results),
    )


def _block(part: pd.DataFrame, costs: list, notes: list[str], beside: Path) -> Block:
    """beside : the folder in which this suite and others lie."""
    first = part.iloc[0]
    header = ("Method", *(f"k = {cost_title(k)}" for k in costs), "Time (s)")
    lines = []
    for title in part["title"].unique():
        of = part[part["title"] == title]
        cells = [of[of["k"] == k] for k in costs]
        if all(cell.empty for cell in cells):
            continue
        entries = _common_failure(cells, notes) or [
            _entry(cell.iloc[0], notes) if len(cell) else Entry() for cell in cells
        ]
        lines.append((title, [*entries, _time(pd.concat(cells))]))
    scale = _scale_words(first)
    return Block(first["problem_title"], scale, header, lines, _summary(part, costs, beside))


def _has_learners(blocks: list[Block]) -> bool:
    return any(name.startswith(LEARNER) for block in blocks for name, _ in block.summary)


def _entry(row: pd.Series, notes: list[str]) -> Entry:
    if row["failure"]:
        if len(row["failure"]) <= WORDS:
            return Entry(row["failure"], kind=FAILURE)
        return Entry(f"{row['status']} {_reference(row['failure'], notes)}", kind=FAILURE)
    digits = row["digits"]
    if pd.isna(row["value"]):
        if pd.isna(row["lower"]):
            return Entry("no value", kind=FAILURE)
        sign = "≤" if row["rewards"] else "≥"
        own = problem_facts(row["problem"]).shown(row["lower"])
        return Entry(f"{sign} {number(own, digits)}")
    text = number(row["shown"], digits)
    if pd.notna(row["shown_error"]):
        text += f" ±{row['shown_error']:.{digits}f}"
    if row["note"]:
        text += f" {_reference(row['note'], notes)}"
    return Entry(text, row["published_text"], row["flag"], bool(row["best"]))


def _reference(note: str, notes: list[str]) -> str:
    if note not in notes:
        notes.append(note)
    return f"[{notes.index(note) + 1}]"


def _common_failure(cells: list[pd.DataFrame], notes: list[str]) -> list[Entry] | None:
    """One reason across the line where every cell of it failed for the same; else None."""
    reasons = {cell.iloc[0]["failure"] if len(cell) else "" for cell in cells}
    reason = reasons.pop()
    if reasons or not reason:
        return None
    if len(reason) > WIDTH // 2:
        reason = f"{cells[0].iloc[0]['status']} {_reference(reason, notes)}"
    return [Entry(reason, kind=FAILURE, span=len(cells))]


def _time(of: pd.DataFrame) -> Entry:
    """The longest planning time over the costs, as the paper gives it for the lakes."""
    ours, papers = of["solve_seconds"].max(), of["published_seconds"].max()
    return Entry("" if pd.isna(ours) else seconds(ours), "" if pd.isna(papers) else f"{papers:g}")


def _summary(part: pd.DataFrame, costs: list, beside: Path) -> list[tuple[str, list[Entry]]]:
    """What is proven, and the paper's best."""
    first = part.iloc[0]
    bounds, gaps, papers = [], [], []
    for k in costs:
        of = part[part["k"] == k]
        bound, best = of["shown_bound"].iloc[0], of[of["best"]]
        vouched = "verified" if of["bound_verified"].iloc[0] else ""
        bounds.append(
            Entry() if pd.isna(bound) else Entry(number(bound, first["digits"]), beside=vouched)
        )
        gap = best["gap"].min()
        gaps.append(Entry("" if pd.isna(gap) else percent(gap)))
        paper = best_published(first["problem"], k)
        papers.append(Entry(paper[1].text, paper[0]) if paper else Entry())
    side = "at most" if first["rewards"] else "at least"
    lines = field_lines(beside, first["problem"], costs)
    if not lines and any(e.text for e in papers):
        lines = [("Best in the paper", papers)]
    if any(e.text for e in bounds):
        lines += [(f"Optimum {side} (proven)", bounds), ("Best is optimal within", gaps)]
    return [(name, [*entries, Entry()]) for name, entries in lines]


def _scale_words(row: pd.Series) -> str:
    facts = problem_facts(row["problem"])
    what = "reward, higher is better" if row["rewards"] else "cost, lower is better"
    what = what if facts.scale == 1 else what.replace(",", f" × {facts.scale:g},", 1)
    return f"{what}; {facts.conventions}" if facts.conventions else what


def _legend(frame: pd.DataFrame) -> str:
    parts = ["Best value of each column {best}."]
    if (frame["flag"] != "").any():
        parts.append(
            "In brackets what the paper printed: = as published (rounded or cut), "
            "{better} ours is better, {worse} worse."
        )
    parts.append("Time is planning alone, the longest over k.")
    if frame["published_seconds"].notna().any():
        parts[-1] = parts[-1][:-1] + "; in brackets the paper's (Apple M3)."
    claims = frame["verified"].isin([VERIFIED, CLAIMED])
    if claims.any():
        held = int((frame["verified"] == VERIFIED).sum())
        parts.append(
            f"Of {int(claims.sum())} claimed bounds {held} are verified: proved again by a checker "
            "that shares no code with the solvers."
        )
    if frame["standard_error"].notna().any():
        parts.append("± is the standard error of a simulated value; all others are exact.")
    return " ".join(parts)


def _settings(results: Results) -> str:
    frame = results.frame
    budgets, threads = _listed(frame["budget_seconds"]), _listed(frame["threads"])
    many = "" if threads == "1" else "s"
    text = f"Settings: budget {budgets} s of planning, {threads} thread{many} for every cell."
    for clone in frame["clone"].unique():
        record = results.environments.get(clone)
        if record is None:
            continue
        commit = str(record.get("commit") or "unknown")[:10]
        changed = " with uncommitted changes" if record.get("dirty") else ""
        text += (
            f" Machine: {record.get('cpu', 'unknown')}, {record.get('cores', '?')} cores; "
            f"Python {record.get('python', '?')}, Julia {record.get('julia') or 'none'}; "
            f"commit {commit}{changed}."
        )
    return text


def _listed(column: Iterable[float]) -> str:
    found = sorted({f"{x:g}" for x in column if pd.notna(x)}, key=float)
    return " or ".join([", ".join(found[:-1]), found[-1]] if found[1:] else found) or "unknown"


def table_json(results: Results) -> str:
    """The lines of the CSV form as JSON, for scripts: numbers are numbers, none is null."""
    lines = []
    for row in results.frame[list(CSV_COLUMNS)].to_dict("records"):
        numbers = {c: x for c, x in row.items() if isinstance(x, float) and not math.isfinite(x)}
        lines.append({**row, **dict.fromkeys(numbers), "best": bool(row["best"])})
    content = {"suite": results.name, "title": results.title, "rows": lines}
    return json.dumps(content, indent=1)


def _csv(frame: pd.DataFrame) -> str:
    chosen = frame[list(CSV_COLUMNS)].copy()
    chosen["options"] = chosen["options"].map(options_text)
    for column in ("shown", "shown_error", "published", "shown_bound"):
        chosen[column] = [
            "" if pd.isna(v) else number(v, d + 2)
            for v, d in zip(chosen[column], frame["digits"], strict=True)
        ]
    return chosen.to_csv(index=False, lineterminator="\n", float_format="%.10g")
