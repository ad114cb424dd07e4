"""The paper's inventory (App. G), costs in $1000, discount 0.8, and inventories of any size.

Up to 3 units in stock.  Each month the agent orders units at 1 each, demand is 1 or 2 with equal
chance, a sold unit brings 2, and each unit left at the month's end costs 0.5 to hold.  What does
not fit is lost, but still pays holding for the month.

``inventory@capacity=20,mean=8`` is the same shop with another capacity and a demand that is
Poisson with that mean, cut to 0 … capacity (the rest of the chance on the capacity).
``mean=none`` keeps the paper's demand of 1 or 2.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from scipy.special import gammaln, xlogy

from bench.problems.problem import Problem
from solvers.core.model import SensingMDP
from solvers.core.sensing_cost import SensingCost

DISCOUNT = 0.8
CAPACITY = 3
DEMANDS = {1: 0.5, 2: 0.5}
PRODUCTION, PRICE, HOLDING = 1.0, 2.0, 0.5


def inventory(
    sensing_cost: SensingCost, *, capacity: int, demands: dict[int, float], name: str = "inventory"
) -> SensingMDP:
    """A shop that holds up to ``capacity`` units; ``demands`` {units: probability}."""
    n = capacity + 1
    T, C = np.zeros((n, n, n)), np.zeros((n, n))
    for stock in range(n):
        for order in range(n):
            for demand, chance in demands.items():
                sold = min(stock + order, demand)
                left = stock + order - sold
                T[order, stock, min(left, capacity)] += chance
                C[stock, order] += chance * (PRODUCTION * order - PRICE * sold + HOLDING * left)
    return SensingMDP.from_arrays(
        T,
        C,
        DISCOUNT,
        sensing_cost,
        name=name,
        state_names=[f"{i} in stock" for i in range(n)],
        action_names=[f"order {i}" for i in range(n)],
    )


def poisson_demand(mean: float, capacity: int) -> dict[int, float]:
    """Poisson demand, cut to the capacity."""
    units = np.arange(capacity + 1)
    # As scipy.stats computes it, without importing that package: it costs every start a second.
    chances = np.exp(xlogy(units, mean) - gammaln(units + 1) - mean)
    chances[-1] += 1 - chances.sum()
    return {n: float(p) for n, p in enumerate(chances)}


def _family(capacity: int = CAPACITY, mean: float | None = None) -> Problem:
    if not (isinstance(capacity, int) and 1 <= capacity <= 200):
        raise ValueError(f"capacity is {capacity!r}; expected a whole number from 1 to 200")
    if mean is not None and not mean > 0:
        raise ValueError(f"mean is {mean!r}; expected a demand above 0, or none")
    demands = DEMANDS if mean is None else poisson_demand(mean, capacity)
    return Problem(
        id="inventory",
        title="Inventory",
        build=partial(inventory, capacity=capacity, demands=demands),
        sensing_costs=(0.2, 0.064),
        rewards=False,
        digits=4,
        size=(capacity + 1, capacity + 1),
        family=_family,
    )


PROBLEMS = [_family()]
