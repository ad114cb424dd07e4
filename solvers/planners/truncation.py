"""Truncation: the optimal policy of M_{k,N}, in which at most N blind steps follow one another.

How M_{k,N} is solved stands in :mod:`solvers.bounds.truncated`; what its optimum proves about M_k
stands in :mod:`solvers.bounds.certificates`.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from solvers.bounds.blind_tree import OutOfTime, TreeTooLarge
from solvers.bounds.certificates import certify_truncated
from solvers.bounds.truncated import MEMORY_MB, check_depth, solve_truncated
from solvers.core.baseline import baseline
from solvers.core.budget import Budget
from solvers.core.lower_bound import lower_bound_from
from solvers.core.model import SensingMDP
from solvers.core.solution import BUDGET, SOLVED, Solution
from solvers.core.solver import Solver


@dataclass
class Truncation(Solver):
    """The optimal policy of M_{k,N}, N = ``depth``, with what it proves about M_k.

    memory_mb : most memory a layer of the tree may take; a depth that needs more is refused.
    """

    name = "truncation"
    depth: int = 3
    memory_mb: float = MEMORY_MB

    def __post_init__(self) -> None:
        check_depth(self.depth)

    def solve(self, problem: SensingMDP, budget: Budget) -> Solution:
        found, rounds, closed = solve_truncated(problem, self.depth, self.memory_mb, budget=budget)
        policy = found.table.policy()
        if closed:
            # A layer N + 1 that does not fit, or comes too late, leaves the plans of depth N.
            with suppress(TreeTooLarge, OutOfTime):
                proof = certify_truncated(problem, self.depth, found, self.memory_mb, budget)
                return Solution(
                    policy=policy,
                    iterations=rounds,
                    lower_bound=proof.lower_bound,
                    info=proof.as_info(),
                )
        return Solution(
            policy=policy,
            iterations=rounds,
            lower_bound=lower_bound_from(problem, baseline(problem).V),
            status=BUDGET if budget.over() else SOLVED,
        )
