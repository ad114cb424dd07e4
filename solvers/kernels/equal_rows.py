"""Which pairs of beliefs differ by rounding alone, compared where they stand."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit("boolean[::1](f8[:,:], i8[::1], i8[::1], f8)", cache=True, nogil=True)
def equal_rows(rows, first, second, share):
    """Whether rows[first[n]] and rows[second[n]] differ by no more than a share of each entry.

    rows : (N, S); first, second : (n,); returns (n,) bool.  Most that differ do so early.
    """
    equal = np.ones(len(first), np.bool_)
    for n in range(len(first)):
        i, j = first[n], second[n]
        for s in range(rows.shape[1]):
            x, y = rows[i, s], rows[j, s]
            if abs(x - y) > share * min(x, y):
                equal[n] = False
                break
    return equal
