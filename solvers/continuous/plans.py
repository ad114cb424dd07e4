"""Plans for many roots at once, and what a policy is when states are continuous.

As in the finite model, the belief between looks moves by the actions alone, so a policy is a plan
for each root: a string of actions, the last of which is followed by a look, or a string that goes
on without one.  A root is a seen state and, where the problem has a horizon, the time of the look.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Plans:
    """Plans of n roots.

    actions : (n, L) whole numbers; row i counts up to its own length
    lengths : (n,), at least 1
    looks : (n,) bool, whether a look follows the last action; without one it is repeated for good
    """

    actions: np.ndarray
    lengths: np.ndarray
    looks: np.ndarray

    def of(self, rows: slice | np.ndarray) -> Plans:
        """The plans of some of the roots."""
        lengths = self.lengths[rows]
        width = lengths.max(initial=1)
        return Plans(self.actions[rows, :width], lengths, self.looks[rows])

    def put(self, rows: np.ndarray, other: Plans) -> Plans:
        """The same plans, but those of ``other`` at ``rows``, in their order."""
        both, old = Plans.joined([self, other]), np.arange(len(self.lengths))
        old[rows] = len(old) + np.arange(len(other.lengths))
        return Plans(both.actions[old], both.lengths[old], both.looks[old])

    @staticmethod
    def of_one_action(actions: np.ndarray, looks: bool) -> Plans:
        """Each root's plan is its one action, with a look after it or repeated for good."""
        n = len(actions)
        return Plans(
            np.asarray(actions, int)[:, None], np.ones(n, int), np.full(n, looks, dtype=bool)
        )

    @staticmethod
    def joined(parts: list[Plans]) -> Plans:
        """Several sets of plans as one, their strings padded to one width."""
        width = max(part.actions.shape[1] for part in parts)
        strings = [np.pad(p.actions, ((0, 0), (0, width - p.actions.shape[1]))) for p in parts]
        return Plans(
            np.concatenate(strings),
            np.concatenate([part.lengths for part in parts]),
            np.concatenate([part.looks for part in parts]),
        )


class ContinuousPolicy:
    """Maps roots to plans; subclasses define :meth:`plans`."""

    name: str

    def plans(self, roots: np.ndarray, times: np.ndarray) -> Plans:
        """The plans of roots (n, d) seen at times (n,), counted in steps from the start."""
        raise TypeError(f"{type(self).__name__} does not define plans(roots, times)")

    def spread_over(self, size: np.ndarray) -> ContinuousPolicy:
        """The policy as it plans for all states of boxes (d,) around its roots together; the policy
        itself unless a subclass can do that."""
        return self
