"""Following a deterministic policy from many roots until it looks, with every error counted.

After m blind steps root j holds the belief b and has paid g; then

    it looks                               g + α^m (b C(a) + k(b, a)), landing on  α^(m+1) b T(a)
    it repeats a blind for good            g + α^m b R(a),   R(a) = C(a) + α T(a) R(a)
    its belief is what it was p steps ago  those p steps go on for ever: their cost / (1 - α^p)

so a plan that never looks is summed in closed form, never cut.  When a policy that reads beliefs
repeats for good is the subject of :mod:`solvers.core.repeats`.  Where none of these comes, the walk
ends when all that live states can still cost is below ``NEGLIGIBLE`` of what the root has paid;
that rest is part of the error.

Beliefs are sums of products of non-negative numbers, so their rounding is relative to each entry:
after m steps at most ``m (n + 1)`` units, n the most entries in a column of T.  (The price of a
look that is a function of the belief is taken as the function gives it.)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from solvers.core.model import SensingMDP
from solvers.core.plan import Follows, Plan, PolicyError, checked_choice
from solvers.core.repeats import Repeats
from solvers.kernels.returns import Rows, picked_dots

NEGLIGIBLE = 1e-15
"""What a walk may leave out, as a share of what its root has paid so far (the least cost that
counts, if that is more)."""
ABSORBED = 1e-10
"""Live probability below which a policy that is blind is taken to stay blind."""
DUST = 1e-40
"""Probabilities below this are let go, so that a belief can come to rest; the error knows."""
BLOCK_ENTRIES = 2**22
"""Largest belief block (roots × states) held at once: 32 MiB."""
SPARSE_STATES, SPARSE_BLOCK = 4096, 2048
"""From so many states on, beliefs are sparse rows where T is sparse, of so many roots at once."""
MOST_WRITTEN = 100_000
"""Actions of a plan that are written out at most."""


@dataclass
class Step:
    """One step of all walks (n,) that still go on.

    looks : it looks now; repeats : it stays blind and repeats this action for good
    period : steps after which this belief came back, 0 if it did not
    left : (n,), what is left out at this step, in absolute terms
    costs : b C(a) (n,), the same in absolute terms (n,), and the error as a share of the latter
    """

    depth: int
    roots: np.ndarray
    beliefs: Rows
    actions: np.ndarray
    looks: np.ndarray
    repeats: np.ndarray
    period: np.ndarray
    left: np.ndarray
    costs: tuple[np.ndarray, np.ndarray, float]

    @property
    def ends(self) -> np.ndarray:
        return self.looks | self.repeats | (self.period > 0)


def unroll_plans(
    problem: SensingMDP, policy: Follows, roots: np.ndarray, limit: int = MOST_WRITTEN
) -> list[Plan]:
    """The plans that a deterministic policy follows from many roots (n,), side by side.

    limit : a plan that has not ended by then is cut after this many actions
    """
    actions: dict[int, list[int]] = {int(root): [] for root in roots}
    senses = dict.fromkeys(actions, False)
    live = np.array([root for root in actions if not problem.terminal[root]], int)
    for step in walks(problem, policy, live):
        if step.depth >= limit:
            continue
        for i, root in enumerate(step.roots.tolist()):
            if step.period[i]:  # written out for as long as it counts
                cycle = actions[root][-int(step.period[i]) :]
                while len(actions[root]) < limit and problem.discount ** len(actions[root]) > 1e-16:
                    actions[root].extend(cycle)
            else:
                actions[root].append(int(step.actions[i]))
                senses[root] |= bool(step.looks[i])
    return [Plan(tuple(actions[int(r)][:limit]), senses[int(r)]).shortest() for r in roots]


def walks(problem: SensingMDP, policy: Follows, roots: np.ndarray) -> Iterator[Step]:
    """Every step of the walks from these live roots (n,), block by block, until all have ended."""
    if getattr(policy, "randomised", False):
        raise PolicyError(
            f"{type(policy).__name__} is randomised: it has no exact value; use solvers.simulate"
        )
    repeats = Repeats(problem, policy)
    is_sparse = problem.dense_transitions is None and problem.num_states >= SPARSE_STATES
    size = max(1, BLOCK_ENTRIES // problem.num_states)
    if is_sparse and policy.reads_sparse:  # else the beliefs are written out for the policy
        size = SPARSE_BLOCK
    for first in range(0, len(roots), size):
        block = roots[first : first + size]
        beliefs: Rows = np.zeros((0, 0))
        if is_sparse:
            ones, ends = np.ones(len(block)), np.arange(len(block) + 1)
            beliefs = sparse.csr_array((ones, block, ends), (len(block), problem.num_states))
        else:
            beliefs = np.zeros((len(block), problem.num_states))
            beliefs[np.arange(len(block)), block] = 1.0
        yield from _walk(problem, policy, repeats, block, beliefs)


def _walk(
    problem: SensingMDP, policy: Follows, repeats: Repeats, roots: np.ndarray, beliefs: Rows
) -> Iterator[Step]:
    depth, paid, most = 0, np.zeros(len(roots)), _most(problem)
    seen, seen_at = beliefs, 0
    dust = DUST * problem.num_states if policy.reads_beliefs and np.isfinite(most) else 0.0
    while len(roots):
        needs_dense = not isinstance(beliefs, np.ndarray) and not policy.reads_sparse
        answer = policy.step(roots, depth, beliefs.toarray() if needs_dense else beliefs)
        actions, looks = checked_choice(answer, problem.num_actions, problem.name, roots, depth)
        costs = picked_dots(beliefs, actions, problem.costs)
        again, blind = np.zeros(len(roots), bool), np.flatnonzero(~looks)
        if len(blind):
            again[blind] = repeats.proven(roots[blind], depth, beliefs[blind], actions[blind])
        period, left = np.zeros(len(roots), int), np.zeros(len(roots))
        if policy.reads_beliefs and depth:
            period[~looks & ~again & _same(beliefs, seen)] = depth - seen_at
            paid += problem.discount**depth * costs[1]
            rest = problem.discount**depth * _rest(problem, beliefs, most)
            enough = NEGLIGIBLE * np.maximum(paid, problem.cost_floor)
            small = ~looks & ~again & (period == 0) & (rest <= enough)
            again |= small
            left = np.where(small, rest, 0.0) + problem.discount**depth * dust * most
        step = Step(depth, roots, beliefs, actions, looks, again, period, left, costs)
        yield step
        on = np.flatnonzero(~step.ends)
        roots, paid, beliefs, seen = roots[on], paid[on], beliefs[on], seen[on]
        if depth & (depth - 1) == 0:
            seen, seen_at = beliefs, depth
        beliefs = moved(problem, beliefs, actions[on])
        depth += 1
        if dust and isinstance(beliefs, np.ndarray):
            beliefs[beliefs < DUST] = 0.0


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


def _same(beliefs: Rows, seen: Rows) -> np.ndarray:
    """Which beliefs are exactly what they were: (n,) bool; sparse ones are not compared."""
    if isinstance(beliefs, np.ndarray):
        return (beliefs == seen).all(axis=1)
    return np.zeros(beliefs.shape[0], bool)


def _most(problem: SensingMDP) -> float:
    """More than an episode can cost or earn; after an unseen end one look at most is still paid."""
    step = float(np.abs(problem.costs).max()) + problem.max_sensing_cost
    alpha = problem.discount
    return step / (1 - alpha) if alpha < 1 else step * (problem.longest_stay + 1)


def _rest(problem: SensingMDP, beliefs: Rows, most: float) -> np.ndarray:
    """The most that can come from here on: (n,); no look comes where all is over."""
    live = beliefs @ (~problem.terminal).astype(float)
    return np.where(live > ABSORBED, most, np.where(live > 0, live, 0.0) * min(most, 1e300))
