"""Many blind steps of one action at once: powers of T(a) by repeated squaring.

With M = 2^j, ``T(a)^M`` moves a belief by M steps, and

    G_1 = c,   G_2M = G_M + α^M T(a)^M G_M

is the discounted sum of c over M steps from each state.  All numbers are sums of products of
non-negative ones (c is also summed in absolute terms), so after M steps the rounding is at most
``M (S + 4)`` units of each entry.
"""

from __future__ import annotations

import numpy as np

from solvers.core.model import SensingMDP
from solvers.kernels.returns import UNIT

MOST_STATES = 1024
"""Up to so many states powers are made: they are dense arrays."""
PATIENCE, LONG, FORGOTTEN = 64, 1024, 1e-15
"""Powers are made for walks after so many steps, if as many more come before the discount is so."""
LONGEST, SHARE = 2**14, 16
"""Steps of a leap at most; near discount 1 one part in so many of the horizon ``1 / (1 - alpha)``,
if that is more: leaps that stay as they are while the horizon grows would be made without end."""
MOST_BYTES = 2**28
"""Memory that the powers of all actions may take."""


class Powers:
    """Of every action of a problem, made when they are asked for.

    counted : (S,), 1 where a step counts as one; longest : steps of a leap at most
    """

    def __init__(self, problem: SensingMDP, counted: np.ndarray) -> None:
        self.problem, self.counted = problem, counted
        self._powers: dict[int, list[np.ndarray]] = {}
        self._sums: dict[int, list[np.ndarray]] = {}
        alpha = problem.discount
        # Rounding grows with the length of a leap, and beyond the horizon nothing is gained by it.
        horizon = LONGEST if alpha == 1 else int(1 / (1 - alpha)) + 1
        longest = min(horizon, max(LONGEST, horizon // SHARE))
        self.longest = 2 ** (longest.bit_length() - 1)
        room = MOST_BYTES // (8 * problem.num_states**2)
        self.room = room if problem.num_states <= MOST_STATES else 0

    def pay_at(self, depth: int) -> bool:
        """Whether a walk is, and will be, long enough for powers to be worth making.

        With leaps beyond LONGEST, LONG steps hardly change the discount: no walk that still goes on
        will end in them, and dear looks can keep it going long after the discount is FORGOTTEN.
        """
        alpha = self.problem.discount
        if self.longest > LONGEST:
            return depth >= PATIENCE
        steps = np.log(FORGOTTEN) / np.log(alpha) if alpha < 1 else np.inf
        return depth >= PATIENCE and steps - depth >= LONG

    def room_for(self, a: int, steps: int) -> bool:
        """Whether the powers of a up to this many steps can be held."""
        return steps.bit_length() - len(self._powers.get(a, [])) <= self.room

    def worth(self, a: int, steps: int, walks: int) -> bool:
        """Whether a leap is less work for so many walks than their single steps."""
        missing = max(0, steps.bit_length() - len(self._powers.get(a, [])))
        return missing <= self.room and missing * self.problem.num_states <= steps * walks

    def power(self, a: int, j: int) -> np.ndarray:
        """``T(a)^(2^j)``: (S, S)."""
        found = self._powers.setdefault(a, [])
        while len(found) <= j:
            self.room -= 1
            found.append(found[-1] @ found[-1] if found else self.problem.transitions[a].toarray())
        return found[j]

    def sums(self, a: int, j: int) -> np.ndarray:
        """Cost, its absolute value and counted steps, discounted, of 2^j steps: (S, 3)."""
        cost = self.problem.costs[:, a]
        found = self._sums.setdefault(a, [np.column_stack([cost, np.abs(cost), self.counted])])
        while len(found) <= j:
            i = len(found) - 1
            ahead = self.power(a, i) @ found[i]
            found.append(found[i] + self.problem.discount ** (2**i) * ahead)
        return found[j]

    def rounding(self, j: int) -> float:
        """By how much 2^j steps blur an entry, as a share of it."""
        return 2**j * (self.problem.num_states + 4) * UNIT
