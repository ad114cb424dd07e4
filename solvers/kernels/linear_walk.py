"""Blind walks of a policy that takes the cheapest of cost vectors."""

from __future__ import annotations

import numpy as np
from numba import njit


# The signature makes numba compile when the module is loaded, so that no planning time pays for it.
@njit(
    "void(f8[:,::1], f8[:,::1], f8[::1], i8[::1], b1[::1], f8[:,:,::1], f8[:,:,::1], "
    "f8[:,::1], f8[::1], f8, i8, f8, i8[::1], f8[:,::1])",
    cache=True,
    nogil=True,
)
def follow_vectors(
    beliefs, alphas, ties, actions, looks, guards, T, C, counted, discount, most, dust, spans, sums
):
    """Move each belief (n, S) on by up to ``most`` blind steps, until a look may come next.

    alphas (m, S) with their actions and looks (m,); ties (S,): the first within b ties of the least
    is taken; guards (A, c, S): action a goes on where ``b g < 0`` for a g of guards[a], if c > 0
    T (A, S, S); C (S, A); counted (S,)
    dust : probabilities below this become 0
    spans : (n,), set to the steps made; sums : (n, 3), set to the discounted sums of cost, of its
    absolute value and of what is counted
    """
    S = beliefs.shape[1]
    after, scores = np.empty(S), np.empty(alphas.shape[0])
    for i in range(beliefs.shape[0]):
        b, weight = beliefs[i], 1.0
        for m in range(most):
            level, best = 0.0, 0
            for s in range(S):
                level += b[s] * ties[s]
            for v in range(alphas.shape[0]):
                scores[v] = 0.0
                for s in range(S):
                    scores[v] += b[s] * alphas[v, s]
            level += scores.min()
            while scores[best] > level:
                best += 1
            if looks[best]:
                break
            a = actions[best]
            blind = guards.shape[1] == 0
            for c in range(guards.shape[1]):
                margin = 0.0
                for s in range(S):
                    margin += b[s] * guards[a, c, s]
                if margin < 0.0:
                    blind = True
                    break
            if not blind:
                break
            cost, size, awake = 0.0, 0.0, 0.0
            after[:] = 0.0
            for s in range(S):
                if b[s] == 0.0:
                    continue
                paid = b[s] * C[s, a]
                cost, size, awake = cost + paid, size + abs(paid), awake + b[s] * counted[s]
                for t in range(S):
                    after[t] += b[s] * T[a, s, t]
            sums[i, 0] += weight * cost
            sums[i, 1] += weight * size
            sums[i, 2] += weight * awake
            for t in range(S):
                b[t] = after[t] if after[t] >= dust else 0.0
            weight *= discount
            spans[i] = m + 1
