"""One plan per root together with what exact evaluation needs of it.

Keeping, for each root, the cost up to its look and the discounted distribution it lands on makes
evaluating the policy one linear solve, and replacing a root's plan a matter of one row.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from solvers.core.evaluation import unroll
from solvers.core.landings import NOWHERE, Landings, Row
from solvers.core.model import SensingMDP
from solvers.core.policy import Plan, PlanPolicy, Policy
from solvers.kernels.returns import CLOSE, ReturnSystem


class PlanTable:
    """Plans of all roots, their costs (S,) up to and with the look, and where they land."""

    def __init__(
        self, problem: SensingMDP, plans: Iterable[Plan], costs: np.ndarray, rows: Landings
    ) -> None:
        self.problem = problem
        self.plans = list(plans)
        self.costs = costs
        self.rows = rows

    @classmethod
    def of_policy(
        cls, problem: SensingMDP, policy: Policy, plans: Iterable[Plan], above: bool = False
    ) -> PlanTable:
        """The table of a policy whose plans are known.

        above : no cost may be too low by more than rounding, as it can be where repeating an
            action for good was valued by iterations
        """
        found = unroll(problem, policy)
        costs = found.gains[:, 0].copy()
        if above:
            costs = np.where(found.error > CLOSE * np.abs(costs), costs + found.error, costs)
        return cls(problem, plans, costs, Landings(found.P))

    @classmethod
    def of_plans(cls, problem: SensingMDP, plans: Iterable[Plan], above: bool = False) -> PlanTable:
        """The table of the policy that follows these plans."""
        policy = PlanPolicy(problem, plans)
        return cls.of_policy(problem, policy, policy.plans, above)

    @classmethod
    def looking_always(cls, problem: SensingMDP, actions: np.ndarray) -> PlanTable:
        """The table of the policy that takes these actions (S,) and looks each time."""
        live, every = ~problem.terminal, np.arange(problem.num_states)
        one_step = [Plan((a,), True) for a in range(problem.num_actions)]
        over = Plan((), False)
        chosen = np.where(live, actions, -1).tolist()
        costs = (problem.costs + problem.look_costs.at_roots())[every, actions]
        P = problem.policy_matrix(actions)
        P.data *= problem.discount
        P.data[problem.terminal[P.indices]] = 0.0  # the episode is over there
        P.eliminate_zeros()
        plans = [one_step[a] if a >= 0 else over for a in chosen]
        return cls(problem, plans, np.where(live, costs, 0.0), Landings(P))

    def put(self, root: int, plan: Plan, cost: float, landing: np.ndarray | None) -> None:
        """Replace a root's plan; ``landing`` (S,) is discounted, None for blind for good."""
        row = NOWHERE
        if landing is not None:
            states = np.flatnonzero((landing != 0) & ~self.problem.terminal)
            row = (states, landing[states])
        self.put_row(root, plan, cost, row)

    def put_row(self, root: int, plan: Plan, cost: float, row: Row) -> None:
        """The same with the landing as a sparse row without terminal states."""
        self.plans[root] = plan
        self.costs[root] = cost
        self.rows[root] = row

    def values(self, guess: np.ndarray | None = None) -> np.ndarray:
        """Exact cost at each root: (S,); guess (S,) : what it may be near to."""
        return self.system().solve(self.costs, guess)

    def values_above(self, guess: np.ndarray | None = None) -> np.ndarray:
        """The same, and surely no less where the system is iterated, not factored."""
        return self.system().solve_above(self.costs, guess)

    def system(self) -> ReturnSystem:
        """``I - P`` with P the landings of all plans."""
        return ReturnSystem(self.rows.matrix())

    def copy(self) -> PlanTable:
        """A copy whose plans can be replaced without touching this one."""
        return PlanTable(self.problem, self.plans, self.costs.copy(), self.rows.copy())

    def merged(self, other: PlanTable) -> PlanTable:
        """The better plan of each root.

        With V the lesser of the two policies' values, one round of the chosen plans costs at most
        V at every root, so by the policy improvement theorem the merged policy is worth at most V.
        """
        mine, theirs = self.values(), other.values()
        both = self.copy()
        for root in np.flatnonzero(theirs < mine).tolist():
            both.put_row(root, other.plans[root], other.costs[root], other.rows[root])
        return both

    def policy(self) -> PlanPolicy:
        """The policy that follows these plans."""
        return PlanPolicy(self.problem, self.plans)
