"""The optimum of small problems by brute force, sharing no code with the solvers or the checker.

All blind strings up to a length N are written down for every root.  A plan that looks is a number
(its cost up to the look) and a vector (where it lands, discounted); what stays blind beyond N costs
at least what it would with free looks, and at most what repeating one action does.  Iterating
policies over these finitely many plans brackets the optimum.
"""

from __future__ import annotations

import numpy as np


def free_looks(T, C, alpha):
    """Value (S,) when every state is seen, by policy iteration; T (A, S, S), C (S, A)."""
    S = len(C)
    policy, rows = C.argmin(axis=1), np.arange(S)
    for _ in range(1000):
        V = np.linalg.solve(np.eye(S) - alpha * T[policy, rows], C[rows, policy])
        Q = C + alpha * np.einsum("ast,t->sa", T, V)
        better = Q.min(axis=1) < Q[rows, policy] - 1e-14 * np.abs(Q).max(axis=1)
        if not better.any():
            return V
        policy = np.where(better, Q.argmin(axis=1), policy)
    return V


def plans_from(T, C, alpha, k, root, N):
    """Cost before landing (n,), discounted landing (n, S) of every plan with < N blind steps, and
    cost and discounted belief of every blind string of length N."""
    S, A = C.shape
    costs, lands = [], []
    z, b = np.zeros(1), np.eye(S)[[root]]
    for _ in range(N):
        for a in range(A):
            costs.append(z + b @ (C[:, a] + k[:, a]))
            lands.append(alpha * b @ T[a])
        z = np.concatenate([z + b @ C[:, a] for a in range(A)])
        b = np.concatenate([alpha * b @ T[a] for a in range(A)])
    return np.concatenate(costs), np.concatenate(lands), z, b


def bracket(T, C, alpha, k, terminal, N):
    """Lower and upper bounds (S,) on the optimal cost at each root."""
    S = len(C)
    v = free_looks(T, C, alpha)
    tables = [plans_from(T, C, alpha, k, j, N) for j in range(S)]
    repeat = [np.linalg.solve(np.eye(S) - alpha * T[a], C[:, a]) for a in range(len(T))]
    tails = v, min(repeat, key=lambda Y: Y.max())
    return tuple(_best(tables, terminal, tail) for tail in tails)


def _best(tables, terminal, tail):
    """Optimal root values (S,) where what stays blind costs ``tail`` (S,) from length N on."""
    S = len(tables)
    V = np.zeros(S)
    chosen: list[int] = []
    for _ in range(1000):
        new = []
        for costs, lands, z, b in tables:
            look = costs + lands @ np.where(terminal, 0.0, V)
            new.append(int(np.argmin(np.concatenate([look, z + b @ tail]))))
        P, g = np.zeros((S, S)), np.zeros(S)
        for j, (costs, lands, z, b) in enumerate(tables):
            if terminal[j]:
                continue
            i = new[j]
            if i < len(costs):
                P[j], g[j] = np.where(terminal, 0.0, lands[i]), costs[i]
            else:
                g[j] = z[i - len(costs)] + b[i - len(costs)] @ tail
        after = np.linalg.solve(np.eye(S) - P, g)
        if new == chosen or np.array_equal(after, V):
            return after
        chosen, V = new, after
    return V
