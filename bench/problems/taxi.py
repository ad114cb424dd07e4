"""The paper's Stochastic Taxi, discount 0.95, 300 start states.

A move goes as intended with probability 0.8 and to either side with 0.1 each; a border (or wall)
blocks.  Delivery pays 20, an illegal pick-up or drop-off costs 10, any other step 1.

The paper's numbers come from a grid *without* Gymnasium's inner walls: with the walls none of them
matches, without them ATM matches to the last digit.  ``taxi-walls`` has the walls.
"""

from __future__ import annotations

from functools import cache, partial

import numpy as np

from bench.problems.problem import Grid, Problem
from solvers.core.model import SensingMDP
from solvers.core.sensing_cost import SensingCost

DISCOUNT = 0.95
SIZE = 5
STANDS = ((0, 0), (0, 4), (4, 0), (4, 3))
STAND_NAMES = ("R", "G", "Y", "B")
IN_TAXI = 4
MOVES = ((1, 0), (-1, 0), (0, 1), (0, -1))
ACTIONS = ("south", "north", "east", "west", "pick up", "drop off")
PICK_UP, DROP_OFF = 4, 5
INTENDED, SIDE = 0.8, 0.1
# Gymnasium's inner walls, each between a cell and its eastern neighbour.
WALLS = tuple(((r, c), (r, c + 1)) for r, c in ((0, 1), (1, 1), (3, 0), (4, 0), (3, 2), (4, 2)))


def encode(row: int, column: int, passenger: int, destination: int) -> int:
    """Gymnasium's numbering of the 500 states."""
    return ((row * SIZE + column) * 5 + passenger) * 4 + destination


def decode(state: int) -> tuple[int, int, int, int]:
    """(row, column, passenger's stand or IN_TAXI, destination's stand)."""
    rest, destination = divmod(state, 4)
    rest, passenger = divmod(rest, 5)
    return *divmod(rest, SIZE), passenger, destination


@cache
def _taxi(walls: bool) -> SensingMDP:
    S = SIZE * SIZE * 5 * 4
    T = np.zeros((len(ACTIONS), S, S))
    R = np.full((S, len(ACTIONS)), -1.0)
    terminal = np.zeros(S, bool)
    start = np.zeros(S)
    blocked = set(WALLS) if walls else set()
    for s in range(S):
        row, column, passenger, destination = decode(s)
        here = (row, column)
        if passenger < IN_TAXI and passenger != destination:
            start[s] = 1.0
        if passenger == destination and here == STANDS[destination]:
            terminal[s] = True
            T[:, s, s] = 1.0
            R[s] = 0.0
            continue
        for a in range(4):
            sides = (2, 3) if a < 2 else (0, 1)
            for direction, chance in ((a, INTENDED), (sides[0], SIDE), (sides[1], SIDE)):
                r, c = _moved(here, direction, blocked)
                T[a, s, encode(r, c, passenger, destination)] += chance
        T[PICK_UP, s, s] = T[DROP_OFF, s, s] = 1.0
        R[s, [PICK_UP, DROP_OFF]] = -10.0
        if passenger < IN_TAXI and here == STANDS[passenger]:
            _replace(T, R, s, PICK_UP, encode(row, column, IN_TAXI, destination), -1.0)
        if passenger == IN_TAXI and here in STANDS:
            stand = STANDS.index(here)
            reward = 20.0 if stand == destination else -1.0
            _replace(T, R, s, DROP_OFF, encode(row, column, stand, destination), reward)
    return SensingMDP.from_rewards(
        T,
        R,
        DISCOUNT,
        0.0,
        start=start / start.sum(),
        terminal=terminal,
        name="taxi-walls" if walls else "taxi",
        state_names=[_name(s) for s in range(S)],
        action_names=ACTIONS,
    )


def _moved(here: tuple[int, int], direction: int, blocked: set) -> tuple[int, int]:
    dr, dc = MOVES[direction]
    there = (here[0] + dr, here[1] + dc)
    inside = 0 <= there[0] < SIZE and 0 <= there[1] < SIZE
    return there if inside and tuple(sorted((here, there))) not in blocked else here


def _replace(T: np.ndarray, R: np.ndarray, s: int, a: int, after: int, reward: float) -> None:
    T[a, s] = 0.0
    T[a, s, after] = 1.0
    R[s, a] = reward


def _name(state: int) -> str:
    row, column, passenger, destination = decode(state)
    where = "taxi" if passenger == IN_TAXI else STAND_NAMES[passenger]
    return f"r{row}c{column} passenger {where} to {STAND_NAMES[destination]}"


def _grid(walls: bool) -> Grid:
    cells = [["F"] * SIZE for _ in range(SIZE)]
    for (r, c), letter in zip(STANDS, STAND_NAMES, strict=True):
        cells[r][c] = letter
    where = tuple(decode(s)[:2] for s in range(SIZE * SIZE * 20))
    return Grid(tuple("".join(row) for row in cells), where, WALLS if walls else ())


def _build(sensing_cost: SensingCost, *, walls: bool) -> SensingMDP:
    return _taxi(walls).with_sensing_cost(sensing_cost)


def _problem(name: str, title: str, walls: bool) -> Problem:
    return Problem(
        id=name,
        title=title,
        build=partial(_build, walls=walls),
        sensing_costs=(0.1, 0.5, 1.0, 5.0),
        grid=partial(_grid, walls),
        size=(500, 6),
    )


PROBLEMS = [
    _problem("taxi", "Stochastic Taxi", False),
    _problem("taxi-walls", "Stochastic Taxi with walls", True),
]
