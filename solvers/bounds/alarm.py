"""A budget that compiled loops can see.

Compiled code cannot read the clock, but it can read memory that another thread writes: a timer sets
a flag, and the loops, which run without the interpreter's lock, look at it as they go.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from solvers.core.budget import Budget


@contextmanager
def alarm(budget: Budget) -> Iterator[np.ndarray]:
    """A flag (1,) that is 0, and 1 from when the budget is over."""
    stop = np.zeros(1, np.int64)
    if budget.seconds == float("inf"):
        yield stop
        return
    timer = threading.Timer(max(budget.left(), 0.0), stop.fill, (1,))
    timer.daemon = True
    timer.start()
    try:
        yield stop
    finally:
        timer.cancel()


class Flag:
    """An alarm's flag that can be sent to another machine, where one is set at the same time."""

    def __init__(self, stop: np.ndarray, budget: Budget) -> None:
        self.stop, self.budget = stop, budget

    def __reduce__(self) -> tuple:
        return _set_after, (self.budget.left(),)


def _set_after(seconds: float) -> Flag:
    stop = np.zeros(1, np.int64)
    if seconds != float("inf"):
        timer = threading.Timer(max(seconds, 0.0), stop.fill, (1,))
        timer.daemon = True
        timer.start()
    return Flag(stop, Budget(max(seconds, 1e-9)))
