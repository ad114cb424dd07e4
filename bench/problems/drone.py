"""Drone in a corridor: 40,656 states of position and speed.  (Krale et al., AAAI 2024)

The drone flies around a corner: first along a corridor of 31 x 6 cells (y < 6), then up one of 6 x
25 (x < 6, y ≥ 6).  A state is a cell and a speed of −5 … 5 in either direction; an action asks for
an acceleration of −2 … 2 in either direction.  The wind changes each acceleration by itself: not at
all with probability 0.68, by ±1 with 0.14 each, by ±2 with 0.02 each, and the result is cut to −2 …
2.  The speed is cut to −5 … 5, and the drone moves by the mean of its old and new speed, rounded to
even.  It crashes if it leaves the field or if the box between its old and new cell touches the
wall; it arrives, for a pay of 1, in x = 1 … 4, y = 28 … 30.  Either ends the episode.  Start: (29,
2), at rest.

Source: repository LAVA-LAB/RATM, ``AM_Gyms/DroneInCorridor.py``, c = 0.05, discount 0.95.  Its
noise has a misprint: the branch for ±2 tests the acceleration (``a < 0.98``) instead of the random
number, so with probability 0.04 an acceleration a ≤ 0 grows by 2 and any other falls by 2.  All
published numbers come from that code:

* ``drone`` is the code as it stands, for comparison with them;
* ``drone-symmetric`` is what was meant: +2 and −2 with probability 0.02 each.

Decided here.  One state stands for the end, whether crash or arrival: 40,657 in all.  The source
sums rewards without discount though it plans with one; docs/problems.md compares both.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial

import numpy as np
from scipy import sparse

from bench.problems.conventions import Conventions, counted
from bench.problems.problem import Grid, Problem
from solvers import SensingMDP

DISCOUNT = 0.95
FIELD = 30  # cells are numbered 0 … 30 in either direction
WALL = 6  # cells with x >= 6 and y >= 6 are wall
SPEED, THRUST = 5, 2
START = (29, 2, 0, 0)
NOISE = ((0, 0.68), (1, 0.14), (-1, 0.14))
RARE = 0.04  # chance of the changes by two


def accelerations(asked: int, misprint: bool) -> dict[int, float]:
    """What the wind makes of one acceleration: {result: probability}."""
    rare = ((2, RARE / 2), (-2, RARE / 2))
    if misprint:
        rare = ((2 if asked < 0.98 else -2, RARE),)
    found: dict[int, float] = {}
    for change, chance in (*NOISE, *rare):
        result = max(-THRUST, min(THRUST, asked + change))
        found[result] = found.get(result, 0.0) + chance
    return found


def state_number(x, y, vx, vy):
    """The source's numbering: the first corridor row by row, then the second."""
    n = 2 * SPEED + 1
    cell = np.where(y < WALL, x + (FIELD + 1) * y, (FIELD + 1) * WALL + x + WALL * (y - WALL))
    return (cell * n + vy + SPEED) * n + vx + SPEED


def variables() -> tuple[np.ndarray, ...]:
    """x, y, vx, vy of every state but the end, in the order of :func:`state_number`."""
    n = 2 * SPEED + 1
    first = [(x, y) for y in range(WALL) for x in range(FIELD + 1)]
    second = [(x, y) for y in range(WALL, FIELD + 1) for x in range(WALL)]
    x, y = np.array(first + second).T
    speeds = np.arange(-SPEED, SPEED + 1)
    vy, vx = (np.tile(v.ravel(), len(x)) for v in np.meshgrid(speeds, speeds, indexing="ij"))
    return np.repeat(x, n * n), np.repeat(y, n * n), vx, vy


def corridor() -> Grid:
    """The field seen from above, for a picture: y grows upward; no state is placed on it."""
    rows = [
        "".join("W" if x >= WALL and y >= WALL else _letter(x, y) for x in range(FIELD + 1))
        for y in range(FIELD, -1, -1)
    ]
    return Grid(tuple(rows), ())


def _letter(x: int, y: int) -> str:
    if (x, y) == START[:2]:
        return "S"
    return "G" if _is_goal(x, y) else "F"


def _is_goal(x, y):
    return (x > 0) & (x < 5) & (y > 27)


def _matrices(misprint: bool, rewards: np.ndarray) -> Iterator[sparse.csr_array]:
    """The matrix T of each action, made one by one to save memory; fills the rewards."""
    x, y, vx, vy = variables()
    end = len(x)
    for action in range(rewards.shape[1]):
        ay, ax = (part - THRUST for part in divmod(action, 2 * THRUST + 1))
        rows, columns, chances = [[end]], [[end]], [[1.0]]
        for ox, px in accelerations(ax, misprint).items():
            for oy, py in accelerations(ay, misprint).items():
                there, arrived = _landing(x, y, vx, vy, ox, oy)
                rows.append(np.arange(end))
                columns.append(there)
                chances.append(np.full(end, px * py))
                rewards[:end, action] += px * py * arrived
        entries = np.concatenate(chances), (np.concatenate(rows), np.concatenate(columns))
        yield sparse.csr_array(entries, shape=(end + 1, end + 1))


def _landing(x, y, vx, vy, ox: int, oy: int) -> tuple[np.ndarray, np.ndarray]:
    """Next state of each state under these accelerations, and whether it is an arrival."""
    end = len(x)
    wx, wy = np.clip(vx + ox, -SPEED, SPEED), np.clip(vy + oy, -SPEED, SPEED)
    nx = x + np.rint((vx + wx) / 2).astype(int)
    ny = y + np.rint((vy + wy) / 2).astype(int)
    inside = (nx >= 0) & (nx <= FIELD) & (ny >= 0) & (ny <= FIELD)
    wall = (np.maximum(x, nx) >= WALL) & (np.maximum(y, ny) >= WALL)
    arrived = inside & ~wall & _is_goal(nx, ny)
    flies = inside & ~wall & ~arrived
    there = np.full(end, end)
    there[flies] = state_number(nx[flies], ny[flies], wx[flies], wy[flies])
    return there, arrived


@cache
def _drone(misprint: bool) -> SensingMDP:
    x, y, vx, vy = variables()
    S, A = len(x) + 1, (2 * THRUST + 1) ** 2
    rewards, start = np.zeros((S, A)), np.zeros(S)
    start[int(state_number(*map(np.array, START)))] = 1.0
    thrusts = range(-THRUST, THRUST + 1)
    names = [f"({a},{b}) at ({c},{d})" for a, b, c, d in zip(x, y, vx, vy, strict=True)]
    T = list(_matrices(misprint, rewards))
    return SensingMDP.from_rewards(
        T,
        rewards,
        DISCOUNT,
        0.0,
        start=start,
        terminal=[S - 1],
        name="drone" if misprint else "drone-symmetric",
        state_names=[*names, "end"],
        action_names=[f"thrust ({ax},{ay})" for ay in thrusts for ax in thrusts],
    )


def _build(sensing_cost: float, *, misprint: bool) -> SensingMDP:
    return _drone(misprint).with_sensing_cost(sensing_cost)


def _problem(name: str, title: str, misprint: bool) -> Problem:
    return counted(
        Problem(
            id=name,
            title=title,
            build=partial(_build, misprint=misprint),
            sensing_costs=(0.05,),
            size=(40657, 25),
            source="LAVA-LAB/RATM DroneInCorridor; Krale et al. 2024",
            digits=4,
        ),
        Conventions(end_is_seen=True),
    )


PROBLEMS = [
    _problem("drone", "Drone in a corridor (code as published)", True),
    _problem("drone-symmetric", "Drone in a corridor (noise as meant)", False),
]
