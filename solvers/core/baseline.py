"""The baseline MDP, in which every state is seen: V*, Q* and the always-sense values.

Solved by policy iteration: each round solves one linear system to the last digits and then takes,
in every state, an action that is better there by more than that state's own rounding.  With
``k = 0`` it is the paper's M; with a look paid at every step it is M_{k,0}.

V is the value of a policy, so a bound on V* from above.  What is published as a lower bound comes
from :mod:`solvers.core.lower_bound`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from solvers.core.budget import Budget
from solvers.core.model import SensingMDP
from solvers.kernels.returns import UNIT, ReturnSystem, residual

TIE = 1e-12
"""Scores closer than this share of what they are summed from are ties; the lowest action wins."""
MOST_ROUNDS = 10_000
MOST_SWEEPS, SWEEPS_ALIKE = 500, 8
"""Sweeps before the first round at most; fewer once so many in a row chose the same actions."""


@dataclass(frozen=True)
class Baseline:
    """The optimum when every state is seen.

    V : (S,), values; Q : (S, A), action values; size : (S,), what the policy's costs sum up to in
    absolute terms, the measure of rounding in V; settled : False if the budget ended before
    """

    V: np.ndarray
    Q: np.ndarray
    size: np.ndarray
    settled: bool = True

    def ties(self, beliefs: np.ndarray) -> np.ndarray:
        """Differences of ``beliefs @ Q`` up to this are rounding: (n, S) -> (n,)."""
        return TIE * (beliefs @ self.size)


def lowest_argmin(scores: np.ndarray, tolerance: np.ndarray | float) -> np.ndarray:
    """First index within ``tolerance`` of the least score of each row: (n, A) -> (n,).

    Rounding differs between machines; ties broken this way do not.
    """
    level = scores.min(axis=1) + tolerance
    return np.argmax(scores <= level[:, None], axis=1)


def action_values(problem: SensingMDP, V: np.ndarray, costs: np.ndarray) -> np.ndarray:
    """``costs(a) + alpha T(a) V`` for every action: (S,), (S, A) -> (S, A)."""
    ahead = np.stack([T @ V for T in problem.transitions], axis=1)
    return costs + problem.discount * ahead


def solve_baseline(
    problem: SensingMDP, look_costs: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """V* (S,) and Q* (S, A) when every state is seen, each look at ``look_costs`` (S, A)."""
    found = baseline(problem, look_costs)
    return found.V, found.Q


def baseline(
    problem: SensingMDP, look_costs: np.ndarray | None = None, budget: Budget | None = None
) -> Baseline:
    """The same with what rounding is measured by; a budget stops it between two rounds."""
    costs = problem.costs if look_costs is None else problem.costs + look_costs
    costs = np.where(problem.terminal[:, None], 0.0, costs)
    terms = max(int(np.diff(T.indptr).max(initial=0)) for T in problem.transitions) + 4
    every = np.arange(problem.num_states)
    policy = _first_policy(problem, costs)
    for _ in range(MOST_ROUNDS):
        V, size = policy_values(problem, policy, costs)
        Q = action_values(problem, V, costs)
        best = Q.argmin(axis=1)
        # What the sums in V and in Q may be off by, in each state by itself.
        ahead = action_values(problem, size, np.abs(costs))[every, best]
        better = Q[every, best] < V - 8 * terms * UNIT * (size + ahead)
        if not better.any():
            return Baseline(V, Q, size)
        if budget is not None and budget.over():
            break
        policy = np.where(better, best, policy)
    return Baseline(V, Q, size, settled=False)


def _first_policy(problem: SensingMDP, costs: np.ndarray) -> np.ndarray:
    """Where policy iteration begins: greedy after sweeps of value iteration, where these are cheap.

    Policy iteration alone carries news one state further in each round.
    """
    V = np.zeros(problem.num_states)
    policy, same = costs.argmin(axis=1), 0
    for _ in range(MOST_SWEEPS if problem.dense_transitions is None else 0):
        Q = action_values(problem, V, costs)
        new = Q.argmin(axis=1)
        V = np.where(problem.terminal, 0.0, Q.min(axis=1))
        same = same + 1 if (new == policy).all() else 0
        policy = new
        if same >= SWEEPS_ALIKE:
            break
    return policy


def policy_values(
    problem: SensingMDP, policy: np.ndarray, costs: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Value of playing ``policy`` (S,) with every state seen and step costs (S, A): (S,); and the
    same for the absolute values of the costs."""
    P = problem.discount * problem.policy_matrix(policy)
    step = costs[np.arange(problem.num_states), policy]
    system = ReturnSystem(P)
    V = system.solve(step)
    V = V + system.solve(residual(P.indptr, P.indices, P.data, step, V)[0])
    return V, np.maximum(system.solve(np.abs(step)), np.abs(V))


def value_sizes(problem: SensingMDP, seen: Baseline) -> np.ndarray:
    """What looking after every step costs, summed in absolute terms: (S,).

    The measure of rounding in the values of plans; a look in a terminal state costs k too.
    """
    k = problem.look_costs.at_roots()
    policy = seen.Q.argmin(axis=1)
    steps = np.abs(problem.costs) + k
    sizes = policy_values(problem, policy, np.where(problem.terminal[:, None], 0.0, steps))[0]
    return np.where(problem.terminal, k.max(axis=1), sizes)
