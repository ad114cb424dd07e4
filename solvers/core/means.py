"""The mean of root values under a start distribution: near, surely not above, surely not below.

A bound at every root is a bound under the start only if its mean is rounded to the same side.
"""

from __future__ import annotations

import math

import numpy as np


def mean(start: np.ndarray, values: np.ndarray) -> float:
    """The mean of values (S,) under a distribution (S,); where that is 0 they may be unknown."""
    where = np.flatnonzero(start)
    if len(where) == len(start) or np.isfinite(values).all():
        return float(start @ values)
    return float(start[where] @ values[where])


def mean_below(start: np.ndarray, values: np.ndarray) -> float:
    """At most the mean of values (S,), by no more than its rounding."""
    return -mean_above(start, -np.asarray(values))


def mean_above(start: np.ndarray, values: np.ndarray) -> float:
    """At least the mean of values (S,), by no more than its rounding."""
    where = np.flatnonzero(start)
    chances, x = start[where], values[where]
    if len(where) == 1 and chances[0] == 1:
        return float(x[0])
    total = mean(start, values)
    if not np.isfinite(total):
        return total
    # Each product is off by half a unit of itself, their sum by a unit for each term.
    rounding = (len(where) + 2) * np.finfo(float).eps * float(chances @ np.abs(x))
    return math.nextafter(total + rounding, math.inf) if rounding > 0 else total
