"""When a policy that reads beliefs is sure to repeat one blind action for good.

Suppose that the policy plays a blind at every belief with ``b h_i > 0`` for all columns h_i of its
*margins* h (S, c).  Blind repetition of a leads from b to ``b T(a)^n``.

Claim: if ``T(a)^n h >= 0`` in every entry for some n, and ``b T(a)^m h >= 0`` for m < n, then the
policy repeats a blind for good from b on.
Proof.  T(a) has no negative entries, so ``T(a)^m h >= 0`` for all m >= n, whatever b is.  ∎

Margins that are positive at the belief the walk settles in turn positive everywhere within the
mixing time of T(a).  For many powers before that, ``b min_m T(a)^m h >= 0`` with the least entry
over a run of m is enough.  So one product of the beliefs with some columns tells which roots are
finished.
"""

from __future__ import annotations

import numpy as np

from solvers.core.model import SensingMDP
from solvers.core.plan import Follows
from solvers.kernels.returns import TINY, Rows

MOST_POWERS, MOST_WORK = 4096, 3e8
"""Powers of T(a) tried at most, and multiplications spent on them."""
ONE_BY_ONE = 48
"""Powers kept one by one; later ones by the least of each run that doubles the power."""
HOPELESS = 0.9
"""The proof is given up if doubling the power leaves more than this share of what is negative."""
TRIED = (0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128)
"""Blind steps after which the proof is tried; later after every 64th."""


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
        """h and the least of ``T(a)^m h`` over runs of m, side by side, up to an m from which on no
        entry is negative; None if there is none."""
        if (reason, a) not in self._powers:
            self._powers[reason, a] = self._find_powers(reason, a)
        return self._powers[reason, a]

    def _find_powers(self, reason: int, a: int) -> np.ndarray | None:
        h = self.policy.margins(reason)
        if h is None:
            return None
        T, found, least = self.problem.transitions[a], [h], np.full(h.shape, np.inf)
        most = min(MOST_POWERS, int(MOST_WORK / (T.nnz * h.shape[1] + 1)))
        worst = np.inf
        for m in range(1, most):
            if (h >= 0).all():
                return np.concatenate(found, axis=1)
            h = T @ h
            least = np.minimum(least, h)
            at_double = m & (m + 1) == 0  # 1, 3, 7, 15, …
            if m < ONE_BY_ONE or at_double:
                found.append(least)
                least = np.full(h.shape, np.inf)
            if at_double and m >= ONE_BY_ONE // 2:
                left = float((-h.min(axis=0) / np.maximum(np.abs(h).max(axis=0), TINY)).max())
                if left > HOPELESS * worst:
                    return None
                worst = left
        return None
