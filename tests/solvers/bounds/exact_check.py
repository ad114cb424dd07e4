"""A proof checked in exact rationals: slow, short, and by another way than the checker's.

The heuristic is the value with free looks alone, so nothing of delayed information is used, no
rounding happens, no strings are merged and no cost is turned into an excess.
"""

from fractions import Fraction

import numpy as np


class ExactProblem:
    """A proof's problem in rationals; everything is a list, indexed [a][s][s'] and [s][a]."""

    def __init__(self, proof) -> None:
        S, A = proof.C.shape
        dense = proof.T.toarray().reshape(A, S, S)
        self.T = [[[Fraction(x) for x in row] for row in matrix] for matrix in dense.tolist()]
        self.C = [[Fraction(x) for x in row] for row in proof.C.tolist()]
        self.k = [[Fraction(x) for x in row] for row in proof.k.tolist()]
        self.alpha = Fraction(proof.alpha)
        self.terminal, self.states, self.actions = proof.terminal.tolist(), range(S), range(A)

    def step(self, b, a):
        return [sum(b[s] * self.T[a][s][t] for s in self.states if b[s]) for t in self.states]

    def cost(self, b, a, table):
        return sum(b[s] * table[s][a] for s in self.states if b[s])

    def look(self, b, a, V):
        """The cost of acting and looking at belief b, going on with V."""
        ahead = self.step(b, a)
        seen = sum(p * V[t] for t, p in enumerate(ahead) if not self.terminal[t])
        return self.cost(b, a, self.C) + self.cost(b, a, self.k) + self.alpha * seen


def lower_holds(proof, most: int = 2_000) -> bool:
    """Whether ``proof.lower`` is a lower bound, in rationals; False also if ``most`` is reached."""
    p = ExactProblem(proof)
    v = [Fraction(x) for x in proof.potential.tolist()]
    L = [Fraction(x) for x in np.maximum(proof.lower, proof.potential).tolist()]
    for s in p.states:
        for a in p.actions:
            if v[s] > p.C[s][a] + p.alpha * sum(p.T[a][s][t] * v[t] for t in p.states):
                return False
    for j in p.states:
        if p.terminal[j]:
            if proof.lower[j] > 0 or v[j] > 0:
                return False
            continue
        point = [Fraction(int(s == j)) for s in p.states]
        stack = [(Fraction(0), Fraction(1), point)]
        while stack:
            z, discount, b = stack.pop()
            most -= 1
            if most < 0:
                return False
            for a in p.actions:
                if z + discount * p.look(b, a, L) < L[j]:
                    return False
                after, ahead = z + discount * p.cost(b, a, p.C), p.step(b, a)
                f = after + discount * p.alpha * sum(x * y for x, y in zip(ahead, v, strict=True))
                if f < L[j]:
                    stack.append((after, discount * p.alpha, ahead))
    return True


def upper_holds(proof) -> bool:
    """Whether ``proof.upper`` is at least the cost of the plans, in rationals."""
    p = ExactProblem(proof)
    U = [Fraction(x) for x in proof.upper.tolist()]
    Y = [[Fraction(x) for x in row] for row in proof.tails.tolist()]
    for j in p.states:
        if p.terminal[j]:
            if U[j] < 0:
                return False
            continue
        b, total, discount = [Fraction(int(s == j)) for s in p.states], Fraction(0), Fraction(1)
        *blind, last = proof.plans[j]
        for a in blind:
            total, b = total + discount * p.cost(b, a, p.C), p.step(b, a)
            discount *= p.alpha
        if proof.senses[j]:
            total += discount * p.look(b, last, U)
        else:
            for s in p.states:
                onward = sum(p.T[last][s][t] * Y[t][last] for t in p.states)
                if Y[s][last] < p.C[s][last] + p.alpha * onward:
                    return False
            total += discount * p.cost(b, last, Y)
        if total > U[j]:
            return False
    return True


def exact_costs(proof) -> list[Fraction]:
    """Joint cost of the plans at each root, in rationals: no optimum is above it."""
    p = ExactProblem(proof)
    P, g = [[Fraction(0)] * len(p.states) for _ in p.states], [Fraction(0) for _ in p.states]
    for j in p.states:
        if p.terminal[j]:
            continue
        b, discount = [Fraction(int(s == j)) for s in p.states], Fraction(1)
        *blind, last = proof.plans[j]
        for a in blind:
            g[j] += discount * p.cost(b, a, p.C)
            b, discount = p.step(b, a), discount * p.alpha
        if proof.senses[j]:
            g[j] += discount * (p.cost(b, last, p.C) + p.cost(b, last, p.k))
            ahead = p.step(b, last)
            P[j] = [0 if p.terminal[t] else discount * p.alpha * ahead[t] for t in p.states]
        else:
            onward = [[p.alpha * x for x in row] for row in p.T[last]]
            forever = solve_exactly(onward, [p.C[s][last] for s in p.states])
            g[j] += discount * sum(x * y for x, y in zip(b, forever, strict=True))
    return solve_exactly(P, g)


def solve_exactly(P, g) -> list[Fraction]:
    """x = g + P x by elimination."""
    n = len(g)
    rows = [[Fraction(int(i == j)) - P[i][j] for j in range(n)] + [g[i]] for i in range(n)]
    for i in range(n):
        at = next(r for r in range(i, n) if rows[r][i])
        rows[i], rows[at] = rows[at], rows[i]
        rows[i] = [x / rows[i][i] for x in rows[i]]
        for r in range(n):
            if r != i and rows[r][i]:
                rows[r] = [x - rows[r][i] * y for x, y in zip(rows[r], rows[i], strict=True)]
    return [row[n] for row in rows]
