"""Point-based value iteration, with the sensing structure used throughout.

Kept are a set ``B`` (n, S) of beliefs and a set ``Gamma`` (m, S) of cost vectors, each the exact
cost, from every state, of one plan followed from there.  With ``R(s)`` the least entry of Gamma at
the root s (0 where s is terminal), one backup of every point at once is

    sense:  g(a) = C(a) + k(a) + alpha T(a) R             A vectors, the same for every point
    blind:  g(a) = C(a) + alpha T(a) gamma,  gamma = argmin over Gamma of  b T(a) . gamma

that is, A matrix products ``B T(a) Gamma'`` and no loop over observations.  A point keeps its old
vector when the backup is no better.  Each backup looks with the R of its time, and R only falls,
so the plans of the roots, followed together, cost at most R: Gamma is an upper bound on the
optimal cost, everywhere.  It starts from always-sense and from each action repeated for good.

B starts as all live roots and is expanded between sweeps with blind successors: where each point's
own plan goes, and the one farthest from B.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from solvers.core.baseline import TIE, action_values, baseline, value_sizes
from solvers.core.blind_for_good import costs_for_good
from solvers.core.lower_bound import lower_bound_from
from solvers.core.means import mean_above, mean_below
from solvers.core.model import SensingMDP
from solvers.core.plan_table import PlanTable
from solvers.core.policy import Plan, PlanPolicy
from solvers.core.solution import BUDGET, SOLVED, Solution
from solvers.core.solver import Budget, Solver, SolverError

SAME = 1e-9
"""Beliefs closer than this (squared distance) are one point."""


BLOCK = 1024
"""Points that are backed up between two looks at the clock."""


@dataclass
class Pbvi(Solver):
    """Options: ``points`` at most in B (never fewer than the roots); ``sweeps`` of backups at most
    between expansions, fewer once no point falls by more than ``epsilon`` of the cost scale;
    ``iterations``: rounds of sweeps and expansion at most.
    """

    name = "pbvi"
    points: int = 2500
    sweeps: int = 20
    iterations: int = 100
    epsilon: float = 1e-6

    def supports(self, problem: SensingMDP) -> str | None:
        if not problem.has_linear_sensing_cost:
            return "its sensing cost is a function of the belief; pbvi needs a number or an array"
        return None

    def solve(self, problem: SensingMDP, budget: Budget) -> Solution:
        for option in ("points", "sweeps", "iterations"):
            if not getattr(self, option) >= 1:
                raise SolverError(f"pbvi: {option} is {getattr(self, option)}; expected at least 1")
        if problem.terminal.all():
            nothing = PlanPolicy(problem, [Plan((), False)] * problem.num_states)
            return Solution(policy=nothing, lower_bound=np.zeros(problem.num_states))
        state = _Points(problem)
        scale = float(np.abs(problem.costs).max()) + problem.max_sensing_cost
        # All that PBVI knows from below: what seeing everything is worth.
        V = lower_bound_from(problem, state.seen.V, budget)
        trace, swept = [], 0
        for _ in range(self.iterations):
            for _ in range(self.sweeps):
                fell = state.backup(budget)
                swept += 1
                if fell <= self.epsilon * scale:
                    break
            lower, upper = mean_below(problem.start, V), mean_above(problem.start, state.R)
            trace.append((budget.spent(), lower, upper))
            expanded = state.expand(self.points, budget)
            if budget.over() or (not expanded and fell <= self.epsilon * scale):
                break
        table = PlanTable.of_plans(problem, state.root_plans(), above=True)
        return Solution(
            policy=table.policy(),
            lower_bound=V,
            # Near discount 1 rounding in the vectors is more than what tells two plans apart.
            upper_bound=np.maximum(state.R, table.values_above()),
            iterations=swept,
            status=BUDGET if budget.over() else SOLVED,
            trace=trace,
            info={"points": len(state.B), "vectors": len(state.Gamma)},
        )


class _Points:
    """The beliefs B, their vectors Gamma, and the plan behind each vector.

    best : (n,) index in Gamma of each point's vector; the first points are the live roots
    R : (S,) value at each root
    """

    def __init__(self, problem: SensingMDP) -> None:
        self.problem = problem
        self.T = problem.dense_transitions
        if self.T is None:
            self.T = problem.transitions
        S, A = problem.num_states, problem.num_actions
        self.roots = np.flatnonzero(~problem.terminal)
        self.look_costs = problem.costs + problem.sensing_costs()
        self.seen = baseline(problem)
        self.ties = TIE * value_sizes(problem, self.seen)  # differences that are rounding
        for_good = costs_for_good(problem, Budget(), above=True)
        self.Gamma = np.vstack([self._sensing_vectors(_looking_always(problem)), for_good.T])
        self.plans = [Plan((a,), True) for a in range(A)] + [Plan((a,), False) for a in range(A)]
        self.B = np.zeros((len(self.roots), S))
        self.B[np.arange(len(self.roots)), self.roots] = 1.0
        self.R = np.zeros(S)
        self._choose()

    def backup(self, budget: Budget) -> float:
        """Back every point up once; returns the greatest fall (0 if the budget ended)."""
        problem, alpha = self.problem, self.problem.discount
        A, n = problem.num_actions, len(self.B)
        blind = np.empty((n, A))
        behind = np.empty((n, A), int)  # the vector that goes on after each blind action
        for a in range(A):
            for first in range(0, n, BLOCK):
                if budget.over():
                    return 0.0
                part = slice(first, first + BLOCK)
                scores = (self.B[part] @ self.T[a]) @ self.Gamma.T
                behind[part, a] = np.argmin(scores, axis=1)
                least = scores.min(axis=1)
                blind[part, a] = self.B[part] @ problem.costs[:, a] + alpha * least
        sensing = self._sensing_vectors(self.R)
        choice = np.argmin(np.hstack([self.B @ sensing.T, blind]), axis=1)
        made: dict[tuple[int, int], int] = {}
        vectors, plans = [], []
        if budget.over():
            return 0.0
        for point in range(n):
            a, looks = choice[point] % A, choice[point] < A
            key = (a, -1 if looks else behind[point, a])
            if key in made:
                continue
            made[key] = len(plans)
            if looks:
                vectors.append(sensing[a])
                plans.append(Plan((int(a),), True))
            else:
                after = self.plans[key[1]]
                vectors.append(problem.costs[:, a] + alpha * (self.T[a] @ self.Gamma[key[1]]))
                plans.append(Plan((int(a), *after.actions), after.senses))
        before = self.values
        self.Gamma = np.vstack([self.Gamma, vectors])
        self.plans = self.plans + plans
        self._choose()
        return float((before - self.values).max())

    def expand(self, points: int, budget: Budget) -> bool:
        """Add blind successors of the points, up to ``points`` in all; False if none is added."""
        n = len(self.B)
        room = points - n
        if room <= 0:
            return False
        squares = np.einsum("ns,ns->n", self.B, self.B)
        nearest = np.empty((n, self.problem.num_actions))
        for a, T in enumerate(self.T):
            if budget.over():
                return False
            X = self.B @ T
            distance = np.einsum("ns,ns->n", X, X)[:, None] + squares - 2 * (X @ self.B.T)
            nearest[:, a] = distance.min(axis=1)
        planned = np.array([self.plans[i].actions[0] for i in self.best])
        followed = np.array([not _looks_now(self.plans[i]) for i in self.best])
        rows = np.arange(n)
        greedy = np.flatnonzero(followed & (nearest[rows, planned] > SAME))
        far = np.argmax(nearest, axis=1)
        spread = np.argsort(-nearest[rows, far], kind="stable")
        spread = spread[nearest[spread, far[spread]] > SAME]
        chosen = np.concatenate([greedy, spread])
        actions = np.concatenate([planned[greedy], far[spread]])
        new = self.problem.step(self.B[chosen], actions)
        _, first = np.unique(np.round(new, 9), axis=0, return_index=True)
        new = new[np.sort(first)[:room]]
        if not len(new):
            return False
        self.B = np.vstack([self.B, new])
        self._choose()
        return True

    def root_plans(self) -> list[Plan]:
        """The plan of each state; a terminal one has the empty plan."""
        plans = [Plan((), False)] * self.problem.num_states
        for root, i in zip(self.roots, self.best, strict=False):
            plans[root] = self.plans[i]
        return plans

    def _choose(self) -> None:
        """Find each point's best vector, drop the vectors no point needs, and refresh R."""
        scores = self.B @ self.Gamma.T
        # Rounding must not swap equal vectors: the oldest, and so the shortest plan, is kept.
        level = scores.min(axis=1) + self.B @ self.ties
        best = np.argmax(scores <= level[:, None], axis=1)
        kept, self.best = np.unique(best, return_inverse=True)
        self.Gamma = self.Gamma[kept]
        self.plans = [self.plans[i] for i in kept]
        self.values = scores[np.arange(len(best)), best]
        self.R[self.roots] = self.values[: len(self.roots)]

    def _sensing_vectors(self, R: np.ndarray) -> np.ndarray:
        """Look now, go on with R: (S,) -> (A, S)."""
        return action_values(self.problem, R, self.look_costs).T


def _looks_now(plan: Plan) -> bool:
    return plan.senses and len(plan.actions) == 1


def _looking_always(problem: SensingMDP) -> np.ndarray:
    """What looking after every step costs, (S,), and surely no less where that is iterated."""
    found = baseline(problem, problem.sensing_costs())
    table = PlanTable.looking_always(problem, found.Q.argmin(axis=1))
    system = table.system()
    return found.V if system.factored else system.solve_above(table.costs, found.V)
