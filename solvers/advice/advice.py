"""``advise``: everything one wants to know before paying for looks, about one's own problem.

One call makes a plan with proven bounds and answers, in numbers: is always looking optimal, and up
to which price; how often and where to look; what one look is worth; how the plan changes with the
price; what is still to be gained; how wrong the model may be.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from solvers.advice.price import Prices, price_changes
from solvers.advice.robustness import Perturbed, robustness
from solvers.advice.worth import look_worth, visits
from solvers.core.baseline import solve_baseline
from solvers.core.evaluation import evaluate_fully
from solvers.core.first_use import announce_compiling
from solvers.core.means import mean_below
from solvers.core.model import SensingMDP
from solvers.core.policy import Plan, PlanPolicy
from solvers.core.solution import Solution
from solvers.core.solver import Budget, SolverError, solve, solver_classes

BUDGET_SECONDS = 30.0
SHARES = {"plan": 0.35, "prices": 0.4, "robustness": 0.25}
"""How the time is divided; what the plan does not need goes to the prices."""
PLANNERS = ("dips", "spi")
"""Whose inner loops are compiled before the time counts."""
TOP_FACTOR = 10.0
"""Prices are looked at up to this many times the problem's own."""


@dataclass(frozen=True)
class StateAdvice:
    """What to do in one state: ``visits`` says how often it is seen there (discounted)."""

    state: int
    name: str
    plan: Plan
    visits: float
    look_worth: float
    value: float


@dataclass(frozen=True)
class Advice:
    """The answers, all as costs under the start; ``solution`` holds the plan and its bounds.

    k : the largest sensing cost of the problem; always, never : cost of always looking and of the
    best plan that never does; free : cost if every look were free
    looks, steps : discounted numbers of both; states : those that are seen, most often first
    """

    problem: SensingMDP
    solution: Solution
    k: float
    value: float
    lower: float
    always: float
    never: float
    free: float
    looks: float
    steps: float
    states: tuple[StateAdvice, ...]
    prices: Prices
    robustness: tuple[Perturbed, ...]

    @property
    def policy(self) -> PlanPolicy:
        return self.solution.policy

    @property
    def gap(self) -> float:
        """What is still to be gained at most, as a share of the cost."""
        return max(0.0, self.value - self.lower) / max(abs(self.value), 1e-12)

    @property
    def rate(self) -> float:
        """Looks per step."""
        return self.looks / self.steps if self.steps > 0 else 0.0


def advise(problem: SensingMDP, budget: float = BUDGET_SECONDS) -> Advice:
    """Advice on a problem, in about ``budget`` seconds."""
    if not problem.has_linear_sensing_cost:
        raise SolverError(
            f"no advice on {problem.name}: its sensing cost is a function of the belief; "
            "give a number or an array"
        )
    announce_compiling()
    for planner in PLANNERS:
        solver_classes()[planner].warm_up()  # the first use compiles for as long as a budget
    # All roots: a controller should know what to do wherever it finds itself.
    clock = Budget((SHARES["plan"] + SHARES["prices"]) * budget)
    solution = solve(problem, "dips", budget=SHARES["plan"] * budget, roots="all")
    policy = PlanPolicy(problem, solution.policy.all_plans())
    prices = price_changes(problem, policy, TOP_FACTOR, clock)
    shaken = robustness(problem, policy, Budget(SHARES["robustness"] * budget))
    exact = evaluate_fully(problem, policy)
    start = problem.start
    worth, seen = look_worth(problem, policy, exact.values), visits(problem, policy)
    order = [s for s in np.argsort(-seen) if seen[s] > 0 and not problem.terminal[s]]
    states = tuple(
        StateAdvice(
            int(s),
            problem.state_names[s],
            policy.plans[s],
            float(seen[s]),
            float(worth[s]),
            float(exact.values[s]),
        )
        for s in order
    )
    return Advice(
        problem=problem,
        solution=solution,
        k=problem.max_sensing_cost,
        value=float(start @ exact.values),
        lower=mean_below(start, solution.lower_bound),
        always=prices.always.at(1.0),
        never=_never(problem),
        free=float(start @ solve_baseline(problem)[0]),
        looks=float(start @ exact.looks),
        steps=float(start @ exact.steps),
        states=states,
        prices=prices,
        robustness=shaken,
    )


def _never(problem: SensingMDP) -> float:
    """Cost of repeating the best single action for good: what never looking costs at most."""
    return float(problem.start @ problem.constant_action_values.min(axis=1))
