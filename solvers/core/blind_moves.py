"""One blind step of many walks: where it leads, what it blurs, and what can come after it."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from solvers.core.ending import endless_sum
from solvers.core.model import SensingMDP
from solvers.core.plan import Follows
from solvers.kernels.returns import UNIT, Rows

ABSORBED = 1e-10
"""Live probability below which a policy is asked whether it will ever look again."""
GLANCE = 16
"""Entries of two beliefs that are compared before all are."""


def counted_states(problem: SensingMDP) -> np.ndarray:
    """Where a step counts as one (S,): everywhere, or only while the episode lasts."""
    if problem.end_is_seen or problem.discount == 1:
        return (~problem.terminal).astype(float)
    return np.ones(problem.num_states)


def step_rounding(problem: SensingMDP) -> float:
    """By how much one blind step blurs an entry of a belief, as a share of it.

    Only entries that are multiplied with a cost count: those of terminal states if a look is priced
    there by the state.
    """
    priced = ~problem.terminal
    if problem.look_costs.uniform is None and problem.has_linear_sensing_cost:
        priced = priced | (problem.sensing_costs() > 0).any(axis=1)
    entries = [
        np.bincount(T.indices, minlength=problem.num_states)[priced] for T in problem.transitions
    ]
    return (max(int(n.max(initial=0)) for n in entries) + 3) * UNIT


def moved(problem: SensingMDP, beliefs: Rows, actions: np.ndarray) -> Rows:
    """One blind step of each belief (n, S) under its own action (n,)."""
    if isinstance(beliefs, np.ndarray):
        return problem.step(beliefs, actions)
    used = np.unique(actions)
    rows = [np.flatnonzero(actions == a) for a in used]
    if len(used) <= 1:
        return sparse.csr_array(beliefs @ problem.transitions[used[0]]) if len(used) else beliefs
    parts = [beliefs[r] @ problem.transitions[a] for a, r in zip(used, rows, strict=True)]
    return sparse.vstack(parts, format="csr")[np.argsort(np.concatenate(rows))]


def same_rows(beliefs: Rows, seen: Rows, blur: np.ndarray) -> np.ndarray:
    """Which beliefs (n, S) are what they were, each entry up to a share ``blur`` (n,): (n,) bool;
    sparse ones are not compared."""
    same = np.zeros(beliefs.shape[0], bool)
    if isinstance(beliefs, np.ndarray):
        few = slice(None, None, max(1, beliefs.shape[1] // GLANCE))  # most differ at a glance
        near = np.abs(beliefs[:, few] - seen[:, few]) <= blur[:, None] * seen[:, few]
        rows = np.flatnonzero(near.all(axis=1))
        near = np.abs(beliefs[rows] - seen[rows]) <= blur[rows, None] * seen[rows]
        same[rows] = near.all(axis=1)
    return same


def most_cost(problem: SensingMDP) -> float:
    """More than an episode can cost or earn; after an unseen end one look at most is still paid."""
    step = float(np.abs(problem.costs).max()) + problem.max_sensing_cost
    alpha = problem.discount
    return step * (endless_sum(problem) if alpha < 1 else problem.longest_stay + 1)


def rest_after(problem: SensingMDP, policy: Follows, beliefs: Rows, most: float) -> np.ndarray:
    """The most that can come from here on: (n,).

    A look that finds the end is paid, however small the chance is that it was still to come; so
    one is counted in full unless the policy is sure to stay blind.
    """
    most = min(most, 1e300)  # infinity would spoil the errors of other roots, too
    live = beliefs @ (~problem.terminal).astype(float)
    rest = np.where(live > ABSORBED, most, np.where(live > 0, live, 0.0) * most)
    nearly_over = np.flatnonzero(live <= ABSORBED)
    if len(nearly_over) and not problem.end_is_seen:
        may_look = ~policy.stays_blind(beliefs[nearly_over])
        rest[nearly_over[may_look]] += problem.max_sensing_cost
    return rest
