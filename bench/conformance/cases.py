"""The small problems that solvers are checked on, and what is known of their optimum."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from bench.problems import load_problem
from bench.store.costs import OWN
from pomdp_bridge.files.formats import write
from solvers import SensingMDP, delayed_information_bound, solve

BOUND_DEPTH = 3


@dataclass(frozen=True)
class Case:
    """A small problem as a cell takes it, and bounds (S,) on its optimal cost at each root."""

    name: str
    problem: str
    sensing_cost: str
    start: np.ndarray
    lower: np.ndarray
    upper: np.ndarray


def cases(folder: Path) -> list[Case]:
    """The small problems, written to the folder as files."""
    found = []
    for name, problem in small_problems().items():
        file = folder / f"{name.replace(' ', '-')}.npz"
        write(problem, file)
        found.append(Case(name, str(file), OWN, problem.start, *_known(name)))
    return found


@cache
def small_problems() -> dict[str, SensingMDP]:
    """Two states; a terminal state; uneven sensing costs; and a lake, less tiny, for the clock."""
    return {
        "two states": load_problem("two-state", 0.25),
        "a corridor with an end": corridor(),
        "uneven sensing costs": uneven(),
        "a lake of 64 cells": load_problem("frozen-lake-8x8", 0.01),
    }


def corridor(length: int = 4, slip: float = 0.2) -> SensingMDP:
    """Walk left or right along a corridor; each step costs 1 until the end is reached."""
    S = length + 1
    T = np.zeros((2, S, S))
    for s in range(length):
        for a, to in enumerate((max(0, s - 1), s + 1)):
            T[a, s, to] += 1 - slip
            T[a, s, s] += slip
    T[:, length, length] = 1.0
    costs = np.ones((S, 2))
    costs[length] = 0.0
    names = ("left", "right")
    return SensingMDP.from_arrays(
        T, costs, 0.9, 0.3, terminal=[length], name="corridor", action_names=names
    )


def uneven(seed: int = 5) -> SensingMDP:
    """Three states, three actions at random; looking costs more at some places than at others."""
    rng = np.random.default_rng(seed)
    T = rng.dirichlet(np.ones(3), size=(3, 3))
    k = rng.uniform(0.02, 0.4, (3, 3))
    return SensingMDP.from_arrays(T, rng.uniform(0, 1, (3, 3)), 0.8, k, name="uneven")


@cache
def _known(name: str) -> tuple[np.ndarray, np.ndarray]:
    problem = small_problems()[name]
    upper = np.minimum(solve(problem, "spi").values, solve(problem, "always-sense").values)
    return delayed_information_bound(problem, BOUND_DEPTH), upper
