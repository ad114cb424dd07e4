"""Snake maze: a long corridor in which every turn must be found.  (Krale et al., AAAI 2024)

A 10x10 grid is one corridor that snakes down: even rows are left at their right end, odd ones at
their left end.  *left* and *right* go one cell with probability 0.6 and two with 0.4; their *risky*
forms go three cells or none, with equal chance; a row's end stops a move.  *down* takes the turn
where there is one and does nothing elsewhere.  Each step costs 0.005.  The goal is the left end of
the last row: the first action taken there, whatever it is, pays 1 (less the step) and ends the
episode.

So a look is worth a few wasted steps: blind, one walks on until the end of the row is nearly sure.

Source: repository LAVA-LAB/RATM, ``AM_Gyms/SnakeMaze.py``, c = 0.001, 100 states and the end.

Decided here.  Rewards are not discounted.  The source's own step limit never acts (it does not
count the steps); its simulator cuts at 10,000.  We cut after 150 steps: the useful episodes take
about 70.  The published numbers are of a model learned from 200 samples of each row, not of these
exact ones.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from scipy import sparse

from bench.problems.conventions import Conventions, counted
from bench.problems.problem import Grid, Problem
from solvers import SensingMDP

SIZE = 10
STEP_COST = 0.005
STEPS = {"normal": ((1, 0.6), (2, 0.4)), "risky": ((0, 0.5), (3, 0.5))}
ACTIONS = ("left", "right", "risky left", "risky right", "down")
HORIZON = 150


def snake_maze(sensing_cost: float, *, size: int = SIZE) -> SensingMDP:
    """The maze of ``size`` rows and columns, discount 0.99, without a horizon."""
    S = size * size + 1
    end, goal = S - 1, _goal(size)
    cells = np.arange(S - 1)
    row, column = cells // size, cells % size
    transitions = []
    for kind in ("normal", "risky"):
        for sign in (-1, 1):
            moved = [np.clip(column + sign * n, 0, size - 1) for n, _ in STEPS[kind]]
            chances = [p for _, p in STEPS[kind]]
            transitions.append(_matrix([row * size + c for c in moved], chances, goal, S))
    turn = np.where(row % 2 == 0, column == size - 1, column == 0) & (row < size - 1)
    transitions.append(_matrix([cells + size * turn], [1.0], goal, S))
    rewards = np.full((S, len(ACTIONS)), -STEP_COST)
    rewards[goal] += 1.0
    rewards[end] = 0.0
    return SensingMDP.from_rewards(
        transitions,
        rewards,
        0.99,
        sensing_cost,
        start=np.eye(1, S).ravel(),
        terminal=[end],
        name="snake-maze",
        state_names=[f"r{r}c{c}" for r, c in zip(row, column, strict=True)] + ["end"],
        action_names=ACTIONS,
    )


def _goal(size: int) -> int:
    """The far end of the last row: its left end, as in the source, whatever the size."""
    return (size - 1) * size


def _matrix(
    landings: list[np.ndarray], chances: list[float], goal: int, S: int
) -> sparse.csr_array:
    cells = np.arange(S - 1)
    T = sparse.lil_array((S, S))
    for there, chance in zip(landings, chances, strict=True):
        T += sparse.csr_array((np.full(S - 1, chance), (cells, there)), shape=(S, S))
    T = T.tolil()
    T[goal, :] = 0.0
    T[[goal, S - 1], [S - 1, S - 1]] = 1.0
    return T.tocsr()


def _grid(size: int) -> Grid:
    rows = [["F"] * size for _ in range(size)]
    rows[0][0], rows[-1][0] = "S", "G"
    turns = [(r, size - 1 if r % 2 == 0 else 0) for r in range(size - 1)]
    walls = tuple(
        ((r, c), (r + 1, c)) for r in range(size - 1) for c in range(size) if (r, c) not in turns
    )
    where = [(r, c) for r in range(size) for c in range(size)] + [(size - 1, 0)]
    return Grid(tuple("".join(row) for row in rows), tuple(where), walls)


def _family(size: int = SIZE) -> Problem:
    return counted(
        Problem(
            id="snake-maze",
            title="Snake maze",
            build=partial(snake_maze, size=size),
            sensing_costs=(0.001,),
            source="LAVA-LAB/RATM SnakeMaze; Krale et al. 2024",
            size=(13022, 5),
            family=_family,
            grid=partial(_grid, size),
            digits=4,
        ),
        Conventions(discount=1.0, horizon=HORIZON, end_is_seen=True),
    )


PROBLEMS = [_family()]
