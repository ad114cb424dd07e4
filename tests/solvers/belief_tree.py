"""A second literal solver, for problems that try to trip a search which merges equal beliefs.

The tree of blind beliefs is written out level by level from every root; nothing is dropped but what
cannot be cheaper than a plan already written out.  Plans that look, or repeat one action for good,
give an upper bound; letting all others see everything from the last level on gives a lower one.
"""

import numpy as np

from solvers import SensingMDP


def bracket_by_beliefs(problem, depth=40, most=4000, tolerance=1e-9):
    """(lower, upper) bounds (S,) on the optimal cost at each root."""
    S, A, alpha = problem.num_states, problem.num_actions, problem.discount
    T, C = np.array([t.toarray() for t in problem.transitions]), problem.costs
    k, live = np.broadcast_to(problem.sensing_costs(), (S, A)), np.flatnonzero(~problem.terminal)
    seen = np.zeros(S)
    for _ in range(3000):
        seen = np.where(problem.terminal, 0.0, (C + alpha * (T @ seen).T).min(axis=1))
    repeat = np.zeros((S, A))  # by iteration: one huge cost spoils all digits of a linear solve
    for _ in range(400):
        repeat = C + alpha * np.stack([T[a] @ repeat[:, a] for a in range(A)], axis=1)
    beliefs, spent = {j: np.eye(S)[[j]] for j in live}, {j: np.zeros(1) for j in live}
    costs, lands = {j: [] for j in live}, {j: [] for j in live}
    lower, upper = seen.copy(), np.where(problem.terminal, 0.0, repeat.min(axis=1))
    for m in range(depth):
        tails = {}
        for j in live:
            B, z, gone = beliefs[j], spent[j], alpha**m
            costs[j].append((z[:, None] + gone * (B @ (C + k))).ravel())
            lands[j].append(gone * alpha * np.einsum("ns,asx->nax", B, T).reshape(-1, S))
            forever = (z[:, None] + gone * (B @ repeat)).min(initial=np.inf)
            upper[j] = min(upper[j], forever)
            beliefs[j] = np.einsum("ns,asx->nax", B, T).reshape(-1, S)
            spent[j] = (z[:, None] + gone * (B @ C)).ravel()
            tails[j] = spent[j] + gone * alpha * (beliefs[j] @ seen)
        rows = {j: (np.concatenate(costs[j]), np.concatenate(lands[j])) for j in live}
        for _ in range(2000):
            before = np.concatenate([lower, upper])
            for j in live:
                c, P = rows[j]
                upper[j] = min(upper[j], (c + P @ upper).min())
                least = min((c + P @ lower).min(), tails[j].min(initial=np.inf))
                lower[j] = min(upper[j], max(lower[j], least))
            if np.abs(np.concatenate([lower, upper]) - before).max() < 1e-13:
                break
        for j in live:
            _, first = np.unique(beliefs[j], axis=0, return_inverse=True)
            cheapest = np.full(first.max(initial=0) + 1, np.inf)
            np.minimum.at(cheapest, first.ravel(), spent[j])
            on = (tails[j] < upper[j]) & (spent[j] <= cheapest[first.ravel()])
            beliefs[j], spent[j] = beliefs[j][on], spent[j][on]
        if sum(len(z) for z in spent.values()) > most:
            break
        if (upper - lower <= tolerance * np.maximum(1e-3, np.abs(upper))).all():
            break
    return lower, upper


def tricky_problem(seed):
    """Loops, periods, commuting and repeated actions, near-certain moves, free and huge costs."""
    rng = np.random.default_rng(seed)
    S, A, kind = int(rng.integers(2, 6)), int(rng.integers(1, 4)), int(rng.integers(7))
    T = rng.dirichlet(np.full(S, 0.3), size=(A, S))
    for a in range(A):
        if kind == 0:
            T[a] = np.eye(S)[rng.integers(S, size=S)]
        elif kind == 1:
            T[a] = np.eye(S)[rng.permutation(S)]
        elif kind == 2:
            T[a] = np.eye(S)[rng.integers(S, size=(4, S))].mean(axis=0)
        elif kind == 3:
            slip = rng.choice([1e-1, 1e-2, 1e-3])
            T[a] = (1 - slip) * np.eye(S)[rng.integers(S, size=S)] + slip / S
        elif kind == 4:
            T[a] = np.linalg.matrix_power(T[0], a + 1)
        elif kind == 5 and a == A - 1:
            T[a] = np.eye(S)[np.zeros(S, int)]
    draws = [rng.uniform(-1, 1, (S, A)), rng.uniform(0, 1, (S, A)), -rng.uniform(0, 1, (S, A))]
    draws += [rng.integers(-1, 2, (S, A)), rng.integers(0, 2, (S, A))]
    C = np.round(draws[rng.integers(5)].astype(float), 2)
    if rng.random() < 0.15:
        C[rng.integers(S), rng.integers(A)] = rng.choice([1e6, 1e9, -1e3])
    terminal = None
    if rng.random() < 0.5 and S > 2:
        terminal = [S - 1]
        T[:, S - 1], C[S - 1] = np.eye(S)[S - 1], 0.0
    T /= T.sum(axis=-1, keepdims=True)
    k = rng.choice([0, 0.01, 0.1, 1, 10]) * rng.uniform(0.5, 1, [(), (A,), (S, A)][rng.integers(3)])
    start = int(rng.integers(S - 1)) if rng.random() < 0.5 else None
    alpha = float(rng.choice([0.3, 0.6, 0.8, 0.9]))
    return SensingMDP.from_arrays(T, C, alpha, k, terminal=terminal, start=start)


def near_certain_problem(seed):
    """Moves that nearly always go where they should, and one start state."""
    rng = np.random.default_rng(seed)
    S, A, slip = int(rng.integers(2, 6)), int(rng.integers(2, 4)), rng.choice([0.001, 0.01, 0.1])
    T = (1 - slip) * np.eye(S)[rng.integers(S, size=(A, S))] + slip / S
    C = rng.uniform(rng.choice([-0.5, 0]), 1.5, (S, A)).round(2)
    alpha, k = float(rng.choice([0.9, 0.95, 0.99])), float(rng.choice([0.01, 0.1, 1]))
    return SensingMDP.from_arrays(T, C, alpha, k, start=0)
