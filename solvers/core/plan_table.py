"""One plan per root together with what exact evaluation needs of it.

Keeping, for each root, the cost up to its look and the discounted distribution it lands on makes
evaluating the policy one linear solve, and replacing a root's plan a matter of one row.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from scipy import sparse

from solvers.core.evaluation import unroll
from solvers.core.model import SensingMDP
from solvers.core.policy import Plan, PlanPolicy, Policy
from solvers.kernels.returns import ReturnSystem

Row = tuple[np.ndarray, np.ndarray]
"""A sparse row of P: states (n,) and discounted probabilities (n,)."""


class PlanTable:
    """Plans of all roots, their costs (S,) up to and with the look, and where they land."""

    def __init__(
        self, problem: SensingMDP, plans: Iterable[Plan], costs: np.ndarray, rows: Iterable[Row]
    ) -> None:
        self.problem = problem
        self.plans = list(plans)
        self.costs = costs
        self.rows = list(rows)

    @classmethod
    def of_policy(cls, problem: SensingMDP, policy: Policy, plans: Iterable[Plan]) -> PlanTable:
        """The table of a policy whose plans are known."""
        found = unroll(problem, policy)
        P = found.P
        ends = zip(P.indptr[:-1], P.indptr[1:], strict=True)
        rows = [(P.indices[i:j], P.data[i:j]) for i, j in ends]
        return cls(problem, plans, found.gains[:, 0].copy(), rows)

    @classmethod
    def of_plans(cls, problem: SensingMDP, plans: Iterable[Plan]) -> PlanTable:
        """The table of the policy that follows these plans."""
        policy = PlanPolicy(problem, plans)
        return cls.of_policy(problem, policy, policy.plans)

    def put(self, root: int, plan: Plan, cost: float, landing: np.ndarray | None) -> None:
        """Replace a root's plan; ``landing`` (S,) is discounted, None for blind for good."""
        self.plans[root] = plan
        self.costs[root] = cost
        if landing is None:
            self.rows[root] = (np.empty(0, int), np.empty(0))
            return
        states = np.flatnonzero((landing != 0) & ~self.problem.terminal)
        self.rows[root] = (states, landing[states])

    def values(self) -> np.ndarray:
        """Exact cost at each root: (S,)."""
        return self.system().solve(self.costs)

    def system(self) -> ReturnSystem:
        """``I - P`` with P the landings of all plans."""
        sizes = [len(states) for states, _ in self.rows]
        P = sparse.csr_array(
            (
                np.concatenate([data for _, data in self.rows]),
                np.concatenate([states for states, _ in self.rows]),
                np.concatenate([[0], np.cumsum(sizes)]),
            ),
            shape=(len(self.plans), len(self.plans)),
        )
        return ReturnSystem(P)

    def copy(self) -> PlanTable:
        """A copy whose plans can be replaced without touching this one."""
        return PlanTable(self.problem, self.plans, self.costs.copy(), self.rows)

    def merged(self, other: PlanTable) -> PlanTable:
        """The better plan of each root.

        With V the lesser of the two policies' values, one round of the chosen plans costs at most
        V at every root, so by the policy improvement theorem the merged policy is worth at most V.
        """
        mine, theirs = self.values(), other.values()
        both = self.copy()
        for root in np.flatnonzero(theirs < mine):
            both.plans[root] = other.plans[root]
            both.costs[root] = other.costs[root]
            both.rows[root] = other.rows[root]
        return both

    def policy(self) -> PlanPolicy:
        """The policy that follows these plans."""
        return PlanPolicy(self.problem, self.plans)
