"""Products of many rows with one column each, and how far rounding may have moved them."""

from __future__ import annotations

import numpy as np
from numba import njit

from solvers.kernels.returns import UNIT, Rows

LANES = 8
"""Sums made side by side."""


@njit("void(f8[:,::1], i8[::1], f8[:,::1], f8[::1], f8[::1])", cache=True, nogil=True)
def _picked_dots(rows, columns, table, dots, sizes):
    """LANES sums side by side, so that none waits for another: each is short, and so its rounding.

    table : (m, S), its columns as rows
    """
    S = rows.shape[1]
    whole = S - S % LANES
    for i in range(rows.shape[0]):
        row, column = rows[i], table[columns[i]]
        t0 = t1 = t2 = t3 = t4 = t5 = t6 = t7 = 0.0
        z0 = z1 = z2 = z3 = z4 = z5 = z6 = z7 = 0.0
        for s in range(0, whole, LANES):
            p0, p1 = row[s] * column[s], row[s + 1] * column[s + 1]
            p2, p3 = row[s + 2] * column[s + 2], row[s + 3] * column[s + 3]
            p4, p5 = row[s + 4] * column[s + 4], row[s + 5] * column[s + 5]
            p6, p7 = row[s + 6] * column[s + 6], row[s + 7] * column[s + 7]
            t0, t1, t2, t3 = t0 + p0, t1 + p1, t2 + p2, t3 + p3
            t4, t5, t6, t7 = t4 + p4, t5 + p5, t6 + p6, t7 + p7
            z0, z1, z2, z3 = z0 + abs(p0), z1 + abs(p1), z2 + abs(p2), z3 + abs(p3)
            z4, z5, z6, z7 = z4 + abs(p4), z5 + abs(p5), z6 + abs(p6), z7 + abs(p7)
        for s in range(whole, S):
            p0 = row[s] * column[s]
            t0, z0 = t0 + p0, z0 + abs(p0)
        dots[i] = ((t0 + t1) + (t2 + t3)) + ((t4 + t5) + (t6 + t7))
        sizes[i] = ((z0 + z1) + (z2 + z3)) + ((z4 + z5) + (z6 + z7))


def picked_dots(
    rows: Rows, columns: np.ndarray, table: np.ndarray
) -> tuple[np.ndarray, np.ndarray, float]:
    """``rows[i] · table[:, columns[i]]``, the same of absolute values, and the error as a share of
    the latter.

    rows : (n, S), dense or sparse; columns : (n,); table : (S, m)
    """
    if isinstance(rows, np.ndarray):
        dots, sizes = np.empty(len(rows)), np.empty(len(rows))
        _picked_dots(
            np.ascontiguousarray(rows, float),
            np.ascontiguousarray(columns, np.int64),
            np.array(table.T, float, order="C"),  # read-only is another type to compile
            dots,
            sizes,
        )
        # a product, a lane's sum with up to LANES - 1 terms more, and three sums of lanes
        return dots, sizes, (rows.shape[1] // LANES + LANES + 4) * UNIT
    counts = np.diff(rows.indptr)
    terms = rows.data * table[rows.indices, np.repeat(columns, counts)]
    of = np.repeat(np.arange(rows.shape[0]), counts)
    dots, sizes = (np.bincount(of, x, rows.shape[0]) for x in (terms, np.abs(terms)))
    return dots, sizes, (int(counts.max(initial=0)) + 4) * UNIT
