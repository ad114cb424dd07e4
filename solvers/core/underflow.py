"""What numbers too small for double precision can take from sums over many blind steps.

Rounding takes a share of each number, underflow a piece of it that does not shrink with it: 0.1 to
the power 331 is 0, and times a cost of 1e100 it would have been a number.  As long as a product of
chances, discounts and a cost stays above 1e-250, nothing of this kind happens.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from solvers.core.blind_moves import most_cost
from solvers.core.model import SensingMDP

FAINT_AFTER = 575.0
"""Products above e to the minus this (1e-250), and their sums, lose nothing."""
FAINT, FAINTEST = 1e-280, 1e-310
"""More than one entry of a belief can lose in a step, as a share of the most that can be paid and
as a cost."""
MOST = 1e300
"""The most that can be paid counts as this where it has no bound."""


class Underflow(NamedTuple):
    """faint, fades : the least product there can be after m steps is e^-(faint + m fades)

    lost : what one step of a walk can lose beyond FAINT_AFTER, as a cost
    """

    faint: float
    fades: float
    lost: float

    def begun(self, steps: float) -> bool:
        """Whether a product of so many steps can be too small."""
        return self.faint + self.fades * steps > FAINT_AFTER


def underflow(problem: SensingMDP) -> Underflow:
    """When it begins in this problem, and what it takes."""
    costs = np.abs(problem.costs[problem.costs != 0])
    chance = min(float(T.data.min(initial=1.0)) for T in problem.transitions)
    return Underflow(
        faint=float(-np.log(costs.min(initial=1.0))),
        fades=float(-np.log(chance) - np.log(problem.discount)),
        lost=problem.num_states * (FAINT * min(most_cost(problem), MOST) + FAINTEST),
    )
