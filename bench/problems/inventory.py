"""The paper's inventory (App. G), costs in $1000, discount 0.8.

Up to 3 units in stock.  Each month the agent orders units at 1 each, demand is 1 or 2 with equal
chance, a sold unit brings 2, and each unit left at the month's end costs 0.5 to hold.  What does
not fit is lost, but still pays holding for the month.
"""

from __future__ import annotations

import numpy as np

from bench.problems.problem import Problem
from solvers.core.model import SensingMDP
from solvers.core.sensing_cost import SensingCost

DISCOUNT = 0.8
CAPACITY = 3
DEMANDS = (1, 2)
PRODUCTION, PRICE, HOLDING = 1.0, 2.0, 0.5


def _build(sensing_cost: SensingCost) -> SensingMDP:
    n = CAPACITY + 1
    T, C = np.zeros((n, n, n)), np.zeros((n, n))
    for stock in range(n):
        for order in range(n):
            for demand in DEMANDS:
                chance = 1 / len(DEMANDS)
                sold = min(stock + order, demand)
                left = stock + order - sold
                T[order, stock, min(left, CAPACITY)] += chance
                C[stock, order] += chance * (PRODUCTION * order - PRICE * sold + HOLDING * left)
    return SensingMDP.from_arrays(
        T,
        C,
        DISCOUNT,
        sensing_cost,
        name="inventory",
        state_names=[f"{i} in stock" for i in range(n)],
        action_names=[f"order {i}" for i in range(n)],
    )


PROBLEMS = [
    Problem(
        id="inventory",
        title="Inventory",
        build=_build,
        sensing_costs=(0.2, 0.064),
        rewards=False,
        digits=4,
    )
]
