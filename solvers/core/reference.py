"""What all walks of one PolicyUpdate share, and what one of them hands back."""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from solvers.core.budget import Budget
from solvers.core.landings import Row
from solvers.core.model import SensingMDP
from solvers.core.plan import Plan


class Better(NamedTuple):
    """A plan that beats the reference at its root: its cost up to the look, and where it lands."""

    root: int
    plan: Plan
    cost: float
    row: Row


@dataclass
class Reference:
    """The reference policy, as far as a walk reads it.

    V : (S,), its values; free : (S,), all seen for free; ties : (S,), differences that are rounding
    last : (S, A + 1), what decides the look after ``max_steps``, and its ties
    max_steps : blind steps a plan may have; tolerance : what finishing a root early may lose
    budget : when walks that have not ended are given up; another machine has none
    """

    V: np.ndarray
    free: np.ndarray
    ties: np.ndarray
    last: np.ndarray
    max_steps: int
    tolerance: float
    budget: Budget = field(default_factory=Budget)

    def __post_init__(self) -> None:
        self._walker: Any = None
        self._lock = Lock()

    def __getstate__(self) -> dict[str, Any]:
        """For another machine, which makes its own walker."""
        return {**self.__dict__, "_walker": None, "_lock": None, "budget": Budget()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=Lock())

    def walker(self, kind: Any, problem: SensingMDP) -> Any:
        """``kind(problem, self)``, made once, whichever thread asks first."""
        with self._lock:
            if self._walker is None:
                self._walker = kind(problem, self)
        return self._walker


def blind_then_look(problem: SensingMDP, Q: np.ndarray) -> np.ndarray:
    """``C(a) + α T(a) Q(a')``, one blind step and then a look: (S, A) -> (S, A, A)."""
    ahead = np.stack([T @ Q for T in problem.transitions], axis=1)
    return problem.costs[:, :, None] + problem.discount * ahead
