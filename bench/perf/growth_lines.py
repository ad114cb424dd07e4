"""The lines of ``growth.csv``: one for each measurement of ``sensebench perf growth``."""

from __future__ import annotations

import csv
from dataclasses import asdict, dataclass, fields
from pathlib import Path


@dataclass(frozen=True)
class Cell:
    """One measurement: a solver with its options on the lake of ``side`` × ``side`` cells."""

    solver: str
    roots: str
    threads: int
    side: int

    @property
    def name(self) -> str:
        return f"{self.solver}, {self.roots} roots, {self.threads} thread(s), {self.side}²"


@dataclass(frozen=True)
class Line:
    """What was measured; seconds are of planning and of exact evaluation together."""

    solver: str
    roots: str
    threads: int
    side: int
    states: int = 0
    seconds: float = float("nan")
    cpu_seconds: float = float("nan")
    peak_mb: float = float("nan")
    build_seconds: float = float("nan")
    reached: int = 0
    value: float = float("nan")
    lower: float = float("nan")
    gap: float = float("nan")
    status: str = ""

    @property
    def cell(self) -> Cell:
        """The measurement that this is the outcome of."""
        return Cell(self.solver, self.roots, self.threads, self.side)


def read(path: Path) -> list[Line]:
    """The last line of each measurement in a file; none if there is no file."""
    if not path.is_file():
        return []
    kinds = {f.name: {"str": str, "int": int, "float": float}[str(f.type)] for f in fields(Line)}
    with path.open(newline="") as file:
        rows = csv.DictReader(file)
        lines = [Line(**{k: kinds[k](v) for k, v in row.items()}) for row in rows]
    return list({line.cell: line for line in lines}.values())


def append(path: Path, line: Line) -> None:
    """Add a line to a file, which is begun if there is none."""
    new = not path.is_file()
    with path.open("a", newline="") as file:
        writer = csv.DictWriter(file, [f.name for f in fields(Line)])
        if new:
            writer.writeheader()
        writer.writerow(asdict(line))
