"""Writing proof files: from a problem, root bounds and plans to what the checker accepts.

The checker (``verify``) asks for numbers that are easy to check and leaves finding them to us:

* ``potential``, ``steps``, ``tails``, ``upper``: see ``witnesses``;
* ``lower``: the claimed bound L, moved a share η towards the potential.  If L is at most its image
  under the search then so is the moved one, with room to spare, because excess costs are concave in
  L and at least 0.  Without that room the strings that attain L would be followed for ever;
* ``sweeps``: a depth of the delayed-information bound with which the search ends soon.

Where the claim as it stands cannot be checked within the limit, the strongest one that can is
written.  Nothing here has to be believed: the checker decides.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from solvers.bounds import proof_file, verify
from solvers.bounds.proof_file import Refused, Unfinished
from solvers.bounds.verify import Excess, Heuristic, Verdict
from solvers.bounds.witnesses import Witnesses
from solvers.core.array_file import json_bytes
from solvers.core.model import SensingMDP
from solvers.core.policy import Plan, PlanPolicy
from solvers.core.solution import Solution
from solvers.core.written_plans import MOST_WRITTEN, unroll_plans

LOSSES = (1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 3e-3, 1e-2, 3e-2, 0.1, 0.3, 1.0)
"""What is given away of the lower bound, as a share of the value, one after the other."""
MAKING = 2.0
"""Making a proof may take about so many times as long as checking it."""
BATCH = 8
"""Sweeps between two estimates of how long the search will take; more while they are cheap."""
HELPFUL, RISING = 0.8, 0.95
"""More sweeps are worth their time while a batch brings the estimate down to this share, and what
the heuristic lacks at the roots down to that one."""
LEAST_SWEEPS, MOST_SWEEPS = 32, 1000
"""Sweeps at a depth before it is judged, and before the last depth is given up."""
PATIENT = 0.03
"""Share of the limit that sweeps at one depth may take before they have to be seen to help."""
TRIAL, QUICK, SAMPLE = 0.2, 0.2, 24
"""An estimate searches SAMPLE roots within TRIAL of the time spent so far; one that takes QUICK
seconds needs no improving."""
FULL, LAST = 0.8, 0.95
"""Share of the limit that may be planned for, and that a search may take of which no estimate says
whether it ends."""


def write_proof(
    path: str | Path, problem: SensingMDP, solution: Solution, limit_seconds: float = 120.0
) -> Verdict:
    """Write a proof of what a solution claims and check it as any reader would.

    limit_seconds : CPU time that checking may take
    """
    if solution.lower_bound is None:
        raise Refused(f"{solution.solver} proves no lower bound, so there is nothing to write")
    plans = plans_of(problem, solution)
    proof_file.save(path, make_proof(problem, solution.lower_bound, plans, limit_seconds))
    return verify.verify(path, limit_seconds)


def verify_claim(
    problem: SensingMDP,
    lower_bound: np.ndarray | None,
    plans: Sequence[Plan],
    limit_seconds: float = 120.0,
) -> Verdict:
    """Check a claimed lower bound (S,) and plans without a file; None claims no lower bound.

    The verdict's bounds are what was verified: ``lower`` may be a little weaker than the claim.
    """
    began = time.process_time()
    try:
        stored = make_proof(problem, lower_bound, plans, limit_seconds)
        proof = proof_file.unpack(stored)
        reason = verify.check(proof, time.process_time() + limit_seconds)
    except Refused as refusal:
        return Verdict(False, np.nan, np.nan, str(refusal))
    seconds = time.process_time() - began
    return Verdict(True, *proof.claim, f"{reason}, {seconds:.1f} s with making the proof")


def plans_of(problem: SensingMDP, solution: Solution) -> list[Plan]:
    """The plan of each root; where there is no policy to unroll, always look and act greedily."""
    policy = solution.policy
    if isinstance(policy, PlanPolicy):
        return list(policy.plans)
    if policy is not None and not policy.randomised:
        # A cut plan is another plan, but one that a proof may be about.
        return unroll_plans(problem, policy, np.arange(problem.num_states), limit=MOST_WRITTEN)
    greedy = Witnesses(problem, [Plan((0,), True)] * problem.num_states).high.argmin(axis=1)
    return [Plan((int(a),), True) for a in greedy]


def make_proof(
    problem: SensingMDP,
    lower_bound: np.ndarray | None,
    plans: Sequence[Plan],
    limit_seconds: float = 120.0,
) -> dict[str, np.ndarray]:
    """The arrays of a proof that the checker accepts within so much CPU time.

    Raises :class:`Refused` where there is none, for example where the claim is false throughout.
    """
    if not problem.has_linear_sensing_cost:
        raise Refused("the sensing cost is a function of the belief; proofs need a number or array")
    witnesses = Witnesses(problem, plans)
    claimed = witnesses.potential if lower_bound is None else np.asarray(lower_bound, float)
    stored = _arrays(problem, witnesses)
    reason, until = "no bound at all could be verified", time.process_time()
    until += MAKING * limit_seconds
    for loss in LOSSES:
        if time.process_time() > until and loss < LOSSES[-1]:
            continue
        _claim(stored, problem, witnesses, claimed, loss)
        proof = proof_file.unpack(stored)
        p = Excess(proof)
        verify.check_plans(proof, p, math.inf)
        try:
            with np.errstate(all="ignore"):
                horizon, first = float(witnesses.steps.max()), loss == LOSSES[0]
                sweeps = find_sweeps(p, limit_seconds, horizon, first)
            stored["sweeps"] = np.array(sweeps, np.int64)
            stored["digest"] = proof_file.digest(stored)
            return stored
        except Refused as refusal:
            reason = str(refusal)
    raise Refused(reason)


def _claim(
    stored: dict[str, np.ndarray], problem: SensingMDP, w: Witnesses, L: np.ndarray, loss: float
) -> None:
    """Put the bound L into the proof, less this share of the value under start."""
    above = np.maximum(L - w.potential, 0.0)
    excess, value = float(problem.start @ above), abs(float(problem.start @ L))
    share = min(1.0, loss * (value or excess) / excess) if excess > 0 else loss
    lower = w.potential + (1 - share) * above - 4 * w.rounding
    stored["lower"] = np.where(problem.terminal, 0.0, np.minimum(lower, L))
    means = [proof_file.exact_mean(problem.start, x) for x in (stored["lower"], stored["upper"])]
    rounded = [
        math.nextafter(float(mean), to) for mean, to in zip(means, (-1e300, 1e300), strict=True)
    ]
    stored["claim"] = np.array(rounded)
    stored["digest"] = proof_file.digest(stored)


def _arrays(problem: SensingMDP, w: Witnesses) -> dict[str, np.ndarray]:
    T = problem.transitions
    names = {
        "name": problem.name,
        "state_names": problem.state_names,
        "action_names": problem.action_names,
    }
    return {
        "indptr": np.stack([matrix.indptr for matrix in T]).astype(np.int64),
        "indices": np.concatenate([matrix.indices for matrix in T]).astype(np.int64),
        "data": np.concatenate([matrix.data for matrix in T]),
        "costs": np.array(problem.costs),
        "sensing_cost": np.array(problem.sensing_cost, float),
        "discount": np.array(problem.discount),
        "start": np.array(problem.start),
        "terminal": np.array(problem.terminal),
        "names": json_bytes(names),
        "upper": w.upper,
        "potential": w.potential,
        "steps": w.steps,
        "tails": w.tails,
        "plan_actions": np.array([a for p in w.plans for a in p.actions], np.int64),
        "plan_ends": np.cumsum([0] + [len(p.actions) for p in w.plans]).astype(np.int64),
        "plan_senses": np.array([p.senses for p in w.plans]),
        "sweeps": np.zeros(1, np.int64),
    }


def find_sweeps(
    p: Excess, limit_seconds: float, horizon: float, to_the_end: bool = False
) -> tuple[int, ...]:
    """Sweeps at depths 1 … n with which climbing and search together take about the least time.

    Sweeps go on while they shorten the search enough, or until there were as many as an episode
    has steps; then the bound is deepened if that fits.
    to_the_end : where no sample of the search ends soon enough for an estimate, try all of it
    Raises :class:`Unfinished` if no depth brings both within the limit.
    """
    heuristic, sweeps, spent, before = Heuristic(p), [0], 0.0, math.inf
    here, batch, A, lacked = 0.0, BATCH, p.k.shape[1], math.inf
    while True:
        began = time.process_time()
        heuristic.climb(batch, math.inf)
        seconds = time.process_time() - began
        sweeps[-1], spent, here = sweeps[-1] + batch, spent + seconds, here + seconds
        levels = heuristic.levels()
        lacks = float(np.maximum(p.target - levels[0][:, 0], 0.0)[~p.terminal].sum())
        rising, lacked = lacks < RISING * lacked, lacks
        ahead = estimate(p, levels, max(TRIAL * spent, QUICK))
        fits = spent + ahead <= FULL * limit_seconds
        if fits and ahead <= max(spent, QUICK):
            return tuple(sweeps)
        patient = sweeps[-1] < horizon and here < PATIENT * limit_seconds
        in_time = spent + 2 * seconds <= FULL * limit_seconds / 2
        helpful = ahead < HELPFUL * before or sweeps[-1] < LEAST_SWEEPS
        if in_time and (patient or (rising and helpful)):
            before = ahead
            batch = 2 * batch if here < QUICK else batch
            continue
        deeper = len(sweeps) + 1
        small = deeper <= proof_file.DEEPEST and len(p.v) * A**deeper <= verify.LARGEST
        dearer = LEAST_SWEEPS * A * seconds / batch
        if small and spent + dearer <= FULL * limit_seconds / 2:
            heuristic.deepen()
            sweeps.append(0)
            here, batch, before, lacked = 0.0, BATCH, math.inf, math.inf
        elif fits:
            return tuple(sweeps)
        elif not in_time or not rising or sweeps[-1] > MOST_SWEEPS:
            if not to_the_end:
                raise Unfinished("the search is too long for the limit at every depth that fits")
            until = time.process_time() + LAST * limit_seconds - spent
            verify.search(p, levels, np.flatnonzero(p.L > 0), until)
            return tuple(sweeps)


def estimate(p: Excess, levels: list[np.ndarray], seconds: float) -> float:
    """Seconds that the search will take, from a sample; infinite if that does not end in time.

    Raises :class:`Refused` where a look already contradicts the claim.
    """
    roots = np.flatnonzero(~p.terminal & (p.L > 0) & (levels[0][:, 0] < p.target))
    sample = np.random.default_rng(0).permutation(roots)[:SAMPLE]
    began = time.process_time()
    try:
        verify.search(p, levels, sample, began + seconds)
    except Unfinished:
        return math.inf
    return (time.process_time() - began) * len(roots) / max(len(sample), 1)
