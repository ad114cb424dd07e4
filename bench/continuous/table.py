"""The table of the continuous suites: each method's value beside the grid's, in three formats."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd

from bench.continuous.problems import PROBLEMS, load_continuous
from solvers.continuous import ContinuousError

TITLES = {
    "spi-continuous": "SPI, continuous",
    "network": "the same as a network",
    "always-look": "always look",
    "never-look": "never look",
    "every-n": "every n steps",
    "atm": "ATM",
}
"""Methods in the order of the table; those on grids follow."""


def load(suite: str, results: Path) -> pd.DataFrame:
    """One row per cell and method, with values as the problem states them."""
    files = sorted((results / suite / "cells").glob("*.json"))
    if not files:
        raise ContinuousError(
            f"{results / suite} has no results; make them with: sensebench continuous run {suite}"
        )
    rows = []
    for file in files:
        cell = json.loads(file.read_text(encoding="utf-8"))
        scale = load_continuous(cell["problem"], cell["sensing_cost"]).scale
        for method, found in cell["methods"].items():
            grid = found.get("grid_value")
            rows.append(
                {
                    **{name: cell[name] for name in ("problem", "sensing_cost", "seed")},
                    "method": method,
                    "value": scale * found["value"],
                    "standard_error": found["standard_error"],
                    "sensing_rate": found["sensing_rate"],
                    "seconds": found["seconds"],
                    "grid_value": np.nan if grid is None else scale * grid,
                }
            )
    return pd.DataFrame(rows)


def summary(frame: pd.DataFrame) -> pd.DataFrame:
    """Mean over seeds of value and error per problem, cost and method; the fine grid's value."""
    keys = ["problem", "sensing_cost", "method"]
    seeds = frame.groupby(keys)["seed"].transform("nunique")
    frame = frame.assign(share=frame["standard_error"] ** 2 / seeds**2)
    found = frame.groupby(keys).agg(
        value=("value", "mean"),
        standard_error=("share", lambda s: float(np.sqrt(s.sum()))),
        sensing_rate=("sensing_rate", "mean"),
        seconds=("seconds", "mean"),
        grid_value=("grid_value", "mean"),
        seeds=("seed", "nunique"),
    )
    order = {problem: i for i, problem in enumerate(PROBLEMS)}
    ranks = {method: i for i, method in enumerate(TITLES)}
    found = found.reset_index()
    found["rank"] = found["method"].map(lambda m: ranks.get(m, len(ranks)))
    found["order"] = found["problem"].map(order)
    return found.sort_values(["order", "sensing_cost", "rank", "method"]).drop(
        columns=["rank", "order"]
    )


def markdown(frame: pd.DataFrame) -> str:
    """One block per problem: a line per method, a column per sensing cost."""
    lines = []
    for problem, block in summary(frame).groupby("problem", sort=False):
        costs = sorted(block["sensing_cost"].unique())
        better = "higher" if load_continuous(str(problem)).scale < 0 else "lower"
        lines += [f"### {problem} ({better} is better)", ""]
        lines.append("| method | " + " | ".join(f"k = {k:g}" for k in costs) + " |")
        lines.append("|---" * (len(costs) + 1) + "|")
        for method in block["method"].unique():
            cells = [_cell(block, str(method), k) for k in costs]
            lines.append(f"| {TITLES.get(method, method)} | " + " | ".join(cells) + " |")
        lines.append("")
    return "\n".join(lines)


def _cell(block: pd.DataFrame, method: str, k: float) -> str:
    found = block[(block["method"] == method) & (block["sensing_cost"] == k)]
    if found.empty:
        return "not run"
    row = found.iloc[0]
    text = (
        f"{row['value']:.4g} ± {row['standard_error']:.2g}, looks {100 * row['sensing_rate']:.0f} %"
    )
    return text if np.isnan(row["grid_value"]) else f"{text} (on the grid {row['grid_value']:.4g})"


def write(suite: str, results: Path) -> list[Path]:
    """``table.md`` and ``table.csv`` beside the cells."""
    frame = load(suite, results)
    folder = results / suite
    (folder / "table.md").write_text(markdown(frame), encoding="utf-8")
    summary(frame).to_csv(folder / "table.csv", index=False)
    return [folder / "table.md", folder / "table.csv"]
