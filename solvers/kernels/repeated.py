"""What repeating one action blind for good costs."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from scipy import sparse

from solvers.kernels.returns import UNIT, ReturnSystem, majorant, refined


class Repeated:
    """One action repeated blind for good, from each state (S,).

    values : what it costs; error : proven bound on the error of that; steps : discounted number of
    steps until the end; above : the values, surely not too low where the system is iterated.  The
    last three take long there, and wait until they are asked for.
    """

    def __init__(self, P: sparse.csr_array, costs: np.ndarray, live: np.ndarray) -> None:
        """P (S, S) : α T(a), rounded once, rows of terminal states empty; costs, live : (S,)."""
        self._system, self._live, self._costs = ReturnSystem(P), live, np.where(live, costs, 0.0)
        self.values, self._rest = refined(self._system, self._costs)
        if self._system.factored:  # the factors are large, and not needed any more
            self.error, self.steps, self.above  # noqa: B018
            del self._system

    @cached_property
    def error(self) -> np.ndarray:
        rest = self._rest + 2 * UNIT * (self._system.P @ np.abs(self.values))
        return majorant(self._system, rest, 2 * UNIT)

    @cached_property
    def above(self) -> np.ndarray:
        if self._system.factored:
            return self.values
        return self._system.above(self._costs, self.values)

    @cached_property
    def steps(self) -> np.ndarray:
        return self._system.solve(self._live.astype(float))
