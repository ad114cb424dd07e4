"""The solvers of POMDPs.jl as solvers of ours.

Each plans on the POMDP of :mod:`pomdp_bridge.export` in a worker process and hands back alpha
vectors, which the same exact evaluator judges as every other policy.  Options named like an option
of the Julia solver go through to it; None leaves it at the package's own default.  Common options:

    reward_scale   rewards are multiplied by this while planning, never when evaluating
    memory_gb      the worker is stopped when it holds more
    start          where planning depends on it: "distribution", from the belief ``start``, as in
                   the paper; "revealed", the first state is shown for free, as our agent knows it

A budget becomes the planner's time limit where it has one.  Planning is stopped hard at the
budget plus a quarter and five seconds, because some planners look at the clock rarely or never.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

import numpy as np

from pomdp_bridge.export import DISTRIBUTION, REVEALED, STARTS, reveal_start
from pomdp_bridge.julia import environment
from pomdp_bridge.julia.bounds import fib_lower_bound, sarsop_bounds
from pomdp_bridge.julia.bridge import LIMITS, Answer, call_julia
from solvers.core.model import SensingMDP
from solvers.core.policy import AlphaVectorPolicy
from solvers.core.solution import BUDGET, SOLVED, Solution
from solvers.core.solver import Budget, Solver, SolverError

OURS = ("start", "reward_scale", "memory_gb", "episodes", "seed")
"""Options that are not the Julia solver's."""
KNOWN = "known"
"""Start of a planner that does not plan from a belief."""


@dataclass(kw_only=True)
class JuliaSolver(Solver):
    """Base of the solvers below; it has no name, so it is not one itself."""

    reward_scale: float = 1.0
    memory_gb: float = 4.0

    planner = ""
    overhead_seconds = sum(LIMITS.values()) + 60  # of a worker, besides planning
    has_clock = False  # True: the Julia solver has an option max_time
    overhead_seconds = sum(LIMITS.values())  # start-up and hand-over, apart from any budget
    start = KNOWN  # FIB and QMDP plan for every state alike; others have it as an option

    def available(self) -> str | None:
        _, finding = environment.check()
        return None if finding is None else str(finding)

    def supports(self, problem: SensingMDP) -> str | None:
        if not problem.has_linear_sensing_cost:
            return "its sensing cost is a function of the belief, so it has no POMDP"
        return None

    def julia_options(self, budget: Budget) -> dict[str, float | int | bool]:
        """The options that were set, for the Julia solver; the budget becomes its clock."""
        given = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in OURS}
        if self.has_clock and given.get("max_time") is None and math.isfinite(budget.seconds):
            given["max_time"] = budget.seconds
        return {name: value for name, value in given.items() if value is not None}

    def call(self, problem: SensingMDP, budget: Budget, options: dict) -> Answer:
        if self.start not in (KNOWN, *STARTS):
            raise SolverError(
                f"{self.name}: start is {self.start!r}; expected one of {', '.join(STARTS)}"
            )
        if not self.reward_scale > 0:
            raise SolverError(f"{self.name}: reward_scale is {self.reward_scale}; expected > 0")
        return call_julia(
            problem,
            self.planner,
            options,
            limit=1.25 * budget.seconds + 5,
            memory_gb=self.memory_gb,
            reward_scale=self.reward_scale,
        )

    def solve(self, problem: SensingMDP, budget: Budget) -> Solution:
        given = reveal_start(problem) if self.start == REVEALED else problem
        answer = self.call(given, budget, self.julia_options(budget))
        S, A = problem.num_states, problem.num_actions
        costs = -answer.arrays["alphas"][:, :S] / self.reward_scale
        chosen = answer.arrays["actions"]
        policy = AlphaVectorPolicy(problem, costs, chosen % A, chosen >= A)
        lower, trace, more = self.bounds(problem, policy, answer)
        seconds = answer.numbers["seconds"]
        # Not a number where a planner has no bounds of its own; then it ran to its end.
        open_gap = answer.numbers["root_upper"] - answer.numbers["root_lower"]
        stopped = open_gap > answer.numbers["settings"].get("precision", 0.0)
        return Solution(
            policy=policy,
            lower_bound=lower,
            iterations=int(answer.numbers["iterations"]),
            status=BUDGET if stopped else SOLVED,
            trace=trace,
            seconds=seconds,
            info={
                **answer.info(),
                "start_belief": self.start,
                "reward_scale": self.reward_scale,
                "alpha_vectors": len(costs),
                **more,
            },
        )

    def bounds(self, problem: SensingMDP, policy: AlphaVectorPolicy, answer: Answer):
        """Proven lower bound on the cost (S,) or None, trace, and what else to keep."""
        return None, [], {}


