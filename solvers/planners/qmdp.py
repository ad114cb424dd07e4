"""QMDP: act as if everything were seen for nothing after the next step.

Its cost vectors are those of the fully observed MDP, one per choice of the POMDP:

    blind:  C(a) + alpha T(a) V*            sense:  C(a) + k(a) + alpha T(a) V*

The two differ by ``k >= 0`` alone, so by QMDP's own reasoning a look is never worth its price (at
k = 0 the tie goes to blind) and only the blind vectors are kept: whatever the form of the sensing
cost, the policy never looks.  Seeing for nothing can only help, so ``V*`` is a proven lower bound.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from solvers.core.baseline import baseline
from solvers.core.budget import Budget
from solvers.core.lower_bound import lower_bound_from
from solvers.core.model import SensingMDP
from solvers.core.policy import AlphaVectorPolicy
from solvers.core.solution import BUDGET, SOLVED, Solution
from solvers.core.solver import Solver


@dataclass
class Qmdp(Solver):
    """No options: the MDP is solved exactly."""

    name = "qmdp"

    def solve(self, problem: SensingMDP, budget: Budget) -> Solution:
        seen, A = baseline(problem, budget=budget), problem.num_actions
        return Solution(
            policy=AlphaVectorPolicy(problem, seen.Q.T, np.arange(A), np.zeros(A, bool)),
            lower_bound=lower_bound_from(problem, seen.V),
            iterations=1,
            status=SOLVED if seen.settled else BUDGET,
        )
