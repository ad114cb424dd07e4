"""The table of a learning suite: where each learner ends, how soon it is near, and what it paid."""

from __future__ import annotations

import csv
import io
import math
from pathlib import Path

import numpy as np

from bench.analysis.learned import FILE as LEARNERS
from bench.learning.curves import (
    SHARES,
    Curves,
    Optimum,
    published_return,
    read_curves,
    read_optima,
)
from bench.learning.suite import LearningSuite
from bench.store.files import write_text
from bench.tables.formats import FAILURE, Block, Entry, Table, to_markdown, to_terminal
from bench.tables.latex import to_latex

HEADER = (
    "learner",
    "greedy value",
    "regret",
    "steps to 10 %",
    "to 1 %",
    "training return",
    "looks/step",
    "CPU s",
)


def learning_table(suite: LearningSuite, results: Path) -> Table:
    """The table of what has been run so far."""
    curves, optima = read_curves(suite, results), read_optima(suite, results)
    blocks = []
    for problem in suite.problems:
        of = [c for c in curves if c.problem == problem]
        if of:
            blocks.append(_block(of, optima[problem.name]))
    if not blocks:
        raise ValueError(f"{suite.name} has no runs yet: sensebench learn run {suite.name}")
    return Table(
        name=suite.name,
        caption=suite.title,
        blocks=blocks,
        notes=_failures(curves),
        legend=(
            "Means over seeds ± standard deviation.  Greedy value: exact discounted return of the "
            "greedy policy at the end ({best}: least regret).  Regret: to the proven bound, as a "
            "share of the optimum.  Steps to: median over seeds of the steps after which the "
            "regret stays within 10 % and 1 % of the optimum (– where half the seeds do not get "
            "there).  Training return: last tenth of the episodes, without discount unless the "
            "source counts with one; in brackets the published number."
        ),
        settings=(
            f"{suite.seeds} seeds, one process each, one thread, at most {suite.seconds:g} s and "
            f"{suite.memory_mb} MB."
        ),
    )


def _block(curves: list[Curves], optimum: Optimum) -> Block:
    problem = curves[0].problem
    ends = [c.regrets[:, -1].mean() if c.regrets.size else math.inf for c in curves]
    lines = [
        (c.learner.name, _entries(c, optimum, end <= min(ends) + 1e-9))
        for c, end in zip(curves, ends, strict=True)
    ]
    gap = (
        f", proven within {100 * optimum.gap / abs(optimum.known):.2g} %" if optimum.gap > 0 else ""
    )
    unit = f"k = {problem.price:g}, {problem.steps:,} steps; optimum {optimum.known:.4g}{gap}"
    return Block(problem.name, unit, HEADER, lines)


def _entries(c: Curves, optimum: Optimum, best: bool) -> list[Entry]:
    if not c.regrets.size:
        return [Entry(c.failures[0], kind=FAILURE, span=len(HEADER) - 1)]
    published = published_return(c.problem, c.learner)
    regret = 100 * c.regrets[:, -1].mean() / abs(optimum.known)
    rate = (c.looks * np.diff(c.steps, prepend=0.0)).sum(axis=1) / c.steps[-1]
    near = [_steps(np.median(c.steps_to(share, optimum.known))) for share in SHARES]
    return [
        Entry(_spread(c.values[:, -1]), best=best),
        Entry(f"{regret:.2f} %"),
        *(Entry(text) for text in near),
        Entry(_spread(c.last_returns), beside="" if published is None else f"{published:.3f}"),
        Entry(f"{rate.mean():.2f}"),
        Entry(f"{c.seconds.mean():.1f}"),
    ]


def _spread(numbers: np.ndarray) -> str:
    known = numbers[np.isfinite(numbers)]
    return f"{known.mean():.4f} ±{known.std():.3f}" if len(known) else "–"


def _steps(median: float) -> str:
    return "–" if not math.isfinite(median) else f"{median:,.0f}"


def _failures(curves: list[Curves]) -> list[str]:
    return [
        f"{c.learner.name} on {c.problem.name}: {len(c.failures)} of its runs failed "
        f"({c.failures[0]})"
        for c in curves
        if c.failures
    ]


SUMMARY = (
    *("problem", "sensing_cost", "learner", "runs", "greedy_value", "greedy_spread", "regret"),
    *("training_return", "training_spread", "counted", "published"),
)


def summary_csv(suite: LearningSuite, results: Path) -> str:
    """A line per problem and learner, for scripts and for the tables of other suites.

    Means over the runs and their standard deviations; ``regret`` is that to the proven bound.
    ``problem`` is the id without its conventions, as published numbers name it.
    """
    out = io.StringIO()
    writer = csv.DictWriter(out, SUMMARY, lineterminator="\n")
    writer.writeheader()
    for c in read_curves(suite, results):
        if not c.regrets.size:
            continue
        published = published_return(c.problem, c.learner)
        returns = c.last_returns[np.isfinite(c.last_returns)]
        with_discount = "with discount" if c.problem.discounted_returns else "no discount"
        numbers = {
            "greedy_value": c.values[:, -1].mean(),
            "greedy_spread": c.values[:, -1].std(),
            "regret": c.regrets[:, -1].mean(),
            "training_return": returns.mean() if len(returns) else math.nan,
            "training_spread": returns.std() if len(returns) else math.nan,
        }
        writer.writerow(
            {
                "problem": c.problem.id.partition("@")[0],
                "sensing_cost": f"{c.problem.price:g}",
                "learner": c.learner.name,
                "runs": len(c.values),
                **{name: f"{x:.6g}" for name, x in numbers.items() if math.isfinite(x)},
                "counted": f"training mean, last tenth, {with_discount}",
                "published": "" if published is None else f"{published:g}",
            }
        )
    return out.getvalue()


def to_csv(suite: LearningSuite, results: Path) -> str:
    """Every checkpoint of every run, one line each."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    columns = ("problem", "sensing_cost", "learner", "run", "step", "value", "regret", "looks")
    writer.writerow([*columns, "training_return"])
    for c in read_curves(suite, results):
        for run in range(len(c.values)):
            for i, step in enumerate(c.steps):
                numbers = (c.values[run, i], c.regrets[run, i], c.looks[run, i], c.returns[run, i])
                shown = ["" if math.isnan(x) else f"{x:.8g}" for x in numbers]
                writer.writerow(
                    [c.problem.name, c.problem.price, c.learner.name, run, int(step), *shown]
                )
    return out.getvalue()


FORMATS = {"terminal": to_terminal, "markdown": to_markdown, "latex": to_latex}


def write_tables(suite: LearningSuite, results: Path) -> list[Path]:
    """Write the table as Markdown, LaTeX and CSV, and all curves as CSV; returns the paths."""
    table, folder = learning_table(suite, results), Path(results) / suite.name
    texts = {
        "table.md": to_markdown(table),
        "table.tex": to_latex(table),
        LEARNERS: summary_csv(suite, results),
        "curves.csv": to_csv(suite, results),
    }
    for name, text in texts.items():
        write_text(folder / name, text)
    return [folder / name for name in texts]
