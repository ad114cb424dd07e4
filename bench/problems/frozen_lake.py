"""Gymnasium's slippery lake on the maps of the paper's Table 2, discount 0.9."""

from __future__ import annotations

from functools import cache, partial

from bench.problems.gymnasium_table import model_from_table
from bench.problems.problem import Grid, Problem
from solvers.core.model import SensingMDP
from solvers.core.sensing_cost import SensingCost

DISCOUNT = 0.9
MAPS = {
    "4x4": ("SFFF", "FHFH", "FFFH", "HFFG"),
    "4x4-hard": ("FHSF", "FGHF", "FHHF", "FFFF"),
    "8x8": (
        "SFFFFFFF",
        "FFFFFFFF",
        "FFFHFFFF",
        "FFFFFHFF",
        "FFFHFFFF",
        "FHHFFFHF",
        "FHFFHFHF",
        "FFFHFFFG",
    ),
    "4x4-hard-near": ("FHFF", "FGHF", "FHHF", "FFFS"),
}
ACTIONS = ("left", "down", "right", "up")


def lake(rows: tuple[str, ...], sensing_cost: SensingCost, name: str = "frozen-lake") -> SensingMDP:
    """A slippery lake from rows of S (start), F (floor), H (hole) and G (goal)."""
    return _dry_lake(tuple(rows), name).with_sensing_cost(sensing_cost)


@cache
def _dry_lake(rows: tuple[str, ...], name: str) -> SensingMDP:
    from gymnasium.envs.toy_text.frozen_lake import FrozenLakeEnv

    env = FrozenLakeEnv(desc=list(rows), is_slippery=True)
    names = [f"r{r}c{c}" for r in range(len(rows)) for c in range(len(rows[0]))]
    return model_from_table(
        env.P,
        start=env.initial_state_distrib,
        discount=DISCOUNT,
        sensing_cost=0.0,
        name=name,
        state_names=names,
        action_names=ACTIONS,
    )


def _grid(rows: tuple[str, ...]) -> Grid:
    return Grid(rows, tuple((r, c) for r in range(len(rows)) for c in range(len(rows[0]))))


def _problem(key: str, title: str, costs: tuple[float, ...]) -> Problem:
    rows, name = MAPS[key], f"frozen-lake-{key}"
    return Problem(
        id=name,
        title=title,
        build=partial(lake, rows, name=name),
        sensing_costs=costs,
        scale=1000.0,
        size=(len(rows) * len(rows[0]), 4),
        digits=2,
        grid=partial(_grid, rows),
    )


TABLE_COSTS = (0.001, 0.005, 0.01, 0.05)
PROBLEMS = [
    _problem("4x4", "Frozen Lake 4x4", TABLE_COSTS),
    _problem("4x4-hard", "Frozen Lake 4x4 (hard)", TABLE_COSTS),
    _problem("8x8", "Frozen Lake 8x8", TABLE_COSTS),
    _problem("4x4-hard-near", "Frozen Lake 4x4 (hard, near start)", (0.01,)),
]
