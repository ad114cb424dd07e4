"""The baseline MDP, in which every state is seen: V*, Q* and the always-sense values.

Solved by policy iteration, so the result is exact up to the linear solver.  With ``k = 0`` it is
the paper's M; with a look paid at every step it is M_{k,0}.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.linalg import lu_factor, lu_solve
from scipy.sparse.linalg import splu

from solvers.core.model import SensingMDP

TIE = 1e-12
"""Scores closer than this share of the cost scale are ties; the lowest action wins."""


def lowest_argmin(scores: np.ndarray, tolerance: float) -> np.ndarray:
    """First index within ``tolerance`` of the least score of each row: (n, A) -> (n,).

    Rounding differs between machines; ties broken this way do not.
    """
    return np.argmax(scores <= scores.min(axis=1, keepdims=True) + tolerance, axis=1)


def action_values(problem: SensingMDP, V: np.ndarray, costs: np.ndarray) -> np.ndarray:
    """``costs(a) + alpha T(a) V`` for every action: (S,), (S, A) -> (S, A)."""
    ahead = np.stack([T @ V for T in problem.transitions], axis=1)
    return costs + problem.discount * ahead


def tie_tolerance(problem: SensingMDP) -> float:
    """Differences of values below this are rounding."""
    scale = float(np.abs(problem.costs).max()) + problem.max_sensing_cost
    return TIE * max(scale, 1e-300) * problem.longest_stay


def solve_baseline(
    problem: SensingMDP, look_costs: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """V* (S,) and Q* (S, A) when every state is seen, each look at ``look_costs`` (S, A)."""
    costs = problem.costs if look_costs is None else problem.costs + look_costs
    costs = np.where(problem.terminal[:, None], 0.0, costs)
    policy = lowest_argmin(costs, 0.0)
    tolerance = tie_tolerance(problem)
    while True:
        V = policy_values(problem, policy, costs)
        Q = action_values(problem, V, costs)
        better = Q.min(axis=1) < V - tolerance
        if not better.any():
            return V, Q
        policy = np.where(better, lowest_argmin(Q, tolerance), policy)


def policy_values(problem: SensingMDP, policy: np.ndarray, costs: np.ndarray) -> np.ndarray:
    """Value of playing ``policy`` (S,) with every state seen and step costs (S, A): (S,)."""
    S, alpha = problem.num_states, problem.discount
    rows = np.arange(S)
    if problem.dense_transitions is not None:
        system = -alpha * problem.dense_transitions[policy, rows]
        system[problem.terminal] = 0.0  # their value is their cost, also for a discount of 1
        system[rows, rows] += 1
        # Rows of a C array are columns to LAPACK: factored transposed, nothing is copied.
        factors = lu_factor(system.T, overwrite_a=True, check_finite=False)
        return lu_solve(factors, costs[rows, policy], trans=1, check_finite=False)
    P = sparse.csr_array((S, S))
    for a in np.unique(policy):
        plays = ((policy == a) & ~problem.terminal).astype(float)
        P = P + sparse.diags_array(plays) @ problem.transitions[a]
    return splu(sparse.csc_array(sparse.eye_array(S) - alpha * P)).solve(costs[rows, policy])
