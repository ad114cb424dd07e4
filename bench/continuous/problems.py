"""The continuous problems, by id; each is a function of the sensing cost.

| id | states | actions | where it is from |
|---|---|---|---|
| walk-1d | position | 3 | ours: a noisy point kept near a target |
| inventory-continuous | stock | 4 | ours: App. G's inventory with a stock that is a real number |
| mountain-car | position, velocity | 3 | Gymnasium's dynamics, five frames a step, with noise |
| lake-continuous | x, y | 4 | the 4x4 lake's map with a continuous position and a noisy direction |
| cart-pole | 4 | 2 | nam630/acno_mdp: looks at 0.4, discount 0.98, 200 steps |
| mountain-hike | x, y | 9 | nam630/acno_mdp: looks at 0.5, discount 0.99, 75 steps |

The last two follow nam630/acno_mdp (Nam et al. 2021), its environments and configuration files, in
dynamics, rewards, price of a look, discount and number of steps.  What differs:

* ``mountain-hike`` has continuous moves there; here they are staying and eight directions of the
  longest move, 0.05.
* Its start is N(-0.85, 0.1) in each coordinate, as in that repository's ``DVRL``; the copy in
  ``known_obs`` draws the same and then starts at (-0.85, -0.85) all the same.
* An episode has 75 steps, as the configuration says; the environment's own limit of 100 is never
  reached.
* Nobody needs the last look of an episode, so our planners do not take it; whoever takes it pays.

Who has arrived, fallen or broken through the ice notices it for nothing (``end_is_seen``).

``cart-pole`` has no noise after its start, as in its source.  Whoever knows the dynamics needs no
look after the first; in the source they have to be learned.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bench.continuous.moves import heights, slide
from solvers.continuous import ContinuousError, ContinuousSensingMDP

Rng = np.random.Generator


def walk_1d(sensing_cost: float) -> ContinuousSensingMDP:
    """Keep a point near 0: a step costs its square and the push; wind moves it by N(0, 0.2)."""
    moves = np.array([-0.5, 0.0, 0.5])

    def step(states: np.ndarray, actions: np.ndarray, rng: Rng) -> tuple[np.ndarray, np.ndarray]:
        x = states[:, 0]
        after = x + moves[actions] + rng.normal(0, 0.2, len(x))
        after = np.minimum(np.maximum(after, -3), 3)
        return after[:, None], x**2 + 0.02 * np.abs(moves[actions])

    return ContinuousSensingMDP(
        "walk-1d",
        3,
        step,
        lambda n, rng: rng.uniform(-1, 1, (n, 1)),
        np.array([-3.0]),
        np.array([3.0]),
        0.95,
        sensing_cost,
        state_names=("position",),
        action_names=("left", "stay", "right"),
    )


def inventory(sensing_cost: float) -> ContinuousSensingMDP:
    """Order 0, 2, 4 or 6 units a month against a demand of Gamma(2, 1); a look counts the stock.

    A unit costs 0.5 to order, 0.2 to hold for the month and 4 if it is asked for and not there; at
    most 12 units fit.
    """
    orders, room = np.array([0.0, 2.0, 4.0, 6.0]), 12.0

    def step(states: np.ndarray, actions: np.ndarray, rng: Rng) -> tuple[np.ndarray, np.ndarray]:
        stock = np.minimum(states[:, 0] + orders[actions], room)
        left = stock - rng.gamma(2.0, 1.0, len(stock))
        kept = np.maximum(left, 0.0)
        costs = 0.5 * orders[actions] + 0.2 * kept + 4.0 * np.maximum(-left, 0.0)
        return kept[:, None], costs

    return ContinuousSensingMDP(
        "inventory-continuous",
        4,
        step,
        lambda n, rng: rng.uniform(0, 6, (n, 1)),
        np.array([0.0]),
        np.array([room]),
        0.95,
        sensing_cost,
        state_names=("stock",),
        action_names=tuple(f"order {q:g}" for q in orders),
    )


def mountain_car(sensing_cost: float) -> ContinuousSensingMDP:
    """Gymnasium's mountain car, five frames a step, each with N(0, 0.0015) on the velocity."""

    def step(states: np.ndarray, actions: np.ndarray, rng: Rng) -> tuple[np.ndarray, np.ndarray]:
        x, v = states[:, 0].copy(), states[:, 1].copy()
        push = (actions - 1) * 0.001
        for wind in rng.normal(0, 0.0015, (5, len(x))):
            on = x < 0.5
            faster = v + push - np.cos(3 * x) * 0.0025 + wind
            v = np.where(on, np.minimum(np.maximum(faster, -0.07), 0.07), v)
            x = np.where(on, np.minimum(np.maximum(x + v, -1.2), 0.6), x)
            v[(x <= -1.2) & (v < 0)] = 0.0
        return np.column_stack([x, v]), np.ones(len(x))

    return ContinuousSensingMDP(
        "mountain-car",
        3,
        step,
        lambda n, rng: np.column_stack([rng.uniform(-0.6, -0.4, n), np.zeros(n)]),
        np.array([-1.2, -0.07]),
        np.array([0.6, 0.07]),
        0.98,
        sensing_cost,
        ended=lambda states: states[:, 0] >= 0.5,
        end_is_seen=True,
        state_names=("position", "velocity"),
        action_names=("left", "coast", "right"),
    )


LAKE = ("SFFF", "FHFH", "FFFH", "HFFG")


