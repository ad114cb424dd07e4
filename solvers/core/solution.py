"""What a solver hands back."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from solvers.core.evaluation import evaluate_fully
from solvers.core.means import mean_above, mean_below
from solvers.core.policy import Policy, PolicyError

SOLVED = "solved"
"""The method ran to its own end."""
BUDGET = "budget"
"""The method was stopped by its budget; what it has is valid."""
KNOWN = 1e-12
"""Share of a value that its error may be, or it is computed again for one who asks for it."""


@dataclass(frozen=True)
class Solution:
    """A policy, what it is worth, and what the method proves about the optimum.

    A solver fills ``policy`` and what it can prove; :func:`solvers.solve` adds the rest.

    Attributes
    ----------
    policy : the policy found; None for a method that only proves a bound
    values : (S,) cost of the policy at each root, exact up to ``error`` (simulated roots only, if
        randomised); if ``roots`` is "reachable", NaN at roots that the policy does not reach from
        the start, and less exact where it hardly ever does
    value : cost under the problem's start distribution
    lower_bound, upper_bound : (S,) proven bounds on the optimal cost at each root, or None;
        ``upper_bound`` is infinite where ``values`` is NaN
    iterations : how many rounds the method made, in its own unit
    seconds : planning time alone
    trace : list of (seconds, lower, upper) under the start distribution, for anytime methods
    status : SOLVED or BUDGET
    standard_error : of ``value``; None where it is exact
    error, value_error : (S,) and number, by how much rounding can have changed values and value
    roots : whose values are computed: "all", or those "reachable" from the start; by the size of
        the problem when left out.  ``values_at`` computes the others
    floor : what |value| counts as at least when the gap is a share of it
    info : anything else worth keeping with the result, as plain numbers and strings
    """

    policy: Policy | None
    lower_bound: np.ndarray | None = None
    upper_bound: np.ndarray | None = None
    iterations: int = 0
    status: str = SOLVED
    trace: list[tuple[float, float, float]] = field(default_factory=list)
    info: dict[str, Any] = field(default_factory=dict)
    solver: str = ""
    start: np.ndarray | None = None
    values: np.ndarray | None = None
    value: float | None = None
    standard_error: float | None = None
    error: np.ndarray | None = None
    value_error: float = 0.0
    roots: str | None = None
    floor: float = 0.0
    sensing_rate: float | None = None
    seconds: float = 0.0
    evaluation_seconds: float = 0.0

    @property
    def lower(self) -> float | None:
        """The proven lower bound on the optimal cost under the start distribution."""
        if self.lower_bound is None or self.start is None:
            return None
        return mean_below(self.start, self.lower_bound)

    @property
    def upper(self) -> float | None:
        """The proven upper bound on the optimal cost under the start distribution."""
        if self.upper_bound is None or self.start is None:
            return None
        return mean_above(self.start, self.upper_bound)

    def values_at(self, roots: Iterable[int | str]) -> np.ndarray:
        """Exact cost of the policy at these roots (n,), by index or name: computed now where it was
        not before, or where its error is more than a share KNOWN of it."""
        if self.values is None or self.policy is None:
            raise PolicyError(f"{self.solver or 'this solution'} has no exact values")
        at = np.array([self.policy.problem.state_index(root) for root in roots], int)
        known, errors = np.isfinite(self.values), self.error
        if errors is None or known.all():
            missing = at[~known[at]]
        else:
            missing = at[~(errors[at] <= KNOWN * np.abs(self.values[at]))]
        if len(missing) and not self.policy.randomised:
            found = evaluate_fully(self.policy.problem, self.policy, missing)
            self.values[missing] = found.values[missing]
            if self.error is not None:
                self.error[missing] = found.error[missing]
        return self.values[at]

    @property
    def gap(self) -> float | None:
        """Proven distance from optimal as a share of |value|; None where nothing is proven.

        Below 0 the bounds cross: one of them is wrong.  A value so near 0 that no share of it says
        anything counts as ``floor``, which comes from the least cost there is in the problem.
        A simulated value proves nothing, however near the bound it lies.
        """
        if self.value is None or self.lower is None or self.standard_error is not None:
            return None
        distance = self.value + self.value_error - self.lower
        scale = max(abs(self.value), self.floor)
        return distance / scale if scale > 0 else (0.0 if distance == 0 else math.inf)

    def with_lower_bound(self, bound: np.ndarray) -> Solution:
        """This solution completed with a bound (S,) proven elsewhere; the better one counts."""
        bound = np.asarray(bound, float)
        both = bound if self.lower_bound is None else np.maximum(bound, self.lower_bound)
        return replace(self, lower_bound=both)
