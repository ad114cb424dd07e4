"""When a policy that reads beliefs is sure to repeat one blind action for good.

Suppose that the policy plays a blind at every belief with ``b h_i > 0`` for all columns h_i of its
*margins* h (S, c).  Blind repetition of a leads from b to ``b T(a)^n``.

Claim: if ``T(a)^n h >= 0`` in every entry for some n, and ``b T(a)^m h >= 0`` for m < n, then the
policy repeats a blind for good from b on.
Proof.  T(a) has no negative entries, so ``T(a)^m h >= 0`` for all m >= n, whatever b is.  ∎

Margins that are positive at the belief the walk settles in turn positive everywhere within the
mixing time of T(a), so n is small, and one product of the beliefs with all ``T(a)^m h`` tells
which roots are finished.
"""

from __future__ import annotations

import numpy as np

from solvers.core.model import SensingMDP
from solvers.core.plan import Follows
from solvers.kernels.returns import Rows

MOST_POWERS = 64
"""Powers of T(a) tried."""
MOST_ENTRIES = 2**24
"""Numbers kept for one action: 128 MiB."""
TRIED = (0, 1, 2, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128)
"""Blind steps after which the proof is tried; later at every multiple of 64."""


class Repeats:
    """The proofs of one policy; what a proof needs of an action is computed once."""

    def __init__(self, problem: SensingMDP, policy: Follows) -> None:
        self.problem, self.policy = problem, policy
        self._powers: dict[tuple[int, int], np.ndarray | None] = {}

    def proven(
        self, roots: np.ndarray, depth: int, beliefs: Rows, actions: np.ndarray
    ) -> np.ndarray:
        """Which of these blind walks (n,) repeat their present action for good: (n,) bool."""
        if not self.policy.reads_beliefs:
            return self.policy.repeats(roots, depth)
        found = np.zeros(len(roots), bool)
        if not len(roots) or not (depth in TRIED or depth % 64 == 0):
            return found
        reasons = self.policy.reasons(beliefs, actions)
        for reason in np.unique(reasons[reasons >= 0]):
            rows = np.flatnonzero(reasons == reason)
            columns = self._all_powers(int(reason), int(actions[rows[0]]))
            if columns is not None:
                found[rows] = ((beliefs[rows] @ columns) >= 0).all(axis=1)
        return found

    def _all_powers(self, reason: int, a: int) -> np.ndarray | None:
        """``h, T(a) h, …`` side by side until one has no negative entry; None if none has."""
        if (reason, a) not in self._powers:
            self._powers[reason, a] = self._find_powers(reason, a)
        return self._powers[reason, a]

    def _find_powers(self, reason: int, a: int) -> np.ndarray | None:
        h = self.policy.margins(reason)
        if h is None:
            return None
        found: list[np.ndarray] = []
        T = self.problem.transitions[a]
        for _ in range(MOST_POWERS):
            found.append(h)
            if (h >= 0).all():
                return np.concatenate(found, axis=1)
            if len(found) * h.size > MOST_ENTRIES:
                return None
            h = T @ h
        return None
