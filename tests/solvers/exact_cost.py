"""What plans cost together, to a hundred digits, and problems whose costs differ by many orders.

The referee takes the numbers of the problem as they are stored and shares nothing with the library.
"""

from decimal import Decimal, localcontext

import numpy as np

from solvers import SensingMDP

DIGITS = 110


def exact_costs(problem, plans):
    """The cost (S,) of following plans[j] from each root j for ever, as Decimals."""
    with localcontext() as context:
        context.prec = DIGITS
        rows = [_round(problem, root, plan) for root, plan in enumerate(plans)]
        return _solve([row for _, row in rows], [cost for cost, _ in rows])


def _round(problem, root, plan):
    """Cost of one plan up to and with its look, and where that lands, discounted."""
    S, live = problem.num_states, ~problem.terminal
    nowhere = [Decimal(0)] * S
    if not live[root]:
        return Decimal(0), nowhere
    alpha, prices = (
        Decimal(problem.discount),
        np.broadcast_to(problem.sensing_costs(), problem.costs.shape),
    )
    belief, spent, gone = {root: Decimal(1)}, Decimal(0), Decimal(1)
    for i, a in enumerate(plan.actions):
        last, T = i == len(plan.actions) - 1, problem.transitions[a].toarray()
        if last and not plan.senses:
            matrix = [[alpha * Decimal(T[s, t]) * int(live[s]) for t in range(S)] for s in range(S)]
            for_good = _solve(
                matrix, [Decimal(problem.costs[s, a]) * int(live[s]) for s in range(S)]
            )
            return spent + gone * sum(b * for_good[s] for s, b in belief.items()), nowhere
        for s, b in belief.items():
            spent += gone * b * Decimal(problem.costs[s, a]) * int(live[s])
            spent += gone * b * Decimal(float(prices[s, a])) * int(last)
        after = {}
        for s, b in belief.items():
            for t in np.flatnonzero(T[s]).tolist():
                after[t] = after.get(t, Decimal(0)) + b * Decimal(T[s, t])
        belief, gone = after, gone * alpha
    return spent, [gone * belief.get(t, Decimal(0)) * int(live[t]) for t in range(S)]


def _solve(P, g):
    """x of ``x = g + P x``, by elimination."""
    n = len(g)
    A = [[int(i == j) - P[i][j] for j in range(n)] + [g[i]] for i in range(n)]
    for i in range(n):
        pivot = max(range(i, n), key=lambda r: abs(A[r][i]))
        A[i], A[pivot] = A[pivot], A[i]
        for r in range(n):
            if r != i and A[r][i] != 0:
                share = A[r][i] / A[i][i]
                A[r] = [x - share * y for x, y in zip(A[r], A[i], strict=True)]
    return [A[i][n] / A[i][i] for i in range(n)]


def uneven(seed):
    """A small problem with costs from 1e-9 to 1e9; mostly, a part of it never leads to the rest and
    its costs are of another order than those of the rest."""
    chance = np.random.default_rng(seed)
    S, A = int(chance.integers(2, 9)), int(chance.integers(1, 4))
    T = chance.dirichlet(np.full(S, chance.choice([0.05, 0.3, 1.0])), size=(A, S))
    T[T < 1e-12] = 0
    if chance.random() < 0.3:
        T = 0.98 * np.eye(S)[chance.integers(0, S, (A, S))] + 0.02 * T
    signs = chance.choice([-1, 1], (S, A), p=[0.2, 0.8]) if chance.random() < 0.5 else 1.0
    C = 10 ** chance.uniform(-9, 9, (S, 1)) * chance.uniform(0.5, 1, (S, A)) * signs
    if chance.random() < 0.7 and S > 3:
        m = int(chance.integers(1, S - 1))
        T[:, :m, m:] = 0
        T[:, :m] += 1e-3 * np.eye(S)[:m]
        C[:m] *= 10 ** chance.uniform(-9, 0) / np.abs(C[:m]).max()
        C[m:] *= 10 ** chance.uniform(0, 9) / np.abs(C[m:]).max()
    terminal = None
    if chance.random() < 0.5:
        terminal = [S - 1]
        T[:, S - 1] = np.eye(S)[S - 1]
        C[S - 1] = 0
    T /= T.sum(axis=-1, keepdims=True)
    shape = [(), (A,), (S, A)][chance.integers(3)]
    k = 10 ** chance.uniform(-12, 3) * chance.uniform(size=shape) * (chance.random() < 0.8)
    alpha = float(chance.choice([0.1, 0.5, 0.9, 0.99, 0.999, 0.9999]))
    return SensingMDP.from_arrays(T, C, alpha, k, terminal=terminal)
