"""The tables of the continuous suites: every method's value, and SPI against its references."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

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
ROUNDING = 1e-12
"""Errors below this share of a value are those of its sum."""


def load_cells(suite: str, results: Path) -> list[dict[str, Any]]:
    """The cells of a suite that have a result, as they were written."""
    files = sorted((results / suite / "cells").glob("*.json"))
    if not files:
        raise ContinuousError(
            f"{results / suite} has no results; make them with: sensebench continuous run {suite}"
        )
    return [json.loads(file.read_text(encoding="utf-8")) for file in files]


def load(suite: str, results: Path) -> pd.DataFrame:
    """One row per cell and method, with values as the problem states them."""
    rows = []
    for cell in load_cells(suite, results):
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
                    "behind_spi": found["behind_spi"],
                    "behind_spi_error": found["behind_spi_error"],
                    "cpu_seconds": found["cpu_seconds"],
                    "grid_value": np.nan if grid is None else scale * grid,
                }
            )
    return pd.DataFrame(rows)


def summary(frame: pd.DataFrame) -> pd.DataFrame:
    """Mean over seeds per problem, cost and method, with errors; the grid's own value."""
    keys = ["problem", "sensing_cost", "method"]
    found = frame.groupby(keys).agg(
        value=("value", "mean"),
        standard_error=("standard_error", _error_of_mean),
        behind_spi=("behind_spi", "mean"),
        behind_spi_error=("behind_spi_error", _error_of_mean),
        sensing_rate=("sensing_rate", "mean"),
        cpu_seconds=("cpu_seconds", "mean"),
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


def _error_of_mean(errors: pd.Series) -> float:
    """The standard error of the mean over seeds, whose episodes are independent."""
    return float(np.sqrt((errors**2).sum()) / len(errors))


def grid_values(block: pd.DataFrame) -> list[float]:
    """The best value found on each grid of one problem and cost, the finest grid's first."""
    found: dict[int, list[float]] = {}
    for row in block[block["grid_value"].notna()].itertuples():
        cells = int(np.prod([int(n) for n in str(row.method).split()[1].split("×")]))
        found.setdefault(cells, []).append(float(row.grid_value))
    best = max if load_continuous(str(block["problem"].iloc[0])).scale < 0 else min
    return [best(found[cells]) for cells in sorted(found, reverse=True)]


def against_references(frame: pd.DataFrame) -> pd.DataFrame:
    """SPI beside the best of the other methods, and beside the value of the finest grid.

    ahead : how much better than that method it is, on the same chance, with its error
    percent_of_grid : how much worse than the grid's value, in percent of it; grids_apart : how
    much the two grids differ, likewise
    """
    rows = []
    for (problem, k), block in summary(frame).groupby(["problem", "sensing_cost"], sort=False):
        of = block.set_index("method")
        spi, sign = of.loc["spi-continuous"], load_continuous(str(problem)).scale
        others = [m for m in of.index if m in TITLES and m not in ("spi-continuous", "network")]
        best = of.loc[others, "behind_spi"].idxmin()
        row = {
            "problem": problem,
            "sensing_cost": k,
            "value": spi["value"],
            "standard_error": spi["standard_error"],
            "best_other": best,
            "best_other_value": of.loc[best, "value"],
            "ahead": of.loc[best, "behind_spi"],
            "ahead_error": of.loc[best, "behind_spi_error"],
        }
        grids = grid_values(block)
        if grids:
            near = grids[0]
            row["grid_value"] = near
            row["percent_of_grid"] = 100 * sign * (spi["value"] - near) / abs(near)
            row["percent_error"] = 100 * spi["standard_error"] / abs(near)
            row["grids_apart"] = 100 * abs(near - grids[-1]) / abs(near)
        rows.append(row)
    return pd.DataFrame(rows)


def with_error(value: float, error: float) -> str:
    """A mean and its standard error, written as 0 where it is only the rounding of a sum."""
    return f"{value:.4g} ± {error if error > ROUNDING * abs(value) else 0:.2g}"


def references_markdown(frame: pd.DataFrame) -> str:
    """:func:`against_references` as one table."""
    lines = [
        "| problem | k | SPI | best other | ahead by | finest grid | worse by | grids apart |",
        "|---" * 8 + "|",
    ]
    for row in against_references(frame).to_dict("records"):
        cells = [
            row["problem"],
            f"{row['sensing_cost']:g}",
            with_error(row["value"], row["standard_error"]),
            f"{TITLES[row['best_other']]}, {row['best_other_value']:.4g}",
            f"{row['ahead']:.2g} ± {row['ahead_error']:.1g}",
        ]
        if np.isnan(row.get("grid_value", np.nan)):
            cells += ["", "", ""]
        else:
            apart = f"{row['grids_apart']:.1f} %"
            worse = f"{row['percent_of_grid']:.1f} ± {row['percent_error']:.1f} %"
            cells += [f"{row['grid_value']:.4g}", worse, apart]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


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
    value = with_error(row["value"], row["standard_error"])
    text = f"{value}, looks {100 * row['sensing_rate']:.0f} %"
    return text if np.isnan(row["grid_value"]) else f"{text} (on the grid {row['grid_value']:.4g})"


def write(suite: str, results: Path) -> list[Path]:
    """``table.md`` and ``table.csv`` beside the cells, and the same for ``references``."""
    frame, folder = load(suite, results), results / suite
    texts = {"table": markdown(frame), "references": references_markdown(frame) + "\n"}
    for name, found in (("table", summary(frame)), ("references", against_references(frame))):
        (folder / f"{name}.md").write_text(texts[name], encoding="utf-8")
        found.to_csv(folder / f"{name}.csv", index=False)
    return [folder / f"{name}.{ending}" for name in texts for ending in ("md", "csv")]
