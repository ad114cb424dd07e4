"""Selective Policy Improvement (SPI), Algorithms 1 and 2 of the paper, for all roots at once.

PolicyUpdate walks every root down one blind string.  With V the root values of the reference
policy, Q_V(a) = C(a) + k(a) + alpha T(a) V and b the belief so far, it goes on blind with the
action that is best if the agent looks one step later, and looks as soon as looking now is as good:

    V_MS(b)  = min_a  b Q_V(a)
    V_blind  = min_a  b C(a) + alpha V_MS(b T(a))  =  min_{a, a'}  b [C(a) + alpha T(a) Q_V(a')]

Roots are walked in blocks, by dense products (:mod:`solvers.core.block_walk`), or one by one on
sparse beliefs (:mod:`solvers.kernels.spi_walk`).  A root is finished early when repeating its best
action blind for good is within tolerance of the best that could still come, b V* (everything seen
for free).  A new plan replaces the old one where its value, followed once and then the reference,
is lower; by the policy improvement theorem that is the test of line 19.

The early finish goes beyond the paper's algorithm, which has no plans that are blind for good: it
walks on and must look after ``max_steps``.  A finished root's plan is better than that or as good,
by less than a tenth of delta at worst, and it is why values here can be below the literal ones.

With ``roots="reachable"`` an update walks the roots that the reference reaches from the start, then
those that the plans found land on, and so on until these are all walked; all others, and those that
are reached with a discounted chance below ``NEGLIGIBLE_REACH``, keep their plans.

SPI stops in local optima.  ``init`` chooses where it starts: ``always-sense`` (Algorithm 1),
``blind`` (the plans SPI finds when looking is dearer than anything it could save), or ``best``
(SPI from several sensing costs, the best plan of each root kept, then improved again).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from solvers.core.baseline import TIE, value_sizes
from solvers.core.blind_for_good import costs_for_good
from solvers.core.lower_bound import lower_bound_from
from solvers.core.model import SensingMDP
from solvers.core.plan_table import PlanTable
from solvers.core.policy_update import compile_walks, walk_roots
from solvers.core.reference import Reference
from solvers.core.roots import REACHABLE, Reach, check_roots, chosen_roots, roots_along
from solvers.core.solution import BUDGET, SOLVED, Solution
from solvers.core.solver import Budget, Solver, SolverError
from solvers.core.workers import workers
from solvers.planners.always_sense import AlwaysSensePolicy

INITS = ("always-sense", "blind", "best")
FINISHED = 0.1
"""What finishing a root early may lose, as a share of delta."""
COST_LADDER = (1.0, 5.0, 25.0)
"""Multiples of k whose SPI plans ``best`` starts from, besides blind ones."""


@dataclass
class SPI(Solver):
    """Selective policy improvement.

    max_steps : blind steps a plan may have; delta : smallest improvement that goes on;
    max_iterations : most PolicyUpdates (None: until delta); init : one of INITS;
    roots : "reachable" to plan for what the policy reaches from the start, "all" for every root; by
        default reachable on a large problem
    threads : roots walked at once where they are walked one by one; the answer is the same for any
    """

    name = "spi"
    splits_roots = True
    max_steps: int = 500
    delta: float = 1e-6
    max_iterations: int | None = None
    init: str = "always-sense"
    roots: str | None = None
    threads: int = 1

    def __post_init__(self) -> None:
        check_roots(self.name, self.roots)
        if self.threads < 1:
            raise SolverError(f"spi: threads is {self.threads}; expected at least 1")
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

    @classmethod
    def warm_up(cls) -> None:
        """Compile (or load) what is compiled; ``seconds`` never holds it."""
        compile_walks()

    def solve(self, problem: SensingMDP, budget: Budget) -> Solution:
        always = AlwaysSensePolicy(problem, budget)
        table = self._first_plans(problem, always, budget)
        table, rounds, status = self._improve(problem, always, table, budget)
        return Solution(
            policy=table.policy(),
            lower_bound=lower_bound_from(problem, always.V, budget),
            iterations=rounds,
            status=status,
            roots=self.roots,
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
        costs_for_good(problem, budget)  # which a walk reads
        if budget.over():
            return table, 0, BUDGET
        V, rounds = table.values(always.V), 0
        ties = TIE * value_sizes(problem, always.seen)  # differences that are rounding
        counts = self._first_roots(problem, table)
        while self.max_iterations is None or rounds < self.max_iterations:
            if budget.over():
                return table, rounds, BUDGET
            tolerance = FINISHED * self.delta
            reference = Reference(
                V, always.V, ties, always.columns, self.max_steps, tolerance, budget
            )
            table, counts = self._update(problem, reference, table, counts, budget)
            rounds += 1
            if budget.over():
                return table, rounds, BUDGET
            V_new = table.values(V)
            gain = float((V - V_new)[counts].max(initial=0.0))
            V = V_new
            if gain <= self.delta:
                break
        return table, rounds, SOLVED

    def _first_roots(self, problem: SensingMDP, table: PlanTable) -> np.ndarray:
        """The roots (S,) bool that these plans reach, or all."""
        if chosen_roots(self.roots, problem) != REACHABLE:
            return ~problem.terminal
        return roots_along(table.rows.matrix(), problem.start, problem.terminal)

    def _update(
        self,
        problem: SensingMDP,
        reference: Reference,
        table: PlanTable,
        first: np.ndarray,
        budget: Budget,
    ) -> tuple[PlanTable, np.ndarray]:
        """Algorithm 2: better plans replace those of the reference.

        first : (S,) bool, the roots that the reference reaches, and are walked first.  Returns the
        new table and the roots (S,) bool that it reaches.
        """
        better = table.copy()
        crew = workers(self.threads)
        if chosen_roots(self.roots, problem) != REACHABLE:
            walk_roots(problem, reference, np.flatnonzero(first), better, crew, budget)
            return better, first
        reach = Reach(problem.start, problem.terminal)
        front = np.flatnonzero(first)
        while len(front) and not budget.over():
            walk_roots(problem, reference, front, better, crew, budget)
            reach.add(front, front, better.rows.part(front))
            front = reach.front()
        return better, reach.reached


def _always_sense_plans(problem: SensingMDP, always: AlwaysSensePolicy) -> PlanTable:
    actions, _ = always.act_batch(sparse.eye_array(problem.num_states, format="csr"))
    return PlanTable.looking_always(problem, actions)