@dataclass(kw_only=True)
class JuliaSarsop(JuliaSolver):
    """NativeSARSOP with its stock settings, as the paper used it."""

    name = "julia-sarsop"
    planner = "sarsop"
    has_clock = True
    proven = False  # its initial upper bound starts from 0, which is none for positive rewards

    epsilon: float | None = None
    precision: float | None = None
    kappa: float | None = None
    delta: float | None = None
    max_time: float | None = None
    max_steps: int | None = None
    prunethresh: float | None = None
    use_binning: bool | None = None
    start: str = DISTRIBUTION

    def bounds(self, problem: SensingMDP, policy: AlphaVectorPolicy, answer: Answer):
        return sarsop_bounds(
            problem, policy, answer, self.start, self.reward_scale, proven=self.proven
        )


@dataclass(kw_only=True)
class JuliaSarsopStructured(JuliaSarsop):
    """NativeSARSOP started from our structured FIB: its bound is proven, and cheap to make."""

    name = "julia-sarsop-structured"
    planner = "sarsop-structured"
    proven = True

    precision: float | None = 1e-6


@dataclass(kw_only=True)
class JuliaFib(JuliaSolver):
    """FIB.jl; it has no clock, only a number of sweeps and a tolerance."""

    name = "julia-fib"
    planner = "fib"

    max_iterations: int | None = None
    tolerance: float | None = None

    def bounds(self, problem: SensingMDP, policy: AlphaVectorPolicy, answer: Answer):
        bound, residual = fib_lower_bound(problem, policy)
        return bound, [], {"residual": residual}


@dataclass(kw_only=True)
class JuliaQmdp(JuliaSolver):
    """QMDP.jl: plans as if everything were seen from the next step on, so it never looks."""

    name = "julia-qmdp"
    planner = "qmdp"

    max_iterations: int | None = None
    belres: float | None = None


@dataclass(kw_only=True)
class JuliaPbvi(JuliaSolver):
    """PointBasedValueIteration.jl; it has no clock."""

    name = "julia-pbvi"
    planner = "pbvi"

    max_iterations: int | None = None
    epsilon: float | None = None
    start: str = DISTRIBUTION


@dataclass(kw_only=True)
class JuliaPomcp(JuliaSolver):
    """BasicPOMCP, online: simulated in Julia from known first states, with its standard error.

    ``c`` is the range of the rewards unless given; ``max_time`` is per decision.  The budget is
    for all episodes together: no new one begins after it.
    """

    name = "julia-pomcp"
    planner = "pomcp"

    episodes: int = 100
    seed: int = 0
    max_depth: int | None = None
    c: float | None = None
    tree_queries: int | None = None
    max_time: float | None = None

    def solve(self, problem: SensingMDP, budget: Budget) -> Solution:
        simulation = {"episodes": self.episodes, "seed": self.seed, "max_seconds": budget.seconds}
        answer = self.call(problem, budget, {**self.julia_options(budget), **simulation})
        costs = -answer.arrays["returns"] / self.reward_scale
        numbers = answer.numbers
        spread = np.std(costs, ddof=1) / math.sqrt(len(costs)) if len(costs) > 1 else math.inf
        return Solution(
            policy=None,
            value=float(costs.mean()),
            standard_error=float(spread),
            sensing_rate=numbers["looks"] / numbers["steps"] if numbers["steps"] else 0.0,
            iterations=int(numbers["decisions"]),
            status=SOLVED if len(costs) == self.episodes else BUDGET,
            seconds=float(numbers["seconds"]),
            info={
                **answer.info(),
                "start_belief": self.start,
                "reward_scale": self.reward_scale,
                "episodes": len(costs),
                "truncation": numbers["truncation"] / self.reward_scale,
            },
        )
