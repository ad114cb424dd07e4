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

from solvers.core.baseline import solve_baseline
from solvers.core.model import SensingMDP
from solvers.core.policy import AlphaVectorPolicy
from solvers.core.solution import Solution
from solvers.core.solver import Budget, Solver


@dataclass
class Qmdp(Solver):
    """No options: the MDP is solved exactly."""

    name = "qmdp"

    def solve(self, problem: SensingMDP, budget: Budget) -> Solution:
        V, Q = solve_baseline(problem)
        A = problem.num_actions
        policy = AlphaVectorPolicy(problem, Q.T, np.arange(A), np.zeros(A, bool))
        return Solution(policy=policy, lower_bound=V, iterations=1)
