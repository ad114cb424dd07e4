"""The moves of the lake and the hike as compiled loops: planning makes millions of them.

Chance is drawn before, by NumPy, so that a step uses the generator it is given and nothing else.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit


@njit(cache=True)
def slide(states, actions, slips, stretches, directions):
    """The lake: a step of ``stretches`` (n,) long along a direction turned by ``slips`` (n,) rad.

    directions : (A, 2), unit vectors
    """
    after = np.empty_like(states)
    for i in range(len(states)):
        cos, sin = math.cos(slips[i]), math.sin(slips[i])
        x, y = directions[actions[i]]
        after[i, 0] = min(max(states[i, 0] + stretches[i] * (x * cos - y * sin), 0.0), 4.0)
        after[i, 1] = min(max(states[i, 1] + stretches[i] * (y * cos + x * sin), 0.0), 4.0)
    return after


@njit(cache=True)
def heights(at, ridges):
    """The hike's reward at points (n, 2) -> (n,); a ridge is (x, y, width, depth, factor)."""
    found = np.empty(len(at))
    for i in range(len(at)):
        x, y = at[i]
        if abs(x) > 1 or abs(y) > 1:
            found[i] = -6.0
            continue
        height = 0.0
        for mx, my, sx, sy, factor in ridges:
            square = ((x - mx) / sx) ** 2 + ((y - my) / sy) ** 2
            height = max(height, factor * math.exp(-square / 2) / (2 * math.pi * sx * sy))
        found[i] = 4 * (1 - (1 - height / len(ridges)) ** 4) - 4.5 + (x + y) / 4
    return found
