"""Best-first search over the blind plans of one root, on beliefs rather than strings, compiled.

A node is a string of blind actions σ from root j: cost so far z, belief b, depth m.  Its *value* is
``z + α^m G(b)``, with G(b) the optimal cost-to-go of a blind agent at b.  With the
delayed-information bound W of depth n as heuristic,

    f(σ) = z + α^m Σ_s B(j, σ₁…σ_{m−n})(s) W(s, σ_{m−n+1}…σ_m)

is at most that value (module ``delayed_information``).  Expanding a node closes its plans that look
next, worth ``z + α^m min_a b·Q(a)`` against root values L (below) and V (above), or that repeat one
action for good, and opens its children.

A node d whose belief was met before, at the expanded node x, is dropped if one of these holds:

    level   m_x ≥ m_d and z_x + α^{m_x} v ≤ z_d + α^{m_d} v for every v in [lo, hi]
    detour  m_x < m_d and the same with a strict inequality
    loop    x lies on the way to d; then the plan that goes round for ever is closed at its cost,
            z_x + (z_d − z_x) / (1 − α^(m_d − m_x))

where [lo, hi] holds G of that belief: lo by the heuristic at x and at d, hi by plans closed at x.

Claim: the least of all closed looks against L, all closed loops and all open f is a lower bound on
the optimal cost V*(j).

Proof.  Suppose it is above V*(j).  Walk from the root of the tree, whose value is V*(j), keeping
that value: from an expanded node go to a child of the same value; there is one, because all its
looks cost more.  The child is not open, since f is at most its value.  If it was dropped go on from
x, whose value is at most the child's and, being that of some plans from j, at least V*(j).  It was
not dropped as a detour, for then x's value would be below V*(j); nor as a loop, for equal values of
x and d make that value the closed loop's cost.  So every step keeps or raises the depth and every
step to a child raises it: the walk visits ever new nodes of a finite tree, which is absurd.  ∎

In floating point each step of that walk may slip by ``slip`` (below); the bound is lowered by the
slips of the longest walk, and a detour must be shorter by twice the slips of the longest walk there
can be.  The search ends when the least is a closed plan (nothing is gained until L rises), when it
comes within ``slack`` of the incumbent, or at the node limit.
"""

from __future__ import annotations

from queue import Empty, SimpleQueue
from typing import NamedTuple

import numpy as np

from solvers.bounds.alarm import Flag
from solvers.bounds.delayed_information import DelayedInformation
from solvers.core.budget import Budget
from solvers.core.ending import row_excess
from solvers.core.landings import Row
from solvers.core.model import SensingMDP
from solvers.core.underflow import FAINT_AFTER, underflow
from solvers.core.workers import workers
from solvers.kernels.mixtures import Rows
from solvers.kernels.plan_bounds import Tables
from solvers.kernels.plan_kernel import search_root

POOL = 2**23
"""Belief entries that a search may hold: 96 MiB."""
SCATTERED, NODE_WORK, SEARCH_WORK = 2, 800, 100_000
"""What a product on a belief's entries, a node and a search cost besides, counted in the
multiplications of a sweep, which run in one long row."""


class Found(NamedTuple):
    """What a search found from one root.

    lower : proven lower bound, rounding taken off; why : AT_LIMIT, BY_LOOK or BY_VALUE
    look : (action, blind steps before it) of the plan that attains ``lower`` if BY_LOOK, with the
        belief it looks at in ``look_belief``; action −1 for a plan that never looks
    upper, actions, senses : the cheapest plan against V, if below the incumbent; ``cost`` is what
        it costs before its last action, at belief ``belief``
    expanded : nodes expanded; dropped : nodes dropped; entries : of all beliefs that were formed

    A belief is sparse: its states and their weights.
    """

    lower: float
    why: int
    look: tuple[int, int]
    look_belief: Row
    upper: float
    actions: np.ndarray
    senses: bool
    cost: float
    belief: Row
    expanded: int
    dropped: int
    entries: int


class Fixed(NamedTuple):
    """What all searches of a problem read; see :class:`Tables`."""

    rows: Rows
    costs: np.ndarray
    repeat: np.ndarray
    look_price: np.ndarray
    discount: float
    floor: float
    fan: int
    excess: float
    underflow: tuple[float, float, float, float]


