"""The Fast Informed Bound in its closed form for sensing.

A look has one successor for each state seen, a blind step has exactly one, so FIB's backup needs no
loop over observations:

    v(a, look)  = C(a) + k(a) + α T(a) min over (a', ·) of v(a', ·)
    v(a, blind) = C(a) + α min over (a', ·) of T(a) v(a', ·)

This is the delayed-information bound of depth 1, whose code and proof it shares:
``v(a, blind)(s) = C(s, a) + α W(s, a)``.  Started at V*, every iterate is a lower bound on the cost
at every belief: ``min over vectors of b · v``.  Terminal states are ordinary absorbing states
here, free unless looked at.  The policy is the greedy one of the 2A vectors.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from solvers.bounds.delayed_information import (
    SETTLED,
    DelayedInformation,
    compile_kernels,
    linear_sensing_only,
    unspent_after,
)
from solvers.core.model import SensingMDP
from solvers.core.policy import AlphaVectorPolicy
from solvers.core.solution import BUDGET, SOLVED, Solution
from solvers.core.solver import Budget, Solver


def fib_vectors(
    problem: SensingMDP,
    budget: Budget | None = None,
    max_iterations: int = 10_000,
    residual: float = SETTLED,
) -> tuple[np.ndarray, np.ndarray, int]:
    """The vectors v (2A, S), first all blind ones, then all looks; the bound at each root (S,); and
    the number of iterations.  Stops when no root rises by ``residual`` of its own value."""
    information = DelayedInformation(problem)
    iterations = 0
    while iterations < max_iterations:
        _, rise = information.sweep(unit=information.own_values())
        iterations += 1
        if rise <= residual or (budget is not None and budget.over()):
            break
    blind = problem.costs + problem.discount * information.W(1)[information.rows.row_of, 0]
    look = information.look_values(information.W0)
    return np.concatenate([blind, look], axis=1).T, information.W0, iterations


@dataclass
class FIB(Solver):
    """Fast Informed Bound: a proven lower bound and the policy greedy to it.

    max_iterations : backups at most
    residual : the rise of the bound, as a share of each root's value, that ends the backups
    """

    name = "fib"
    max_iterations: int = 10_000
    residual: float = SETTLED

    def supports(self, problem: SensingMDP) -> str | None:
        return linear_sensing_only(problem)

    @classmethod
    def warm_up(cls) -> None:
        compile_kernels()

    def solve(self, problem: SensingMDP, budget: Budget) -> Solution:
        budget = unspent_after(self.warm_up, budget)
        A = problem.num_actions
        alphas, bound, iterations = fib_vectors(problem, budget, self.max_iterations, self.residual)
        actions, senses = np.tile(np.arange(A), 2), np.repeat([False, True], A)
        return Solution(
            policy=AlphaVectorPolicy(problem, alphas, actions, senses),
            lower_bound=bound,
            iterations=iterations,
            status=BUDGET if budget.over() else SOLVED,
            seconds=budget.spent(),
        )
