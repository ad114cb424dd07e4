"""Best-first search over the blind plans of one root, compiled.

A node is a string of blind actions σ from root j: cost so far z, belief b, depth m.  With the
delayed-information bound W of depth n as heuristic,

    f(σ) = z + α^m Σ_s B(j, σ₁…σ_{m−n})(s) W(s, σ_{m−n+1}…σ_m)

is below the cost of every plan that begins with σ (module ``delayed_information``).  Expanding a
node closes its plans that look next — worth ``z + α^m min_a b·Q(a)`` against root values L (below)
and V (above) — or repeat one action for good, and opens its children.  The least of all closed
looks against L and all open f is a proven lower bound on the optimal cost at j; the cheapest closed
plan against V improves the policy.  The search ends when that least is a closed look (nothing is
gained until L rises), when it comes within ``slack`` of the incumbent, or at the node limit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from solvers.bounds.delayed_information import DelayedInformation
from solvers.core.model import SensingMDP
from solvers.kernels.mixtures import Rows

AT_LIMIT, BY_LOOK, BY_VALUE = 0, 1, 2
"""Why a search ended."""


class Tables(NamedTuple):
    """What the kernel reads of a problem and its delayed-information bound.

    costs (S, A); repeat (S, A) : cost of repeating one action for good
    W, offset (n+2,) : the bound; all levels flat, level m = 1…n from ``offset[m]``
    """

    rows: Rows
    costs: np.ndarray
    repeat: np.ndarray
    W: np.ndarray
    offset: np.ndarray
    discount: float


class Found(NamedTuple):
    """What a search found from one root.

    lower : proven lower bound; why : AT_LIMIT, BY_LOOK or BY_VALUE
    look : (action, blind steps before it) of the plan that attains ``lower`` if BY_LOOK, with the
        belief it looks at in ``look_belief`` (S,)
    upper, actions, senses : the cheapest plan against V, if below the incumbent; ``cost`` is what
        it costs before its last action, at belief ``belief`` (S,)
    expanded : nodes expanded; entries : non-zero entries of all their beliefs
    """

    lower: float
    why: int
    look: tuple[int, int]
    look_belief: np.ndarray
    upper: float
    actions: np.ndarray
    senses: bool
    cost: float
    belief: np.ndarray
    expanded: int
    entries: int


def make_tables(problem: SensingMDP, information: DelayedInformation) -> Tables:
    """Pack a problem and its bound for the kernel; the bound stays the one that climbs."""
    return Tables(
        rows=information.rows,
        costs=np.array(problem.costs, order="C"),  # a copy: read-only is another type to compile
        repeat=np.ascontiguousarray(problem.constant_action_values),
        W=information.levels.W,
        offset=information.levels.offset,
        discount=problem.discount,
    )


@njit(cache=True, inline="always")
def _before(x, y, f, depth):
    """Whether node x is served before y: the lesser bound, then the deeper one."""
    return f[x] < f[y] or (f[x] == f[y] and depth[x] > depth[y])


@njit(cache=True)
def _push(heap, size, node, f, depth):
    at = size
    while at > 0 and _before(node, heap[(at - 1) // 2], f, depth):
        heap[at] = heap[(at - 1) // 2]
        at = (at - 1) // 2
    heap[at] = node


@njit(cache=True)
def _pop(heap, size, f, depth):
    top, node, at = heap[0], heap[size - 1], 0
    while 2 * at + 1 < size - 1:
        down = 2 * at + 1
        if down + 1 < size - 1 and _before(heap[down + 1], heap[down], f, depth):
            down += 1
        if not _before(heap[down], node, f, depth):
            break
        heap[at] = heap[down]
        at = down
    heap[at] = node
    return top


@njit(cache=True, fastmath={"reassoc", "contract"})
def _children_bounds(h, t, states, weights, suffix, known):
    """W of every child: ``suffix`` are the last ``known`` actions, the belief is before them."""
    A = t.costs.shape[1]
    h[:] = 0.0
    if known == 0:
        for i in range(len(states)):
            for a in range(A):
                h[a] += weights[i] * t.W[t.rows.row_of[states[i], a]]
        return
    width, column = 1, 0
    for i in range(1, known):
        column = column * A + suffix[i]
        width *= A
    for i in range(len(states)):
        row = t.rows.row_of[states[i], suffix[0]]
        base = t.offset[known + 1] + (row * width + column) * A
        for a in range(A):
            h[a] += weights[i] * t.W[base + a]


@njit(cache=True)
def _step(dense, touched, t, a, states, weights):
    """One blind step of a sparse belief into ``dense`` (S,), zero before; returns the support."""
    count = 0
    for i in range(len(states)):
        r = t.rows.row_of[states[i], a]
        for e in range(t.rows.indptr[r], t.rows.indptr[r + 1]):
            s = t.rows.indices[e]
            if dense[s] == 0.0:
                touched[count] = s
                count += 1
            dense[s] += weights[i] * t.rows.data[e]
    return count


def pack_scores(t: Tables, QL: np.ndarray, QV: np.ndarray) -> np.ndarray:
    """C, QL, QV (S, A) and the costs of repeating, side by side (S, 4A): read in one pass."""
    return np.ascontiguousarray(np.concatenate([t.costs, QL, QV, t.repeat], axis=1))


@njit(cache=True, fastmath={"reassoc", "contract"})
def _score(total, scores, states, weights):
    """``total`` = Σ weight · scores[state]."""
    total[:] = 0.0
    for i in range(len(states)):
        row, x = scores[states[i]], weights[i]
        for c in range(len(total)):
            total[c] += x * row[c]


@njit(cache=True, nogil=True)
def search_root(root, t, scores, incumbent, slack, max_expanded, max_depth, states, weights):
    """Search from one root; see :class:`Found` for what is returned.

    scores : (S, 4A) from :func:`pack_scores`; QL and QV are the costs of acting and looking,
        against root values below and above
    incumbent : the root's value in V; slack : how close to it counts as closed
    states, weights : scratch pool that holds the beliefs of all expanded nodes
    """
    S, A = t.costs.shape
    n = len(t.offset) - 2
    cap = max_expanded * A + 1
    parent, action = np.empty(cap, np.int32), np.empty(cap, np.int16)
    depth, slot = np.empty(cap, np.int32), np.empty(cap, np.int32)
    z, f, heap = np.empty(cap), np.empty(cap), np.empty(cap, np.int32)
    begin = np.empty(max_expanded + 1, np.int64)
    dense, touched = np.zeros(S), np.empty(S, np.int32)
    total, h, suffix = np.empty(4 * A), np.empty(A), np.empty(n, np.int64)
    cost, look_low = total[:A], total[A : 2 * A]
    look_high, forever = total[2 * A : 3 * A], total[3 * A :]
    parent[0], action[0], depth[0], z[0], f[0], heap[0] = -1, -1, 0, 0.0, -np.inf, 0
    size, nodes, expanded, begin[0] = 1, 1, 0, 0
    low, low_node, low_action = np.inf, -1, -1
    best, best_node, best_action, best_senses = incumbent, -1, -1, False
    dropped = np.inf  # least bound among nodes that were not opened
    why = AT_LIMIT
    while True:
        top = f[heap[0]] if size else np.inf
        if top >= min(low, best - slack):
            why = BY_LOOK if low < best - slack else BY_VALUE
            break
        if expanded >= max_expanded or begin[expanded] + S > len(states):
            break
        node = _pop(heap, size, f, depth)
        size -= 1
        m, first = depth[node], begin[expanded]
        if node == 0:
            states[0], weights[0], count = root, 1.0, 1
        else:
            of = slot[parent[node]]
            part = slice(begin[of], begin[of + 1])
            count = _step(dense, touched, t, action[node], states[part], weights[part])
            for i in range(count):
                s = touched[i]
                states[first + i], weights[first + i] = s, dense[s]
                dense[s] = 0.0
        slot[node] = expanded
        expanded += 1
        begin[expanded] = first + count
        part = slice(first, first + count)
        _score(total, scores, states[part], weights[part])
        gone = t.discount**m
        for a in range(A):
            if z[node] + gone * look_low[a] < low:
                low, low_node, low_action = z[node] + gone * look_low[a], node, a
            if z[node] + gone * min(look_high[a], forever[a]) < best:
                best = z[node] + gone * min(look_high[a], forever[a])
                best_node, best_action, best_senses = node, a, look_high[a] <= forever[a]
        known, at = min(n - 1, m), node
        for i in range(known):
            suffix[known - 1 - i] = action[at]
            at = parent[at]
        part = slice(begin[slot[at]], begin[slot[at] + 1])
        _children_bounds(h, t, states[part], weights[part], suffix, known)
        for a in range(A):
            bound = max(f[node], z[node] + gone * (cost[a] + t.discount * h[a]))
            if bound >= best - slack or m + 1 >= max_depth:
                dropped = min(dropped, bound)
                continue
            parent[nodes], action[nodes], depth[nodes] = node, a, m + 1
            z[nodes], f[nodes] = z[node] + gone * cost[a], bound
            _push(heap, size, nodes, f, depth)
            size += 1
            nodes += 1
    lower = min(top, low, dropped)
    look_belief, belief = np.zeros(S), np.zeros(S)
    look = (low_action, 0)
    if low_node >= 0:
        look = (low_action, depth[low_node])
        for i in range(begin[slot[low_node]], begin[slot[low_node] + 1]):
            look_belief[states[i]] = weights[i]
    actions = np.empty(depth[best_node] + 1 if best_node >= 0 else 0, np.int64)
    spent = 0.0
    if best_node >= 0:
        spent, at = z[best_node], best_node
        for i in range(begin[slot[best_node]], begin[slot[best_node] + 1]):
            belief[states[i]] = weights[i]
        actions[-1] = best_action
        for i in range(len(actions) - 2, -1, -1):
            actions[i] = action[at]
            at = parent[at]
    found = lower, why, look, look_belief, best, actions, best_senses, spent, belief
    return (*found, expanded, begin[expanded])
