"""A network with one hidden layer of rectified units, evaluated without writing the layer out.

    value(z) = w_0 + Σ_i w_i z_i + Σ_f v_f max(0, u_f · z + b_f)

and the mean of its features over groups of rows, which is all that fitting its last layer needs.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, fastmath=True)
def network_values(z, directions, offsets, weights, out):
    """Values of rows z (n, D); directions (D, F), offsets (F,), weights (1 + D + F,): out (n,)."""
    n, D = z.shape
    F = offsets.shape[0]
    for i in range(n):
        total = weights[0]
        for j in range(D):
            total += weights[1 + j] * z[i, j]
        for f in range(F):
            hidden = offsets[f]
            for j in range(D):
                hidden += directions[j, f] * z[i, j]
            total += weights[1 + D + f] * max(hidden, 0.0)
        out[i] = total


@njit(cache=True, fastmath=True)
def mean_features(z, counts, group, directions, offsets, out):
    """Add to out (n, 1 + D + F) the features of rows z (n * group, D), times counts / group."""
    n, D = out.shape[0], z.shape[1]
    F = offsets.shape[0]
    for i in range(n):
        for p in range(i * group, (i + 1) * group):
            share = counts[p] / group
            if share == 0.0:
                continue
            out[i, 0] += share
            for j in range(D):
                out[i, 1 + j] += share * z[p, j]
            for f in range(F):
                hidden = offsets[f]
                for j in range(D):
                    hidden += directions[j, f] * z[p, j]
                out[i, 1 + D + f] += share * max(hidden, 0.0)


def compile_networks() -> None:
    """Compile (or load) both kernels."""
    z, directions, offsets = np.zeros((1, 2)), np.zeros((2, 3)), np.zeros(3)
    network_values(z, directions, offsets, np.zeros(6), np.empty(1))
    mean_features(z, np.ones(1), 1, directions, offsets, np.zeros((1, 6)))
