"""What the learners of the suite ``learning`` earned, for tables that print published learners.

A table of planners stands beside published numbers that learners earned while they learned.  What
the same learners earn here, counted in the same way, is read from the file that the tables of the
learning suite are written with; without that file there is nothing to add.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

SUITE = "learning"
FILE = "learners.csv"


@dataclass(frozen=True)
class Learned:
    """The mean return of one learner's training on one problem, over so many runs."""

    problem: str
    sensing_cost: float
    learner: str
    runs: int
    training_return: float
    counted: str


def learned(results: Path, problem: str) -> list[Learned]:
    """The learners' rows on a problem, in the suite's order; none if the suite was not run."""
    path = results / SUITE / FILE
    if not path.is_file():
        return []
    with open(path, encoding="utf-8", newline="") as file:
        lines = [line for line in csv.DictReader(file) if line["problem"] == problem]
    return [
        Learned(
            problem=problem,
            sensing_cost=float(line["sensing_cost"]),
            learner=line["learner"],
            runs=int(line["runs"]),
            training_return=float(line["training_return"]),
            counted=line["counted"],
        )
        for line in lines
        if line["training_return"]
    ]
