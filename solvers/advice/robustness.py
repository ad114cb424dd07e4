"""How wrong the model may be before the plan is.

Every probability of the model is multiplied by ``exp(noise z)`` with z normal, and each row is
scaled back to 1: impossible transitions stay impossible, likely ones stay likely, and ``noise`` is
about the relative error of a probability.  The plan, made for the model as given, is evaluated
exactly in models perturbed in this way; in one of them a new plan shows what knowing better would
gain.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from solvers.core.evaluation import evaluate
from solvers.core.model import SensingMDP
from solvers.core.policy import PlanPolicy
from solvers.core.solver import Budget, solve

LEVELS = (0.05, 0.1, 0.2, 0.4)
DRAWS = 5
REPLAN_SECONDS = 2.0


@dataclass(frozen=True)
class Perturbed:
    """The plan under one size of error, as costs under the start.

    mean, best, worst : over the draws; drawn : how many; replanned : a new plan in the first draw,
    against ``first``, the old plan there
    """

    noise: float
    drawn: int
    mean: float
    best: float
    worst: float
    first: float
    replanned: float

    @property
    def regret(self) -> float:
        """What a new plan would save, as a share of the cost."""
        return max(0.0, self.first - self.replanned) / max(abs(self.first), 1e-12)


def perturbed(problem: SensingMDP, noise: float, seed: int) -> SensingMDP:
    """The problem with every transition probability off by a factor of about 1 ± noise."""
    rng = np.random.default_rng(seed)
    matrices = []
    for T in problem.transitions:
        copy = T.copy()
        copy.data = T.data * np.exp(noise * rng.standard_normal(len(T.data)))
        sums = np.asarray(copy.sum(axis=1)).ravel()
        copy.data = copy.data / np.repeat(sums, np.diff(copy.indptr))
        matrices.append(copy)
    return replace(problem, transitions=tuple(matrices))


def robustness(problem: SensingMDP, policy: PlanPolicy, budget: Budget) -> tuple[Perturbed, ...]:
    """The plan under growing errors of the model, as far as time allows."""
    found = []
    for noise in LEVELS:
        values = []
        for seed in range(DRAWS):
            if values and budget.left() < REPLAN_SECONDS:
                break
            other = perturbed(problem, noise, seed)
            values.append(float(problem.start @ evaluate(other, PlanPolicy(other, policy.plans))))
        first = perturbed(problem, noise, 0)
        seconds = max(0.2, min(REPLAN_SECONDS, budget.left()))
        new = min(values[0], solve(first, "dips", budget=seconds).value)
        found.append(
            Perturbed(
                noise,
                len(values),
                float(np.mean(values)),
                min(values),
                max(values),
                values[0],
                new,
            )
        )
        if budget.over():
            break
    return tuple(found)
