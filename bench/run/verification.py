"""What a row claims, proved again outside planning time by code that shares none with solvers.

A row claims that the optimal cost lies above its lower bound and, through its policy, below its
value.  The claim is made into a proof and the checker of :mod:`solvers.bounds.verify` decides: it
is *verified* if what was proved is the claim up to LOSS, as a share of the value; else it stays
*claimed*, with the reason in its details.  A row without a lower bound claims nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from bench.store.status import CLAIMED, NONE, VERIFIED
from solvers import SensingMDP, Solution
from solvers.bounds.proof import plans_of, verify_claim

LOSS = 1e-6
"""The verified lower bound may be weaker than the claimed one by this share of the value."""
MOST_PAIRS = 500_000
"""Pairs of a state and an action of the largest problem that is tried: on the drone, which has a
million, the checker used up its limit on every row and proved none."""


@dataclass(frozen=True)
class Verification:
    """Whether what a row claims was proved again; lower : the bound that was, or None."""

    word: str
    lower: float | None = None
    reason: str = ""


def claims(solution: Solution) -> bool:
    """Whether a solution claims a lower bound on the optimum."""
    return solution.lower is not None


def verified(problem: SensingMDP, solution: Solution, limit_seconds: float) -> Verification:
    """Prove again what a solution claims; the checker may take so many CPU seconds, and making the
    proof about MAKING times as long."""
    if not claims(solution):
        return Verification(NONE)
    if not problem.has_linear_sensing_cost:
        return Verification(CLAIMED, reason="the sensing cost is a function of the belief")
    if problem.costs.size > MOST_PAIRS:
        pairs = f"{problem.costs.size:,} pairs of a state and an action"
        return Verification(CLAIMED, reason=f"too large for the checker: {pairs}")
    try:
        plans = plans_of(problem, solution)
        verdict = verify_claim(problem, solution.lower_bound, plans, limit_seconds)
    except (ValueError, MemoryError, ArithmeticError) as error:
        return Verification(CLAIMED, reason=f"{type(error).__name__}: {error}")
    if not verdict.ok:
        return Verification(CLAIMED, reason=verdict.reason)
    scale = abs(solution.value) if solution.value is not None else abs(solution.lower)
    short = solution.lower - verdict.lower
    if short > LOSS * max(scale, abs(solution.lower)):
        reason = f"only {verdict.lower:.8g} of the claimed {solution.lower:.8g} was proved in time"
        return Verification(CLAIMED, verdict.lower, reason)
    return Verification(VERIFIED, verdict.lower, verdict.reason)
