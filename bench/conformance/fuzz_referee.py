"""The optimum of small problems by brute force, sharing no code with the solvers or the checker.

All blind strings up to a length N are written down for every root.  A plan that looks is a number
(its cost up to the look) and a vector (where it lands, discounted); what stays blind beyond N costs
at least what it would with free looks, and at most what repeating one action does.  Iterating
policies over these finitely many plans brackets the optimum.

Errors are relative to the ``size`` of a root: the same sums with all costs taken as positive.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from bench.conformance.fuzz_problems import Case

ROUNDS = 200
"""Most rounds of policy iteration; where it has not settled by then it is settled but for ties."""
REFINED = 4
"""A linear solve is repeated on what is left, so that the error at a root is relative to it."""


class Bracket(NamedTuple):
    """Bounds on the optimal cost at each root (S,), and the size that errors are relative to."""

    lower: np.ndarray
    upper: np.ndarray
    size: np.ndarray


class Plans(NamedTuple):
    """Every plan of one root: cost (n,), cost of absolute values (n,), discounted landing (n, S);
    then the same of every blind string of length N, with its discounted belief."""

    costs: np.ndarray
    sizes: np.ndarray
    lands: np.ndarray
    z: np.ndarray
    size: np.ndarray
    belief: np.ndarray


def solve_linear(P: np.ndarray, g: np.ndarray) -> np.ndarray:
    """x = g + P x, exactly 0 where P leads to no g but 0 (a solved 0 may be 1e-60)."""
    x, system = np.zeros(len(g)), np.eye(len(g)) - P
    for _ in range(REFINED):
        x = x + np.linalg.solve(system, g + P @ x - x)
    leads = g != 0
    for _ in g:
        leads = leads | ((P != 0) @ leads)
    return np.where(leads, x, 0.0)


def free_looks(T: np.ndarray, C: np.ndarray, alpha: float) -> np.ndarray:
    """Value (S,) when every state is seen, by policy iteration; T (A, S, S), C (S, A)."""
    policy, rows = C.argmin(axis=1), np.arange(len(C))
    for _ in range(ROUNDS):
        V = solve_linear(alpha * T[policy, rows], C[rows, policy])
        Q = C + alpha * np.einsum("ast,t->sa", T, V)
        better = Q.min(axis=1) < Q[rows, policy] - 1e-14 * np.abs(Q).min(axis=1)
        if not better.any():
            break
        policy = np.where(better, Q.argmin(axis=1), policy)
    return V


def bracket(case: Case) -> Bracket:
    """Lower and upper bounds on the optimal cost at each root."""
    v = free_looks(case.T, case.C, case.alpha)
    tables = [_plans_from(case, j) for j in range(len(v))]
    repeat = [solve_linear(case.alpha * T, C) for T, C in zip(case.T, case.C.T, strict=True)]
    often = [solve_linear(case.alpha * T, np.abs(C)) for T, C in zip(case.T, case.C.T, strict=True)]
    a = int(np.argmin([Y.max() for Y in repeat]))
    lower, some = _best(tables, case.terminal, v, np.min(often, axis=0))
    upper, more = _best(tables, case.terminal, repeat[a], often[a])
    return Bracket(lower, upper, np.maximum(some, more))


def _plans_from(case: Case, root: int) -> Plans:
    costs, sizes, lands = [], [], []
    z, size, b = np.zeros(1), np.zeros(1), np.eye(len(case.C))[[root]]
    for m in range(case.length):
        d = case.alpha**m
        step, steps, k = d * (b @ case.C), d * (b @ np.abs(case.C)), d * case.look(b)
        after = [b @ T for T in case.T]
        z, size = (z[:, None] + step).T, (size[:, None] + steps).T
        costs.append((z + k.T).ravel())
        sizes.append((size + k.T).ravel())
        b = np.concatenate(after)
        lands.append(d * case.alpha * b)
        z, size = z.ravel(), size.ravel()
    costs, sizes, lands = (np.concatenate(x) for x in (costs, sizes, lands))
    return Plans(costs, sizes, lands, z, size, case.alpha**case.length * b)


def _best(
    tables: Sequence[Plans], terminal: np.ndarray, tail: np.ndarray, tail_size: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Optimal root values (S,) and their sizes, where blind strings of length N go on at the cost
    ``tail`` (S,)."""
    S = len(tables)
    V, chosen = np.zeros(S), []
    P, g, h = np.zeros((S, S)), np.zeros(S), np.zeros(S)
    for _ in range(ROUNDS):
        before = chosen
        chosen = [
            int(np.argmin(np.concatenate([t.costs + t.lands @ V, t.z + t.belief @ tail])))
            for t in tables
        ]
        if chosen == before:
            break
        P[:], g[:], h[:] = 0.0, 0.0, 0.0
        for j, (t, i) in enumerate(zip(tables, chosen, strict=True)):
            last = i - len(t.costs)
            if terminal[j]:
                continue
            if last < 0:
                P[j], g[j], h[j] = np.where(terminal, 0.0, t.lands[i]), t.costs[i], t.sizes[i]
            else:
                g[j] = t.z[last] + t.belief[last] @ tail
                h[j] = t.size[last] + t.belief[last] @ tail_size
        V = solve_linear(P, g)
    return V, solve_linear(P, h)


def cost_of_plans(case: Case, plans: Sequence[tuple[Sequence[int], bool]]) -> np.ndarray:
    """Joint cost (S,) of one plan per root, (actions, senses); endless ones repeat their last."""
    S = len(case.C)
    P, g = np.zeros((S, S)), np.zeros(S)
    for j, (actions, senses) in enumerate(plans):
        if case.terminal[j]:
            continue
        b, d = np.eye(S)[j], 1.0
        for a in actions[:-1]:
            g[j] += d * b @ case.C[:, a]
            b, d = b @ case.T[a], d * case.alpha
        a = actions[-1]
        if senses:
            g[j] += d * (b @ case.C[:, a] + case.look(b[None])[0, a])
            P[j] = np.where(case.terminal, 0.0, d * case.alpha * b @ case.T[a])
        else:
            g[j] += d * b @ solve_linear(case.alpha * case.T[a], case.C[:, a])
    return solve_linear(P, g)
