"""What a figure is drawn from: the frame of a suite, the details of its cells, a style for each
method that is the same in every figure of the suite."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pandas as pd

from bench.analysis.frame import problem_facts
from bench.analysis.labels import DEPTH_LETTER
from bench.analysis.results import Results
from bench.plots.style import Style, method_styles

UNITS = {"inventory": r"\$1000"}
"""Problems whose costs have a unit; the others are plain numbers."""
MOST_DEPTHS = 3
"""A solver run at more depths than this is studied over its depth, not compared with others."""


@dataclass(frozen=True)
class Drawing:
    """A suite's results and the style of each method in all its figures."""

    results: Results
    styles: dict[str, Style]

    @classmethod
    def of(cls, results: Results) -> Drawing:
        return cls(results, method_styles(results.frame))

    @property
    def frame(self) -> pd.DataFrame:
        return self.results.frame

    def details(self, key: str) -> dict[str, Any]:
        """The details of a cell; {} if there are none."""
        return self.results.details(key)

    @property
    def compared(self) -> pd.DataFrame:
        """The rows of methods that compete: not one solver at many depths."""
        depths = self.frame.groupby("solver")["method"].nunique()
        ladders = [s for s in DEPTH_LETTER if depths.get(s, 0) > MOST_DEPTHS]
        return self.frame[~self.frame["solver"].isin(ladders)]

    def problems(self) -> Iterator[tuple[str, pd.DataFrame]]:
        """Each problem with its rows that compete, in the paper's order."""
        rows = self.compared
        for problem in rows["problem"].unique():
            yield problem, rows[rows["problem"] == problem]


def costs_of(rows: pd.DataFrame) -> list[float]:
    """The uniform sensing costs of some rows, rising."""
    return sorted({k for k in rows["k"] if isinstance(k, float)})


def value_axis_name(problem: str) -> str:
    """``reward × 1000`` or ``cost``: what values of a problem are, with their unit."""
    facts = problem_facts(problem)
    name = "reward" if facts.rewards else "cost"
    unit = f" ({UNITS[problem]})" if problem in UNITS else ""
    return name + unit if facts.scale == 1 else f"{name} × {facts.scale:g}{unit}"
