"""A plan: what the agent does from a root until it looks.

Between looks the belief moves deterministically, so a deterministic policy is, for each root (the
state last seen), one :class:`Plan`: a string of blind actions that ends in one sensing action, or
never ends.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np


class PolicyError(ValueError):
    """What was handed in is not a policy for this problem; the message says where it failed."""


@dataclass(frozen=True)
class Plan:
    """What to do from a root: ``actions`` in order; the last one looks if ``senses``.

    ``senses`` is false for a plan that stays blind for good: its last action is repeated for ever.
    A known terminal state has the empty plan.
    """

    actions: tuple[int, ...]
    senses: bool

    def shortest(self) -> Plan:
        """The same plan written as short as possible: a last action that repeats stands once."""
        if self.senses or len(self.actions) < 2 or self.actions[-1] != self.actions[-2]:
            return self
        end = len(self.actions) - 1
        while end and self.actions[end - 1] == self.actions[-1]:
            end -= 1
        return Plan(self.actions[: end + 1], False)

    def describe(self, action_names: Sequence[str]) -> str:
        """In words: ``down ×2, right, then look`` or ``up, left for good, blind``."""
        if not self.actions:
            return "nothing to do: the episode is over"
        runs: list[list[int]] = []
        for a in self.shortest().actions:
            if runs and runs[-1][0] == a:
                runs[-1][1] += 1
            else:
                runs.append([a, 1])
        words = ", ".join(action_names[a] + (f" ×{n}" if n > 1 else "") for a, n in runs)
        return words + (", then look" if self.senses else " for good, blind")


@dataclass(frozen=True)
class Vectors:
    """The choice of the cheapest of cost vectors, which compiled code can make.

    alphas : (n, S), with their actions and looks (n,); ties : (S,), of vectors that differ by less
    than ``b ties`` at a belief b the first is taken
    guards : (A, A, S), a vector's blind action a is surely played blind only where
    ``b guards[a, a'] < 0``, a' the action at the belief it leads to; always if it is (A, 0, S)
    """

    alphas: np.ndarray
    actions: np.ndarray
    looks: np.ndarray
    ties: np.ndarray
    guards: np.ndarray


class Follows(Protocol):
    """What unrolling needs of a policy; see :class:`solvers.core.policy.Policy`."""

    randomised: bool
    reads_beliefs: bool
    reads_sparse: bool

    def step(
        self, roots: np.ndarray, depth: int, beliefs: Any
    ) -> tuple[np.ndarray, np.ndarray]: ...

    def repeats(self, roots: np.ndarray, depth: int) -> np.ndarray: ...

    def reasons(self, beliefs: Any, actions: np.ndarray) -> np.ndarray: ...

    def margins(self, reason: int) -> np.ndarray | None: ...

    def stays_blind(self, beliefs: Any) -> np.ndarray: ...

    def vectors(self) -> Vectors | None: ...


def checked_choice(
    chosen: Any, num_actions: int, name: str, roots: np.ndarray, depth: int
) -> tuple[np.ndarray, np.ndarray]:
    """A policy's answer, refused if it is not an action and a look for every root, saying where."""
    try:
        actions, looks = (np.asarray(x) for x in chosen)
    except (TypeError, ValueError):
        raise PolicyError(
            f"a policy must answer with (actions, looks); it answered {chosen!r}"
        ) from None
    if actions.shape != roots.shape or looks.shape != roots.shape:
        raise PolicyError(
            f"a policy must give one action and one look for each of {len(roots)} beliefs; "
            f"it gave shapes {actions.shape} and {looks.shape}"
        )
    whole, wrong = np.zeros(len(roots), int), np.ones(len(roots), bool)
    with contextlib.suppress(TypeError, ValueError):
        whole = actions.astype(int)
        wrong = (whole != actions) | (whole < 0) | (whole >= num_actions)
    if wrong.any():
        i = int(np.flatnonzero(wrong)[0])
        raise PolicyError(
            f"at root {roots[i]} after {depth} blind steps the policy chose action {actions[i]!r}; "
            f"{name} has actions 0 to {num_actions - 1}"
        )
    return whole, looks.astype(bool)
