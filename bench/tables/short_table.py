"""The paper's Table 1 in short, as the README shows it: one line per instance.

``python -m bench.tables.short_table`` prints it from ``results/reference/table1``; a test holds the
README to it.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from bench.analysis.frame import INSTANCE
from bench.analysis.labels import cost_title, number, percent, seconds
from bench.analysis.published import best_published
from bench.analysis.results import Results

HEAD = ("Problem", "k", "Best published", "Ours", "by", "proven gap", "seconds")


def short_table(results_dir: str | Path) -> str:
    """Markdown: the best published value beside the best of our embedded methods."""
    frame = Results.load("table1", results_dir, details=False).frame
    frame = frame[~frame["solver"].str.startswith("julia-") & frame["shown"].notna()]
    lines = ["| " + " | ".join(HEAD) + " |", "|---|---:|---:|---:|---|---:|---:|"]
    for (problem, _), of in frame.groupby(INSTANCE, sort=False):
        best = _fastest_best(of)
        method, theirs = best_published(problem, best["k"])
        lines.append(
            "| "
            + " | ".join(
                (
                    best["problem_title"],
                    cost_title(best["k"]),
                    f"{theirs.text} ({method})",
                    f"**{number(best['shown'], best['digits'])}**",
                    best["method"],
                    percent(best["gap"]),
                    seconds(best["solve_seconds"]),
                )
            )
            + " |"
        )
    return "\n".join(lines)


def _fastest_best(of: pd.DataFrame) -> pd.Series:
    """The quickest of the methods whose printed value is the best of an instance."""
    printed = of["shown"].round(int(of["digits"].iloc[0]))
    least = printed.max() if of["rewards"].iloc[0] else printed.min()
    ties = of[printed == least]
    return ties.loc[ties["solve_seconds"].idxmin()]


if __name__ == "__main__":
    print(short_table("results/reference"))