class Bound(NamedTuple):
    """The delayed-information bound as it stands; see :class:`Tables`."""

    W: np.ndarray
    ahead: np.ndarray
    offset: np.ndarray
    number: np.ndarray
    common_ahead: np.ndarray
    common_offset: np.ndarray


class Searcher:
    """Runs the searches of several roots, side by side where there are workers for it.

    expanded, dropped, work : nodes so far, and multiplications so far, the same on every machine
    """

    def __init__(
        self,
        problem: SensingMDP,
        information: DelayedInformation,
        threads: int,
        for_good: np.ndarray,
    ) -> None:
        """for_good : (S, A), the cost of repeating each action blind for good."""
        costs, repeat = (np.ascontiguousarray(x.T) for x in (problem.costs, for_good))
        rows = information.rows
        self.fixed = Fixed(
            rows=rows,
            costs=costs,
            repeat=repeat,
            look_price=information.constants.price,
            discount=problem.discount,
            floor=problem.cost_floor,
            fan=max(
                max(int(np.bincount(T.indices).max()), int(np.diff(T.indptr).max()))
                for T in problem.transitions
            ),
            excess=row_excess(problem.transitions),
            underflow=(*underflow(problem), FAINT_AFTER),
        )
        self.take(information)
        per_row = len(rows.data) / (len(rows.indptr) - 1)
        self._work_per_entry = SCATTERED * (5 * problem.num_actions + per_row)
        self.expanded, self.dropped, self.work = 0, 0, 0.0
        self._crew = workers(threads)

    def take(self, information: DelayedInformation) -> None:
        """Read this bound as it stands now."""
        self.stop = information.stop
        levels, common = information.levels, information.common
        number = np.full(len(self.fixed.costs), -1)
        ahead, offset = np.empty(0), np.zeros(2, np.int64)
        if common is not None:
            number[common.actions] = np.arange(len(common.actions))
            ahead, offset = common.levels.looks, common.levels.offset
        self.bound = Bound(levels.W, levels.looks, levels.offset, number, ahead, offset)

    def search(
        self,
        roots: list[int],
        QL: np.ndarray,
        QV: np.ndarray,
        V: np.ndarray,
        size: np.ndarray,
        slack: np.ndarray,
        limit: int,
        budget: Budget,
    ) -> list[Found]:
        """Search each root against the costs of acting and looking below and above, QL and QV
        (S, A), until within slack of its value V; the answer does not depend on who searches."""
        # side by side (S, A + 1), so that they are read in one pass
        below = np.concatenate([QL, self.fixed.repeat.min(axis=0)[:, None]], axis=1)
        against = below, np.ascontiguousarray(QV.T)
        shared = self.fixed, self.bound, against, Flag(self.stop, budget)
        items = [(j, float(V[j]), float(size[j]), float(slack[j]), limit) for j in roots]
        found: list[Found] = self._crew.map(search_one, shared, items)
        for each in found:
            self.expanded += each.expanded
            self.dropped += each.dropped
            self.work += self.work_of(each)
        return found

    def work_of(self, found: Found) -> float:
        """About how many multiplications a search took."""
        nodes = found.expanded + found.dropped
        return found.entries * self._work_per_entry + nodes * NODE_WORK + SEARCH_WORK


_pools: SimpleQueue[tuple[np.ndarray, np.ndarray]] = SimpleQueue()
"""Room for the beliefs of a search, from one search to the next."""


def search_one(
    fixed: Fixed,
    bound: Bound,
    against: tuple[np.ndarray, np.ndarray],
    flag: Flag,
    item: tuple[int, float, float, float, int],
) -> Found:
    """One search: of root j with value V, size and slack, to so many nodes."""
    try:
        pool = _pools.get_nowait()
    except Empty:
        pool = np.empty(POOL, np.int32), np.empty(POOL)
    tables = Tables(**fixed._asdict(), **bound._asdict())
    found = search_root(item[0], tables, *against, *item[1:], *pool, flag.stop)
    _pools.put(pool)
    return Found(*found)
