"""The continuous suites: which problems, which seeds, and how much is spent on each."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from bench.continuous.problems import PROBLEMS


@dataclass(frozen=True)
class Effort:
    """How much is spent on one problem, the same for every method.

    episodes : judged at the end; compared : simulated for each update and each period
    roots, features : of each critic; particles : of each cloud that proposes plans
    judges : of each cloud that decides between plans; updates : most that SPI tries
    grids : shapes on which the problem is solved as well
    """

    episodes: int
    compared: int
    roots: int
    features: int
    particles: int
    judges: int
    updates: int
    grids: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True)
class Settings:
    """A suite: its problems with their efforts, and the seeds of each.

    samples : steps sampled from each cell of a grid; grid_gap, grid_budget : when a grid is done
    """

    name: str
    efforts: dict[str, Effort]
    seeds: tuple[int, ...]
    samples: int
    grid_gap: float
    grid_budget: float

    def cells(self) -> Iterator[tuple[str, float, int]]:
        """Seed by seed, so that a run that is stopped early says something of every problem."""
        for seed in self.seeds:
            for problem in self.efforts:
                for k in PROBLEMS[problem][1]:
                    yield problem, k, seed

    def of_cell(self, problem_id: str, seed: int) -> dict[str, Any]:
        """What a cell's result depends on, as JSON gives it back."""
        effort = asdict(self.efforts[problem_id])
        if seed != self.seeds[0]:
            effort["grids"] = ()
        rest = {name: getattr(self, name) for name in ("samples", "grid_gap", "grid_budget")}
        return dict(json.loads(json.dumps(effort | rest)))


_LINE = Effort(8000, 10_000, 600, 100, 96, 1536, 3, ((150,), (300,)))
FULL = Settings(
    name="continuous",
    efforts={
        "walk-1d": _LINE,
        "inventory-continuous": _LINE,
        "mountain-car": Effort(2000, 1500, 1200, 180, 20, 160, 2, ((24, 24), (36, 36))),
        "lake-continuous": Effort(4000, 4000, 1500, 200, 24, 192, 2, ((24, 24), (36, 36))),
        "mountain-hike": Effort(1000, 600, 1500, 250, 8, 64, 2),
        "cart-pole": Effort(200, 100, 3000, 300, 1, 1, 1),
    },
    seeds=(0, 1, 2),
    samples=200,
    grid_gap=2e-3,
    grid_budget=5.0,
)
_SMALL = Effort(2000, 2000, 300, 60, 64, 512, 3, ((60,),))
QUICK = Settings(
    name="continuous-quick",
    efforts={"walk-1d": _SMALL, "inventory-continuous": _SMALL},
    seeds=(0,),
    samples=100,
    grid_gap=1e-3,
    grid_budget=5.0,
)
SUITES = {each.name: each for each in (FULL, QUICK)}
