"""What a problem of the benchmark is: how to build it, and how its numbers are printed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from solvers.core.model import SensingMDP


@dataclass(frozen=True)
class Grid:
    """Where the states of a grid world lie, for pictures.

    cells : rows of one letter per cell (S start, F floor, H hole, G goal, …)
    position : (row, column) of each state
    walls : pairs of neighbouring cells ((row, column), (row, column)) that a wall parts
    """

    cells: tuple[str, ...]
    position: tuple[tuple[int, int], ...]
    walls: tuple[tuple[tuple[int, int], tuple[int, int]], ...] = ()


@dataclass(frozen=True)
class Problem:
    """A named problem: how to build it, and how its numbers are printed.

    build : the model at a sensing cost; None for one known by its results alone
    sensing_costs : the paper's sensing costs; the first is the default
    rewards : True when the problem is stated in rewards, so tables print −cost
    scale : what printed values are multiplied by (1000 on the lakes, as in the paper)
    digits : decimals of printed values
    source : where it is from; size : (states, actions) of the model as built
    conventions : in words, how it is counted where that is not the plain model's own way
    family : makes the problem with other parameters, given by name; None if it has none
    """

    id: str
    title: str
    build: Callable[..., SensingMDP] | None
    sensing_costs: tuple[float, ...]
    rewards: bool = True
    scale: float = 1.0
    digits: int = 3
    grid: Callable[[], Grid] | None = None
    source: str = "the paper"
    size: tuple[int, int] | None = None
    conventions: str = ""
    family: Callable[..., Problem] | None = None
    plain: Callable[[float], SensingMDP] | None = None  # these three are set by conventions.py
    plain_grid: Callable[[], Grid] | None = None
    counting: Any = None

    def shown(self, cost: float) -> float:
        """A cost as tables print it: a reward where the problem is stated so, scaled."""
        return (-cost if self.rewards else cost) * self.scale
