"""Truncation: the optimal policy of M_{k,N}, in which at most N blind steps follow one another.

How M_{k,N} is solved stands in :mod:`solvers.bounds.truncated`; what its optimum proves about M_k
stands in :mod:`solvers.bounds.certificates`.
"""

from __future__ import annotations

from dataclasses import dataclass

from solvers.bounds.blind_tree import TreeTooLarge
from solvers.bounds.certificates import certify_truncated
from solvers.bounds.truncated import MEMORY_MB, check_depth, solve_truncated
from solvers.core.model import SensingMDP
from solvers.core.solution import BUDGET, SOLVED, Solution
from solvers.core.solver import Budget, Solver


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
        table, rounds, closed = solve_truncated(problem, self.depth, self.memory_mb, budget=budget)
        found = Solution(
            policy=table.policy(), iterations=rounds, status=SOLVED if closed else BUDGET
        )
        if not closed:
            return found
        try:
            proof = certify_truncated(problem, self.depth, table, self.memory_mb)
        except TreeTooLarge:  # layer N + 1 does not fit, the plans of depth N stand all the same
            return found
        return Solution(
            policy=found.policy,
            iterations=rounds,
            lower_bound=proof.lower_bound,
            info=proof.as_info(),
        )
