"""Blind walks of a policy that takes the cheapest of cost vectors."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, inline="always")
def _cheapest(b, alphas, ties, scores):
    """The first of alphas (m, S) within b ties of the least at b (S,); scores (m,) is room."""
    level, best = 0.0, 0
    for s in range(b.shape[0]):
        level += b[s] * ties[s]
    for v in range(alphas.shape[0]):
        scores[v] = 0.0
        for s in range(b.shape[0]):
            scores[v] += b[s] * alphas[v, s]
    level += scores.min()
    while scores[best] > level:
        best += 1
    return best


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
    is taken; T (A, S, S); C (S, A); counted (S,)
    guards (A, A, S), or (A, 0, S) for none: action a goes on only where ``b guards[a, a'] < 0``
    with a' the action that follows it
    dust : probabilities below this become 0
    spans : (n,), set to the steps made; sums : (n, 3), set to the discounted sums of cost, of its
    absolute value and of what is counted
    """
    S, guarded = beliefs.shape[1], guards.shape[1] > 0
    after, scores = np.empty(S), np.empty(alphas.shape[0])
    for i in range(beliefs.shape[0]):
        b, weight = beliefs[i], 1.0
        best = _cheapest(b, alphas, ties, scores)
        for m in range(most):
            if looks[best]:
                break
            a = actions[best]
            cost, size, awake = 0.0, 0.0, 0.0
            after[:] = 0.0
            for s in range(S):
                if b[s] == 0.0:
                    continue
                paid = b[s] * C[s, a]
                cost, size, awake = cost + paid, size + abs(paid), awake + b[s] * counted[s]
                for t in range(S):
                    after[t] += b[s] * T[a, s, t]
            for t in range(S):
                if after[t] < dust:
                    after[t] = 0.0
            best = _cheapest(after, alphas, ties, scores)
            if guarded:
                margin = 0.0
                for s in range(S):
                    margin += b[s] * guards[a, actions[best], s]
                if margin >= 0.0:
                    break
            sums[i, 0] += weight * cost
            sums[i, 1] += weight * size
            sums[i, 2] += weight * awake
            b[:] = after
            weight *= discount
            spans[i] = m + 1
