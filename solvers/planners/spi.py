"""Selective Policy Improvement (SPI), Algorithms 1 and 2 of the paper, for all roots at once.

PolicyUpdate walks every root down one blind string.  With V the root values of the reference
policy, Q_V(a) = C(a) + k(a) + alpha T(a) V and b the belief so far, it goes on blind with the
action that is best if the agent looks one step later, and looks as soon as looking now is as good:

    V_MS(b)  = min_a  b Q_V(a)
    V_blind  = min_a  b C(a) + alpha V_MS(b T(a))  =  min_{a, a'}  b [C(a) + alpha T(a) Q_V(a')]

Both minima are over the columns of one matrix of shape S × (A + A²), made once per update: a step
of all roots is one product of their belief block with it, and one blind step.  A root is finished
early when repeating its best action blind for good is within tolerance of the best that could
still come, b V* (everything seen for free).  A new plan replaces the old one where its value,
followed once and then the reference, is lower; by the policy improvement theorem that is the test
of line 19.

The early finish goes beyond the paper's algorithm, which has no plans that are blind for good: it
walks on and must look after ``max_steps``.  A finished root's plan is better than that or as good,
by less than a tenth of delta at worst, and it is why values here can be below the literal ones.

SPI stops in local optima.  ``init`` chooses where it starts: ``always-sense`` (Algorithm 1),
``blind`` (the plans SPI finds when looking is dearer than anything it could save), or ``best``
(SPI from several sensing costs, the best plan of each root kept, then improved again).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from solvers.core.baseline import TIE, action_values, lowest_argmin, value_sizes
from solvers.core.lower_bound import lower_bound_from
from solvers.core.model import SensingMDP
from solvers.core.plan_table import PlanTable
from solvers.core.policy import Plan
from solvers.core.solution import BUDGET, SOLVED, Solution
from solvers.core.solver import Budget, Solver, SolverError
from solvers.kernels.belief_block import BeliefBlock
from solvers.kernels.screening import ScreenedColumns
from solvers.planners.always_sense import AlwaysSensePolicy

INITS = ("always-sense", "blind", "best")
FINISHED = 0.1
"""What finishing a root early may lose, as a share of delta."""
BLOCK_ENTRIES = 2**24
"""Largest belief block (roots × states) walked at once: 128 MiB."""
COST_LADDER = (1.0, 5.0, 25.0)
"""Multiples of k whose SPI plans ``best`` starts from, besides blind ones."""


@dataclass
class SPI(Solver):
    """Selective policy improvement.

    max_steps : blind steps a plan may have; delta : smallest improvement that goes on;
    max_iterations : most PolicyUpdates (None: until delta); init : one of INITS.
    """

    name = "spi"
    max_steps: int = 500
    delta: float = 1e-6
    max_iterations: int | None = None
    init: str = "always-sense"

    def __post_init__(self) -> None:
        if self.init not in INITS:
            raise SolverError(f"spi: init is {self.init!r}; expected one of {', '.join(INITS)}")
        if self.max_steps < 0:
            raise SolverError(f"spi: max_steps is {self.max_steps}; expected 0 or more")
        if not self.delta >= 0:
            raise SolverError(f"spi: delta is {self.delta}; expected a number >= 0")
        if self.max_iterations is not None and self.max_iterations < 1:
            raise SolverError(f"spi: max_iterations is {self.max_iterations}; expected at least 1")

    def supports(self, problem: SensingMDP) -> str | None:
        if self.init != "always-sense" and not problem.has_linear_sensing_cost:
            return f"init={self.init!r} scales the sensing cost, which must be a number or array"
        return None

    def solve(self, problem: SensingMDP, budget: Budget) -> Solution:
        always = AlwaysSensePolicy(problem)
        table = self._first_plans(problem, always, budget)
        table, rounds, status = self._improve(problem, always, table, budget)
        return Solution(
            policy=table.policy(),
            lower_bound=lower_bound_from(problem, always.V),
            iterations=rounds,
            status=status,
        )

    def _first_plans(
        self, problem: SensingMDP, always: AlwaysSensePolicy, budget: Budget
    ) -> PlanTable:
        start = _always_sense_plans(problem, always)
        if self.init == "always-sense":
            return start
        # Looking must cost more than all that could ever be saved by it.
        spread = float(np.ptp(problem.costs)) * problem.longest_stay + problem.max_sensing_cost
        costs = [np.broadcast_to(max(spread, 1e-300), problem.costs.shape)]
        if self.init == "best":  # the literal start first, so that no budget ends below it
            costs = [np.asarray(problem.sensing_cost) * m for m in COST_LADDER] + costs
        for k in costs:
            if budget.over():
                break
            other = problem.with_sensing_cost(k)
            there, _, _ = self._improve(other, always, _always_sense_plans(other, always), budget)
            found = PlanTable.of_plans(problem, there.plans)
            start = found if self.init == "blind" else start.merged(found)
        return start

    def _improve(
        self, problem: SensingMDP, always: AlwaysSensePolicy, table: PlanTable, budget: Budget
    ) -> tuple[PlanTable, int, str]:
        """Algorithm 1: PolicyUpdate until no root gains more than delta."""
        V, rounds = table.values(), 0
        while self.max_iterations is None or rounds < self.max_iterations:
            if budget.over():
                return table, rounds, BUDGET
            table = policy_update(problem, always, table, V, self.max_steps, self.delta)
            V_new, rounds = table.values(), rounds + 1
            gain = float((V - V_new).max())
            V = V_new
            if gain <= self.delta:
                break
        return table, rounds, SOLVED


def _always_sense_plans(problem: SensingMDP, always: AlwaysSensePolicy) -> PlanTable:
    actions, _ = always.act_batch(sparse.eye_array(problem.num_states, format="csr"))
    plans = [
        Plan((), False) if end else Plan((int(a),), True)
        for a, end in zip(actions, problem.terminal, strict=True)
    ]
    return PlanTable.of_plans(problem, plans)


def policy_update(
    problem: SensingMDP,
    always: AlwaysSensePolicy,
    reference: PlanTable,
    V: np.ndarray,
    max_steps: int,
    delta: float,
) -> PlanTable:
    """Algorithm 2 from the reference's plans with root values V (S,); better plans replace."""
    look = problem.sensing_costs() if problem.has_linear_sensing_cost else 0.0
    Q = action_values(problem, V, problem.costs + look)  # (S, A): look now
    ahead = np.stack([T @ Q for T in problem.transitions], axis=1)  # (S, A, A): look next
    blind = problem.costs[:, :, None] + problem.discount * ahead
    walker = _Walker(problem, always, Q, blind, max_steps, FINISHED * delta)
    better = reference.copy()
    roots = np.flatnonzero(~problem.terminal)
    size = max(1, BLOCK_ENTRIES // problem.num_states)
    for first in range(0, len(roots), size):
        walker.walk(roots[first : first + size], V, better)
    return better


class _Walker:
    """Walks a block of roots down their greedy blind strings."""

    def __init__(
        self,
        problem: SensingMDP,
        always: AlwaysSensePolicy,
        Q: np.ndarray,
        blind: np.ndarray,
        max_steps: int,
        tolerance: float,
    ) -> None:
        self.problem, self.always = problem, always
        self.max_steps, self.tolerance = max_steps, tolerance
        self.ties = TIE * value_sizes(problem, always.seen)  # differences that are rounding
        for_good = problem.constant_action_values
        # Columns: look now, repeat an action for good, one step (A each), all seen free, ties (1).
        self.columns = np.column_stack([Q, for_good, problem.costs, always.V, self.ties])
        self.blind = blind
        self.screened = ScreenedColumns(blind, ~problem.terminal, float(self.ties.max()))

    def walk(self, roots: np.ndarray, V: np.ndarray, table: PlanTable) -> None:
        """Walk these roots (n,) to the end; where the plan found beats V, put it in the table."""
        problem, alpha = self.problem, self.problem.discount
        block = BeliefBlock(roots, problem.num_states, problem.step, problem.dense_transitions)
        Z = np.zeros(len(roots))
        strings = np.empty((len(roots), self.max_steps + 2), np.int32)
        row = np.arange(len(roots))  # where the live roots stand in the block
        came_by = np.zeros(len(roots), int)  # the last blind action: beliefs it made are alike
        for m in range(self.max_steps + 2):
            beliefs = block.beliefs
            now, blind, for_good, step, free, tie = self._score(beliefs, came_by)
            a_look, a_blind = lowest_argmin(now, tie), lowest_argmin(blind, tie)
            finished = alpha**m * (for_good.min(axis=1) - free) <= self.tolerance
            looks = (now.min(axis=1) <= blind.min(axis=1) + tie) & ~finished
            if m > self.max_steps:  # line 7: the walk is over and the initial policy looks
                looks = ~finished
                a_look = self.always.act_batch(beliefs)[0]
            strings[row, m] = np.where(looks, a_look, a_blind)
            strings[row[finished], m] = lowest_argmin(for_good[finished], tie[finished])
            ends = Z + alpha**m * for_good.min(axis=1)
            for i in np.flatnonzero(finished & (ends < (V - self.ties)[roots[row]])):
                plan = Plan(tuple(strings[row[i], : m + 1].tolist()), False)
                table.put(roots[row[i]], plan, ends[i], None)
            if looks.any():
                costs, landings = self._looked(m, beliefs[looks], Z[looks], a_look[looks])
                for i, cost, landing in zip(row[looks], costs, landings, strict=True):
                    if cost + landing @ V < V[roots[i]] - self.ties[roots[i]]:
                        plan = Plan(tuple(strings[i, : m + 1].tolist()), True)
                        table.put(roots[i], plan, cost, landing)
            on = ~(looks | finished)
            if not on.any():
                return
            Z = (Z + alpha**m * step[np.arange(len(row)), a_blind])[on]
            row, came_by = row[on], a_blind[on]
            block.keep(on)
            block.step(came_by)

    def _looked(
        self, m: int, beliefs: np.ndarray, Z: np.ndarray, actions: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Cost up to and with a look after m blind steps (n,), and where it lands (n, S)."""
        problem, discount = self.problem, self.problem.discount**m
        each = np.arange(len(beliefs))
        step_cost = (beliefs @ problem.costs)[each, actions]
        k = problem.sensing_cost_at(beliefs)[each, actions]
        after = problem.step(beliefs, actions)
        return Z + discount * (step_cost + k), discount * problem.discount * after

    def _score(self, beliefs: np.ndarray, came_by: np.ndarray) -> tuple[np.ndarray, ...]:
        """Looking now, looking next, blind for good, one step (n, A each), all seen free and what
        counts as a tie (n,)."""
        problem, A = self.problem, self.problem.num_actions
        table = beliefs @ self.columns
        now, for_good, step, ends = np.split(table, [A, 2 * A, 3 * A], axis=1)
        free, tie = ends.T
        if problem.has_linear_sensing_cost:
            return now, self.screened.least(beliefs, came_by), for_good, step, free, tie
        # App. F: a look is priced at the belief it is taken in.
        look_next = np.stack([problem.sensing_cost_at(beliefs @ T) for T in problem.transitions], 1)
        later = np.einsum("ns,sab->nab", beliefs, self.blind) + problem.discount * look_next
        now = now + problem.sensing_cost_at(beliefs)
        return now, later.min(axis=2), for_good, step, free, tie
