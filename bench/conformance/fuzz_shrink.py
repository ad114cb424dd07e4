"""Making a failing fuzz case small, so that a person can read it.

One simplification after the other is tried, and kept if the failure stays: a state or an action
less, rounder numbers, one sensing cost for all, an earlier discount.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from bench.conformance.fuzz_problems import Case


def shrink(case: Case, fails: Callable[[Case], bool], most: int = 200) -> Case:
    """The smallest case found that still fails, after ``most`` trials at most."""
    tried, improved = 0, True
    while improved and tried < most:
        improved = False
        for simpler in _simpler(case):
            tried += 1
            if fails(simpler):
                case, improved = simpler, True
                break
            if tried >= most:
                break
    return case


def _simpler(case: Case) -> Iterator[Case]:
    A, S, _ = case.T.shape
    if A > 1:
        for a in range(A):
            keep = np.arange(A) != a
            yield replace(case, T=case.T[keep], C=case.C[:, keep], k=case.k[:, keep])
    if S > 1:
        for s in range(S):
            yield from _without(case, s)
    if case.shape:
        yield replace(case, shape="", seen=False)
    if not (case.k == case.k.flat[0]).all():
        yield replace(case, k=np.full(case.k.shape, case.k.max()))
    if not (case.start == case.start.max()).any() or (case.start > 0).sum() > 1:
        yield replace(case, start=np.eye(S)[int(case.start.argmax())])
    for digits in (1, 2, 3):
        costs = _rounded(case.C, digits)
        if not np.array_equal(costs, case.C):
            yield replace(case, C=costs)
        price = _rounded(case.k, digits)
        if not np.array_equal(price, case.k):
            yield replace(case, k=price)
        T = np.round(case.T, digits)
        T[:, :, -1] += 1 - T.sum(axis=2)
        if not np.array_equal(T, case.T) and (T >= 0).all():
            yield replace(case, T=np.round(T, digits))


def _without(case: Case, s: int) -> Iterator[Case]:
    """The case without state s: what led there stays where it was."""
    keep = np.arange(len(case.C)) != s
    T = case.T.copy()
    states = np.arange(len(case.C))
    T[:, states, states] += T[:, :, s]
    start = case.start[keep]
    if start.sum() == 0:
        start = np.eye(len(start))[0]
    yield replace(
        case,
        T=T[:, keep][:, :, keep],
        C=case.C[keep],
        k=case.k[keep],
        terminal=case.terminal[keep],
        start=start / start.sum(),
    )


def _rounded(x: np.ndarray, digits: int) -> np.ndarray:
    """To so many significant digits."""
    return np.array([float(f"{y:.{digits - 1}e}") for y in x.ravel()]).reshape(x.shape)
