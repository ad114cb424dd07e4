"""POMCP: Monte-Carlo tree search (PO-UCT) at every step, on the exact belief.

Before each step the planner grows a search tree from its belief with ``tree_queries`` simulated
walks and takes the arm of least mean cost.  Nothing is proven and nothing is kept from step to
step; the policy is random, so its value is the mean of simulated episodes, with standard error.
The search itself is compiled, see :mod:`solvers.kernels.pomcp_kernel`.

What stands for the rest of a walk when it adds a node with belief ``b`` (option ``rollout``):

    random         uniformly random choices, looks included, to ``max_depth``
    mdp            ``b V*``, as if everything were seen for nothing from there on
    always-sense   ``b V_AS``, as if everything were seen, at k a step
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

import numpy as np

from solvers.bounds.alarm import alarm
from solvers.bounds.delayed_information import unspent_after
from solvers.core.baseline import solve_baseline
from solvers.core.model import SensingMDP
from solvers.core.policy import Policy
from solvers.core.simulation import default_max_steps, simulate
from solvers.core.solution import BUDGET, SOLVED, Solution
from solvers.core.solver import Budget, Solver, SolverError
from solvers.kernels.pomcp_kernel import Tables, make_tables, make_tree, search

ROLLOUTS = ("random", "mdp", "always-sense")
DEPTH_TOLERANCE = 1e-2
"""The default depth is where the discount falls below this."""
TREE_BYTES = 2**29
"""Most memory the tree may take; a search that fills it adds no more nodes."""
ENDED = 1e-12
"""Live probability below which nothing can happen any more, so nothing is searched."""
HURRIED_QUERIES = 10
"""Queries per arm at a step after the budget has run out, so that the episode can end."""
OVERTIME, OVERTIME_SHARE = 0.2, 0.05
"""How long it may go on so, in seconds and as a share of the budget; then it is cut."""


def tables_of(problem: SensingMDP, leaf_values: np.ndarray | None) -> Tables:
    """What the search reads of a problem."""
    return make_tables(
        problem.transitions,
        problem.costs,
        problem.sensing_costs(),
        problem.terminal,
        problem.discount,
        leaf_values,
    )


class PomcpPolicy(Policy):
    """The online planner: each call of ``act`` grows a tree and moves the generator on.

    decisions, hurried_decisions, simulated_steps, seconds : what has been spent so far
    """

    randomised = True

    def __init__(
        self,
        problem: SensingMDP,
        *,
        tree_queries: int,
        c: float | None,
        max_depth: int | None,
        rollout: str,
        seed: int,
    ) -> None:
        super().__init__(problem)
        V, _ = solve_baseline(problem)
        V_AS, Q_AS = solve_baseline(problem, problem.sensing_costs())
        leaf_values = {"random": None, "mdp": V, "always-sense": V_AS}[rollout]
        live = ~problem.terminal
        self.tree_queries = tree_queries
        # UCB1 wants the range of what it averages: here what one wrong choice may cost.
        spread = (Q_AS.max(axis=1) - V)[live]
        if c is None:
            c = float(spread.mean()) if len(spread) else 0.0
        self.c = float(c)
        if max_depth is None:
            max_depth = math.ceil(math.log(DEPTH_TOLERANCE) / math.log(problem.discount))
        self.max_depth = max(1, max_depth)
        self.deadline = math.inf
        self.stop = np.zeros(1, np.int64)  # set to 1 it ends the search that is running
        self.decisions = self.hurried_decisions = self.simulated_steps = 0
        self.seconds = 0.0
        self._tables = tables_of(problem, leaf_values)
        self._tree = make_tree(*problem.costs.shape, tree_queries + 1, TREE_BYTES, self.max_depth)
        self._rng = np.array([seed], np.uint64)

    def act(self, belief: np.ndarray) -> tuple[int, bool]:
        if belief @ ~self.problem.terminal <= ENDED:
            return 0, False
        began = time.perf_counter()
        A, queries = self.problem.num_actions, self.tree_queries
        if began >= self.deadline:
            queries = min(queries, 2 * A * HURRIED_QUERIES)
            self.hurried_decisions += 1
        arm, steps = search(
            self._tables, self._tree, np.array(belief, float), queries, self.c, self._rng, self.stop
        )
        self.decisions += 1
        self.simulated_steps += steps
        self.seconds += time.perf_counter() - began
        return int(arm % A), bool(arm >= A)


@dataclass
class Pomcp(Solver):
    """Options: ``c`` is UCB1's weight in units of cost (the cost range when None); ``max_depth``
    and ``max_steps`` are as long as the discount lets costs matter when None; ``episodes`` are
    simulated, fewer if the budget ends first (then ``status`` is BUDGET).  An episode that does not
    end soon after the budget is cut: ``truncation`` says how much its cost may lack.
    """

    name = "pomcp"
    tree_queries: int = 10_000
    c: float | None = None
    max_depth: int | None = None
    rollout: str = "mdp"
    episodes: int = 100
    max_steps: int | None = None
    seed: int = 0

    def supports(self, problem: SensingMDP) -> str | None:
        if not problem.has_linear_sensing_cost:
            return "its sensing cost is a function of the belief; pomcp needs a number or an array"
        return None

    @classmethod
    def warm_up(cls) -> None:
        """Compile the search (or load it from the cache), so that it is not timed."""
        T, costs = [[[0.5, 0.5], [0.0, 1.0]]], [[1.0], [0.0]]
        tiny = SensingMDP.from_arrays(T, costs, 0.5, 0.1, terminal=[1])
        PomcpPolicy(tiny, tree_queries=10, c=None, max_depth=None, rollout=ROLLOUTS[0], seed=0).act(
            np.array([1.0, 0.0])
        )

    def solve(self, problem: SensingMDP, budget: Budget) -> Solution:
        self._check_options()
        budget = unspent_after(self.warm_up, budget)
        planner = PomcpPolicy(
            problem,
            tree_queries=self.tree_queries,
            c=self.c,
            max_depth=self.max_depth,
            rollout=self.rollout,
            seed=self.seed,
        )
        planner.deadline = time.perf_counter() + budget.left()
        overtime = Budget(max(budget.left(), 0.0) + OVERTIME_SHARE * budget.seconds + OVERTIME)
        with alarm(overtime) as planner.stop:
            ran = simulate(
                problem,
                planner,
                self.episodes,
                self.seed,
                max_steps=self.max_steps,
                seconds=budget.left(),
                cut_after=overtime.seconds,
            )
        cut_short = ran.episodes < self.episodes or planner.hurried_decisions > 0
        return Solution(
            policy=planner,
            value=ran.mean,
            standard_error=ran.standard_error,
            sensing_rate=ran.sensing_rate,
            iterations=planner.decisions,
            seconds=planner.seconds,
            status=BUDGET if cut_short else SOLVED,
            info={
                "episodes": ran.episodes,
                "decisions": planner.decisions,
                "hurried_decisions": planner.hurried_decisions,
                "queries_per_step": self.tree_queries,
                "simulated_steps": planner.simulated_steps,
                "simulated_steps_per_second": planner.simulated_steps / max(planner.seconds, 1e-9),
                "seconds_per_step": planner.seconds / max(1, planner.decisions),
                "max_steps": self.max_steps or default_max_steps(problem),
                "truncation": ran.truncation,
                "c": planner.c,
                "max_depth": planner.max_depth,
            },
        )

    def _check_options(self) -> None:
        least = {"tree_queries": 1, "max_depth": 1, "episodes": 2, "max_steps": 1}
        for option, n in least.items():
            given = getattr(self, option)
            if given is not None and not given >= n:
                raise SolverError(f"pomcp: {option} is {given}; expected at least {n}")
        if self.c is not None and not self.c >= 0:
            raise SolverError(f"pomcp: c is {self.c}; expected a number >= 0")
        if not (isinstance(self.seed, int | np.integer) and self.seed >= 0):
            raise SolverError(f"pomcp: seed is {self.seed!r}; expected a whole number >= 0")
        if self.rollout not in ROLLOUTS:
            known = ", ".join(ROLLOUTS)
            raise SolverError(f"pomcp: rollout is {self.rollout!r}; expected one of {known}")
