"""The one place that turns a function into a published lower bound.

Write ``F(V)(s) = min_a C(s, a) + α T(a)(s, ·) V`` for a live state s, and 0 for a terminal one: one
step of the agent that sees every state for free.

Claim: a function with ``V <= F(V)`` everywhere is a lower bound on the optimal cost at every root.
Proof.  F is monotone and its powers contract, so ``V <= F(V) <= F(F(V)) <= …`` climbs to V*, the
optimum of the agent that sees everything; that agent can play any plan and saves the looks.  ∎

No iterate that happened to stop is such a function: an iterate of policy iteration is even a bound
from above.  So what is published is ``V - c`` with a margin c >= 0 for which the inequality is
checked for every state and action in arithmetic whose rounding is counted:

    V(s) <= fl[C(s, a) + α T(a) V] - γ (|C(s, a)| + α T(a)|V|)        for every action a.

The margin solves ``c(s) = 2 short(s) + α T(π)(s, ·) c`` with ``short`` what is missing in s and π
the actions that miss most: where a state misses little, and leads to states that do, c is little.
Nothing is measured against the largest number of the problem.
"""

from __future__ import annotations

import numpy as np

from solvers.core.budget import Budget
from solvers.core.model import SensingMDP
from solvers.kernels.returns import UNIT, ReturnSystem

ATTEMPTS = 12
"""Margins tried before a cruder bound is taken; two or three are enough unless V is far off."""


def lower_bound_from(
    problem: SensingMDP, V: np.ndarray, budget: Budget | None = None
) -> np.ndarray:
    """The largest margin-lowered V (S,) that is a proven lower bound on the optimal cost; once the
    budget is over, one that is quickly found."""
    given = V = np.where(problem.terminal, 0.0, V)
    for _ in range(ATTEMPTS):
        if budget is not None and budget.over() and problem.discount < 1:
            return _with_one_margin(problem, V)
        short = shortfalls(problem, V)
        worst = short.max(axis=1)
        if (worst <= 0).all():
            return V
        P = problem.discount * problem.policy_matrix(short.argmax(axis=1))
        c = ReturnSystem(P).solve(2 * np.maximum(worst, 0.0))
        V = np.where(problem.terminal, 0.0, V - np.maximum(c, 0.0))
        if not np.isfinite(V).all():
            break
    return _with_even_margin(problem, given)


def _with_one_margin(problem: SensingMDP, V: np.ndarray) -> np.ndarray:
    """V (S,) less one number in all live states, large enough for what is missing anywhere.

    ``c >= short / (1 - α)`` has ``c - α T(a) c >= short``, as no row of T(a) sums to more than 1.
    """
    worst = float(shortfalls(problem, V).max(initial=0.0))
    for spare in (1 + 1e-6, 2.0):
        margin = spare * worst / (1 - problem.discount)
        lowered = np.where(problem.terminal, 0.0, V - margin)
        if (shortfalls(problem, lowered) <= 0).all():
            return lowered
    return crude_lower_bound(problem)


def _with_even_margin(problem: SensingMDP, V: np.ndarray) -> np.ndarray:
    """V (S,) less the same margin for every step to come, whatever is played.

    ``c = δ E`` with E the expected number of live steps has ``c(s) - α T(a) c >= δ`` for every
    action at once, where the margins above followed one action and may miss another's.
    """
    margin = 2 * float(shortfalls(problem, V).max(initial=0.0))
    for _ in range(ATTEMPTS):
        lowered = V - margin * problem.expected_steps
        if not np.isfinite(lowered).all():
            break
        if (shortfalls(problem, lowered) <= 0).all():
            return lowered
        margin *= 2
    return crude_lower_bound(problem)


def shortfalls(problem: SensingMDP, V: np.ndarray) -> np.ndarray:
    """By how much each action may break ``V <= F(V)``, rounding included: (S,) -> (S, A).

    At most 0 everywhere: V is a proven lower bound.  0 in terminal states, where V must be 0.
    """
    terms = max(int(np.diff(T.indptr).max(initial=0)) for T in problem.transitions) + 4
    ahead = np.stack([T @ V for T in problem.transitions], axis=1)
    sizes = np.stack([T @ np.abs(V) for T in problem.transitions], axis=1)
    least = problem.costs + problem.discount * ahead
    rounding = 2 * terms * UNIT * (np.abs(problem.costs) + problem.discount * sizes)
    # V - least is rounded too: by a part of |V| <= |V - least| + |least|
    short = V[:, None] - least + rounding + 4 * UNIT * np.abs(V)[:, None]
    return np.where(problem.terminal[:, None], 0.0, short)


def crude_lower_bound(problem: SensingMDP) -> np.ndarray:
    """The least cost of a step, paid at every step that there can be: (S,)."""
    least = float(problem.costs.min())
    if least >= 0:
        return np.zeros(problem.num_states)
    return np.where(problem.terminal, 0.0, least * problem.longest_stay * (1 + 1e-9))
