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
from solvers.kernels.returns import ROUGH, UNIT, ReturnSystem, residual
from solvers.kernels.value_sweeps import sweep_least

TIE = 1e-12
"""Scores closer than this share of what they are summed from are ties; the lowest action wins."""
MOST_ROUNDS = 10_000
MOST_SWEEPS, SWEEPS_AT_ONCE = 2048, 32
"""Sweeps before the first round at most, and between two looks at the clock."""
FEW_CHANGES = 1e-4
"""Share of the states whose actions may still change in a sweep when the first round begins."""


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
    policy, V = _first_policy(problem, costs, budget)
    if budget is not None and budget.over() and problem.discount < 1:
        return _unsettled(problem, V, costs)
    for _ in range(MOST_ROUNDS):
        V, size = policy_values(problem, policy, costs, V)
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


def _unsettled(problem: SensingMDP, V: np.ndarray, costs: np.ndarray) -> Baseline:
    """What is known when the budget ends before any policy was evaluated.

    With V raised on live states until it is at least what one more sweep makes of it, following the
    best actions costs at most V: it is a bound from above, like the value of a policy.
    """
    rise = action_values(problem, V, costs).min(axis=1) - V
    short = float(rise[~problem.terminal].max(initial=0.0))
    V = np.where(problem.terminal, 0.0, V + short / (1 - problem.discount))
    Q = action_values(problem, V, costs)
    return Baseline(V, Q, np.abs(V) + np.abs(costs).max(axis=1), settled=False)


def _first_policy(
    problem: SensingMDP, costs: np.ndarray, budget: Budget | None
) -> tuple[np.ndarray, np.ndarray]:
    """Where policy iteration begins: greedy after sweeps of value iteration, where these are cheap.

    Policy iteration alone carries news one state further in each round.  Returns the policy (S,)
    and the last iterate (S,).
    """
    V = np.zeros(problem.num_states)
    policy = costs.argmin(axis=1)
    if problem.is_dense:
        return policy, V
    ended = np.array(problem.terminal)
    model = (*problem.stacked_transitions, costs, ended, problem.discount, TIE)
    for first in range(0, MOST_SWEEPS, SWEEPS_AT_ONCE):
        changes = sweep_least(*model, V, policy, first, SWEEPS_AT_ONCE)
        over = budget is not None and budget.over()
        if over or changes <= FEW_CHANGES * problem.num_states:
            break
    return policy, V


def policy_values(
    problem: SensingMDP, policy: np.ndarray, costs: np.ndarray, guess: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Value of playing ``policy`` (S,) with every state seen and step costs (S, A): (S,); and the
    same for the absolute values of the costs.

    guess : (S,), where an iteration begins
    """
    P = problem.discount * problem.policy_matrix(policy)
    step = costs[np.arange(problem.num_states), policy]
    system = ReturnSystem(P)
    V = system.solve(step, guess)
    V = V + system.solve(residual(P.indptr, P.indices, P.data, step, V)[0], share=ROUGH)
    same = (step >= 0).all() or (step <= 0).all()
    size = np.abs(V) if same else system.solve(np.abs(step), np.abs(V))
    return V, np.maximum(size, np.abs(V))


def value_sizes(problem: SensingMDP, seen: Baseline) -> np.ndarray:
    """What looking after every step costs, summed in absolute terms: (S,).

    The measure of rounding in the values of plans; a look in a terminal state costs k too.
    """
    k = problem.look_costs.at_roots()
    policy = seen.Q.argmin(axis=1)
    steps = np.abs(problem.costs) + k
    sizes = policy_values(problem, policy, np.where(problem.terminal[:, None], 0.0, steps))[0]
    return np.where(problem.terminal, k.max(axis=1), sizes)
