"""The delayed-information bound on longer strings of the few actions that are commonly used.

A table of all strings of length n has A^(n−1) columns.  Where plans use c of many actions, strings
of these alone reach further in the same memory.  On top of the bound of depth n ≥ 2 over all
actions, W(s, σ) is kept for strings σ = σ₁…σ_m, n < m ≤ N, with σ₂…σ_m common:

    a common  as in ``delayed_information``, with depth N
    a not     B(s,σ) C(a) + α Σ_s' B(s, σ₁…σ_{m−n+1})(s') W(s', σ_{m−n+2}…σ_m a),

the state of n steps ago is revealed.  By concavity this is a bound as before: the mixture of
the B(s', σ_{m−n+2}…σ_m a) is B(s, σ a).  Only its least over a is kept, from level n on; as a
mixture of leasts it is at most the least mixture.  The same holds for looking with such an action.
Level n over all actions is raised from level n + 1 where its string is common, so what is gained
here returns to all strings and roots.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from solvers.kernels.late_sweeps import price_after
from solvers.kernels.mixtures import (
    UNCAPPED,
    Levels,
    mix,
    raise_by_mixtures,
    raise_from_below,
)
from solvers.kernels.plan_bounds import lay_ahead

if TYPE_CHECKING:
    from solvers.bounds.delayed_information import DelayedInformation


class CommonStrings:
    """The bound at depth N > n over strings of common actions.

    actions (c,) : the common ones; levels : as of :class:`DelayedInformation`, c for A
    """

    def __init__(self, information: DelayedInformation, actions: np.ndarray) -> None:
        problem = information.problem
        self.information, self.actions = information, actions
        others = np.setdiff1d(np.arange(problem.num_actions), actions)
        self.others = others
        self.of = np.ascontiguousarray(information.rows.row_of[:, actions])
        self.base = information.depth
        self.R = len(information.rows.indptr) - 1
        c = len(actions)
        offset = np.concatenate([[0, 0], np.cumsum(self.R * c ** np.arange(self.base))])
        self.levels = Levels(offset, *(np.empty(offset[-1]) for _ in range(3)))
        for m in range(1, self.base + 1):
            self.block(self.levels.W, m)[:] = information.W(m)[:, self._columns(m)]
        for m in range(2, self.base + 1):
            stages = information.block(information.levels.stages, m)
            self.block(self.levels.stages, m)[:] = stages[:, self._columns(m)]
        self.caps = np.full(offset[-1], -np.inf)
        self.deepen()

    @property
    def depth(self) -> int:
        return len(self.levels.offset) - 2

    def block(self, flat: np.ndarray, m: int) -> np.ndarray:
        """Level m of an array laid out like the levels: (R, c^(m-1)), a view."""
        offset = self.levels.offset
        return flat[offset[m] : offset[m + 1]].reshape(self.R, -1)

    def _columns(self, m: int, last: np.ndarray | None = None) -> np.ndarray:
        """Columns of the strings σ₂…σ_m in level m over all actions: every action is a common one,
        but the last is one of ``last`` if that is given."""
        A, columns = self.information.problem.num_actions, np.zeros(1, np.int64)
        for i in range(2, m + 1):
            chosen = self.actions if i < m or last is None else last
            columns = (columns[:, None] * A + chosen).ravel()
        return columns

    def deepen(self) -> None:
        """From depth N to N + 1 with every value kept."""
        old, N, never = self.levels, self.depth, np.zeros(1, np.int64)
        end = old.offset[-1] + (old.offset[-1] - old.offset[-2]) * len(self.actions)
        more = np.empty(end - old.offset[-1])
        W, stages = (np.concatenate([x, more]) for x in (old.W, old.stages))
        self.levels = Levels(np.append(old.offset, end), W, stages, np.empty(end))
        self.caps = np.concatenate([self.caps, np.full(len(more), -np.inf)])
        rows = self.information.rows
        mix(rows, self.of, self.block(stages, N), self.block(stages, N + 1), never)
        mix(rows, self.of, self.block(W, N), self.block(W, N + 1), never)
        self._round_down(self.block(W, N + 1), N)

    def _round_down(self, X: np.ndarray, m: int) -> None:
        """Take off what the sums of one mixture, to strings of length m + 1, may be off by."""
        constants = self.information.constants
        gains = 2 * constants.discount**-m * constants.row_gains[:, None]
        X -= (m + 2) * constants.rounding * (np.abs(X) + gains)

    def sweep(self, stop: np.ndarray) -> None:
        """Back up everything once, with the other actions valued by the bound over all strings."""
        information, n, N = self.information, self.base, self.depth
        rows, constants = information.rows, information.constants
        W, stages, looks = self.levels.W, self.levels.stages, self.levels.looks
        alpha, offset = constants.discount, self.levels.offset
        Q = information.look_values(information.W0)
        mix(rows, rows.itself, np.ascontiguousarray(Q[:, self.actions]), self.block(looks, 2), stop)
        for m in range(2, N):
            mix(rows, self.of, self.block(looks, m), self.block(looks, m + 1), stop)
        self._cap(Q, stop)
        if stop[0]:
            return
        share, price = constants.rounding * (N + 2), price_after(constants, N)[self.actions]
        margin = share, alpha ** (1 - N) * constants.row_gains
        ahead = self.block(stages, N) + alpha * self.block(W, N)
        cap = self.caps[offset[N] :]
        look = self.block(looks, N)
        last = self.block(W, N)
        raise_by_mixtures(rows, self.of, ahead, look, price, margin, last, cap, stop)
        for m in range(N - 1, n - 1, -1):
            below, here = (slice(offset[i], offset[i + 1]) for i in (m + 1, m))
            margin = share, alpha ** (1 - m) * constants.row_gains
            terms = stages[below], W[below], looks[below], alpha
            raise_from_below(price, margin, *terms, W[here], self.caps[here])
        full, columns = information.W(n), self._columns(n)
        full[:, columns] = np.maximum(full[:, columns], self.block(W, n))
        self.block(W, n)[:] = full[:, columns]

    def _cap(self, Q: np.ndarray, stop: np.ndarray) -> None:
        """What the other actions cost after each common string, at levels n … N."""
        information, n = self.information, self.base
        rows, constants = information.rows, information.constants
        alpha, levels = constants.discount, information.levels
        columns = self._columns(n, self.others)
        W, stages = (information.block(x, n)[:, columns] for x in (levels.W, levels.stages))
        look, of = Q[:, self.others], rows.itself
        for _ in range(2, n + 1):
            out = np.empty((self.R, of.shape[1] * look.shape[1]))
            mix(rows, of, np.ascontiguousarray(look), out, stop)
            look, of = out, self.of
        margin = constants.rounding * (n + 2), alpha ** (1 - n) * constants.row_gains
        cap, price = self.block(self.caps, n), price_after(constants, n)[self.others]
        raise_by_mixtures(rows, of, stages + alpha * W, look, price, margin, cap, UNCAPPED, stop)
        for m in range(n, self.depth):
            higher = np.empty(self.block(self.caps, m + 1).shape)
            mix(rows, self.of, self.block(self.caps, m), higher, stop)
            self._round_down(higher, m)
            if stop[0]:
                return  # a part of the mixtures only
            np.maximum(self.block(self.caps, m + 1), higher, out=self.block(self.caps, m + 1))

    def look_ahead(self) -> None:
        """Leave ``B C(a) + α W`` in the levels' scratch until the next sweep."""
        lay_ahead(self.levels, self.information.problem.discount, len(self.actions))