def lake(sensing_cost: float) -> ContinuousSensingMDP:
    """The 4x4 lake, a unit a cell: steps of 0.5, give or take 0.1, that slip by N(0, 0.3) rad."""
    directions = np.array([[-1.0, 0.0], [0.0, -1.0], [1.0, 0.0], [0.0, 1.0]])  # y grows upward
    cells = np.array([[c in "HG" for c in row] for row in LAKE[::-1]])
    goal = np.array([[c == "G" for c in row] for row in LAKE[::-1]])

    def at(table: np.ndarray, states: np.ndarray) -> np.ndarray:
        column, row = np.minimum(states.astype(int), 3).T  # the box begins at 0
        return table[row, column]

    def step(states: np.ndarray, actions: np.ndarray, rng: Rng) -> tuple[np.ndarray, np.ndarray]:
        slip, stretch = rng.normal(0, 1, (2, len(states)))
        after = slide(states, actions, 0.3 * slip, 0.5 + 0.1 * stretch, directions)
        return after, -at(goal, after).astype(float)

    return ContinuousSensingMDP(
        "lake-continuous",
        4,
        step,
        lambda n, rng: np.array([0.5, 3.5]) + rng.uniform(-0.2, 0.2, (n, 2)),
        np.zeros(2),
        np.full(2, 4.0),
        0.97,
        sensing_cost,
        ended=lambda states: at(cells, states),
        end_is_seen=True,
        scale=-1.0,
        state_names=("x", "y"),
        action_names=("left", "down", "right", "up"),
    )


def cart_pole(sensing_cost: float) -> ContinuousSensingMDP:
    """The cart-pole of nam630/acno_mdp: reward 1 a step until it falls, at most 200."""

    def step(states: np.ndarray, actions: np.ndarray, rng: Rng) -> tuple[np.ndarray, np.ndarray]:
        _, x_dot, theta, theta_dot = states.T
        force = np.where(actions == 1, 10.0, -10.0)
        cos, sin = np.cos(theta), np.sin(theta)
        push = (force + 0.05 * theta_dot**2 * sin) / 1.1
        turn = (9.8 * sin - cos * push) / (0.5 * (4 / 3 - 0.1 * cos**2 / 1.1))
        slide = push - 0.05 * turn * cos / 1.1
        after = states + 0.02 * np.column_stack([x_dot, slide, theta_dot, turn])
        return after, -np.ones(len(states))

    fallen = 12 * 2 * np.pi / 360
    return ContinuousSensingMDP(
        "cart-pole",
        2,
        step,
        lambda n, rng: rng.uniform(-0.05, 0.05, (n, 4)),
        np.array([-2.4, -2.0, -fallen, -2.0]),
        np.array([2.4, 2.0, fallen, 2.0]),
        0.98,
        sensing_cost,
        ended=lambda s: (np.abs(s[:, 0]) > 2.4) | (np.abs(s[:, 2]) > fallen),
        horizon=200,
        end_is_seen=True,
        scale=-1.0,
        state_names=("position", "velocity", "angle", "turning"),
        action_names=("left", "right"),
    )


def mountain_hike(sensing_cost: float) -> ContinuousSensingMDP:
    """The hike of nam630/acno_mdp: 75 steps over three ridges, noise N(0, 0.025) on every move."""
    turns = np.arange(8) * np.pi / 4
    moves = np.vstack([np.zeros(2), 0.05 * np.column_stack([np.cos(turns), np.sin(turns)])])
    ridges = np.array(
        [[0.5, 0.5, 0.75, 0.1, 1.0], [0.0, 0.2, 0.1, 0.75, 0.8], [-0.375, -0.5, 0.75, 0.1, 0.55]]
    )
    effort = 0.1 * np.linalg.norm(moves, axis=1)

    def step(states: np.ndarray, actions: np.ndarray, rng: Rng) -> tuple[np.ndarray, np.ndarray]:
        after = states + moves[actions] + rng.normal(0, 0.025, states.shape)
        return after, effort[actions] - heights(after, ridges)

    return ContinuousSensingMDP(
        "mountain-hike",
        9,
        step,
        lambda n, rng: rng.normal(-0.85, 0.1, (n, 2)),
        np.full(2, -1.3),
        np.full(2, 1.3),
        0.99,
        sensing_cost,
        horizon=75,
        scale=-1.0,
        state_names=("x", "y"),
        action_names=("stay", "E", "NE", "N", "NW", "W", "SW", "S", "SE"),
    )


PROBLEMS: dict[str, tuple[Callable[[float], ContinuousSensingMDP], tuple[float, ...]]] = {
    "walk-1d": (walk_1d, (0.05, 0.3, 1.0)),
    "inventory-continuous": (inventory, (0.2, 0.6, 2.0)),
    "mountain-car": (mountain_car, (0.1, 0.5, 2.0)),
    "lake-continuous": (lake, (0.002, 0.01, 0.05)),
    "cart-pole": (cart_pole, (0.1, 0.4, 1.0)),
    "mountain-hike": (mountain_hike, (0.1, 0.5, 2.0)),
}
"""How each problem is built, and the sensing costs at which the suite runs it."""


def load_continuous(problem_id: str, sensing_cost: float | None = None) -> ContinuousSensingMDP:
    """A continuous problem by id, at its middle sensing cost when none is given."""
    if problem_id not in PROBLEMS:
        raise ContinuousError(
            f"unknown continuous problem {problem_id!r}; they are: {', '.join(PROBLEMS)}"
        )
    build, costs = PROBLEMS[problem_id]
    return build(costs[1] if sensing_cost is None else sensing_cost)
