"""The compiled loop of plan search; what it proves, and why, stands in ``bounds.plan_search``."""

from __future__ import annotations

import numpy as np
from numba import njit

from solvers.kernels.belief_store import (
    FIRST_SLOTS,
    SAME,
    doubled,
    hash_belief,
    place_of,
    same_belief,
    step_belief,
)
from solvers.kernels.heap import pop, push
from solvers.kernels.plan_bounds import at_belief, blind_bounds, raise_common, score

AT_LIMIT, BY_LOOK, BY_VALUE = 0, 1, 2
"""Why a search ended: at its node limit, by a look against L, or within slack of the incumbent."""
MAX_DEPTH = 2000
"""Longest blind string that is searched."""
LONGEST_LOOP = 4000
"""Most actions written out of a plan that goes round for ever."""
EPS = float(np.finfo(float).eps)
LEAST = 1e-280
"""What smaller numbers are divided by is not known to a share of it."""


@njit(cache=True, nogil=True)
def slips(steps, jumps, t):
    """What rounding can add up to on a walk with so many blind steps and jumps from a dropped node
    to the one it was dropped for, as a share of the root's size.

    A weight of a belief is off by ``fan + 1`` roundings a blind step, and all together by what
    rows add up to beyond 1; a cost by that and its own sums; two nodes of one belief differ by the
    errors of both and by SAME.
    """
    weights = steps * ((t.fan + 1) * EPS + t.excess)
    longest = max(len(t.offset), len(t.common_offset))
    return (
        weights
        + (t.costs.shape[1] + 2 * t.fan * longest + steps + 16) * EPS
        + jumps * (2 * weights + SAME)
    )


@njit(cache=True, nogil=True)
def _underflown(steps, t):
    """What underflow can take from a walk of so many steps."""
    faint, fades, lost, after = t.underflow
    return steps * lost if faint + fades * steps > after else 0.0


@njit(cache=True, nogil=True)
def _no_better(zx, mx, zd, md, lo, hi, alpha, strictly):
    """Whether going on from d costs at least as much as from x (level), or more (detour)."""
    gx, gd = alpha**mx, alpha**md
    if mx == md:
        return zx <= zd
    if mx > md:
        return zx + gx * lo <= zd + gd * lo and zx + gx * hi <= zd + gd * hi
    # "less than", not "at most": where all costs are 0 so is the margin
    return zx + gx * lo + strictly < zd + gd * lo and zx + gx * hi + strictly < zd + gd * hi


@njit(cache=True, nogil=True)
def _on_the_way(parent, depth, x, d):
    """Whether node x lies on the way from the root to d."""
    while depth[d] > depth[x]:
        d = parent[d]
    return d == x


@njit(cache=True, nogil=True)
def _rounds_of(alpha, period, before):
    """How often a loop is written out: until nothing is left of what follows, or LONGEST_LOOP."""
    most = max((LONGEST_LOOP - before) // period, 1)
    return min(most, int(np.log(EPS) / (period * np.log(alpha))) + 1) if alpha < 1 else 1


@njit(cache=True, nogil=True)
def _write_path(out, parent, action, node):
    """The last actions on the way to a node, as many as ``out`` holds."""
    for i in range(len(out) - 1, -1, -1):
        out[i] = action[node]
        node = parent[node]


@njit(cache=True, nogil=True)
def search_root(root, t, scores, QV, incumbent, size, slack, max_expanded, states, weights, stop):
    """Search from one root; see :class:`Found` for what is returned.

    scores : (S, A + 1) side by side, the costs of acting and looking against root values below, and
        the least cost of repeating one action for good
    QV : (A, S) the costs of acting and looking against root values above
    incumbent : the root's value in V; slack : how close to it counts as closed
    size : at least the sum of all absolute costs on an optimal plan, discounted
    states, weights : scratch pool that holds the beliefs of all expanded nodes
    stop : (1,) the search ends as at its node limit once this is not 0
    """
    A, S = t.costs.shape
    n, alpha = len(t.offset) - 2, t.discount
    cap = max_expanded * A + 1
    parent, action = np.empty(cap, np.int32), np.empty(cap, np.int16)
    depth, slot = np.empty(cap, np.int32), np.empty(cap, np.int32)
    z, f, heap = np.empty(cap), np.empty(cap), np.empty(cap, np.int32)
    begin = np.empty(max_expanded + 1, np.int64)
    # of each expanded node: its number, its belief's key, the cheapest plan closed at it
    node_at, keys = np.empty(max_expanded, np.int32), np.empty(max_expanded, np.uint64)
    end_cost, end_action = np.empty(max_expanded), np.empty(max_expanded, np.int32)
    slots = np.full(FIRST_SLOTS, -1, np.int32)
    dense, touched = np.zeros(S), np.empty(S, np.int32)
    look_low, blind, scratch = np.empty(A + 1), np.empty(A), np.empty(A)
    suffix, common = np.empty(n + len(t.common_offset), np.int64), t.number.max() + 1
    parent[0], action[0], depth[0], z[0], f[0], heap[0] = -1, -1, 0, 0.0, -np.inf, 0
    open_nodes, nodes, expanded, dropped, entries, begin[0] = 1, 1, 0, 0, 0, 0
    low, low_node, low_action = np.inf, -1, -1
    best, best_node, best_action, best_loop, rounds = incumbent, -1, -1, -1, 0
    cut = np.inf  # least bound among nodes that were not opened
    deepest, why = 0, AT_LIMIT
    strictly = 2 * size * slips(MAX_DEPTH, MAX_DEPTH, t) + t.floor
    while True:
        top = f[heap[0]] if open_nodes else np.inf
        if top >= min(low, best - slack):
            why = BY_LOOK if low < best - slack else BY_VALUE
            break
        if expanded + dropped >= max_expanded or begin[expanded] + S > len(states) or stop[0]:
            break
        node = pop(heap, open_nodes, f, depth)
        open_nodes -= 1
        m, first = depth[node], begin[expanded]
        deepest = max(deepest, m)
        if node == 0:
            states[0], weights[0], count = root, 1.0, 1
        else:
            of = slot[parent[node]]
            part = slice(begin[of], begin[of + 1])
            cost = at_belief(t.costs[action[node]], states[part], weights[part])
            z[node] = z[parent[node]] + alpha ** (m - 1) * cost
            count = step_belief(dense, touched, t.rows, action[node], states[part], weights[part])
            for i in range(count):
                s = touched[i]
                states[first + i], weights[first + i] = s, dense[s]
                dense[s] = 0.0
        entries += count
        part = slice(first, first + count)
        # met before?
        keys[expanded] = hash_belief(states[part], weights[part])
        place = place_of(slots, keys, keys[expanded])
        if slots[place] >= 0:
            at = slots[place]
            x, other = node_at[at], slice(begin[at], begin[at + 1])
            if same_belief(dense, states[part], weights[part], states[other], weights[other]):
                gx, gd = alpha ** depth[x], alpha**m
                lo = -np.inf
                if gx * gd > LEAST:
                    lo = max((f[x] - z[x]) / gx, (f[node] - z[node]) / gd)
                if _no_better(z[x], depth[x], z[node], m, lo, end_cost[at], alpha, strictly):
                    dropped += 1
                    continue
                if depth[x] < m and _on_the_way(parent, depth, x, node):
                    period = m - depth[x]
                    left = 1.0 - alpha**period
                    around = (z[node] - z[x]) / left if left > 0 else 0.0
                    slip = size * slips(m, m, t) * (1 + 1 / left if left > 0 else 1.0)
                    if z[x] + around - slip < low:
                        low, low_node, low_action = z[x] + around - slip, -1, -1
                    times = _rounds_of(alpha, period, depth[x])
                    kept = alpha ** (period * times)
                    plan = z[x] + around * (1 - kept) + kept * gx * end_cost[at]
                    if plan < best:
                        best, best_node, best_action = plan, x, end_action[at]
                        best_loop, rounds = node, times
                    dropped += 1
                    continue
        slots[place], slot[node], node_at[expanded] = expanded, expanded, node
        # close its looks and its repetitions; those that cannot beat the incumbent are not formed
        of_states, of_weights = states[part], weights[part]
        score(look_low, scores, of_states, of_weights)
        gone = alpha**m
        least = np.argmin(look_low[:A])
        if z[node] + gone * look_low[least] < low:
            low, low_node, low_action = z[node] + gone * look_low[least], node, least
        end_cost[expanded], end_action[expanded] = (
            at_belief(QV[least], of_states, of_weights),
            least,
        )
        for a in range(A):
            if z[node] + gone * look_low[a] < best:
                cost = at_belief(QV[a], of_states, of_weights)
                if cost < end_cost[expanded]:
                    end_cost[expanded], end_action[expanded] = cost, a
        if z[node] + gone * look_low[A] < best:
            for a in range(A):
                cost = at_belief(t.repeat[a], of_states, of_weights)
                if cost < end_cost[expanded]:
                    end_cost[expanded], end_action[expanded] = cost, A + a
        if z[node] + gone * end_cost[expanded] < best:
            best, best_node = z[node] + gone * end_cost[expanded], node
            best_action, best_loop = end_action[expanded], -1
        expanded += 1
        begin[expanded] = first + count
        if 2 * expanded > len(slots):
            slots = doubled(slots, keys)
        # open its children
        known, at = min(n - 1, m), node
        for i in range(known):
            suffix[known - 1 - i] = action[at]
            at = parent[at]
        part = slice(begin[slot[at]], begin[slot[at] + 1])
        blind_bounds(blind, t, states[part], weights[part], suffix, known)
        longest, far, at, on = min(len(t.common_offset) - 3, m), 0, node, True
        while far < longest and on:
            on = t.number[action[at]] >= 0
            suffix[longest - 1 - far] = action[at]
            far, at = far + 1, parent[at]
        if far > known:
            part = slice(begin[slot[at]], begin[slot[at] + 1])
            last = suffix[longest - far : longest]
            raise_common(blind, t, common, states[part], weights[part], last, scratch)
        dearer = 1 + 2 * slips(m, 0, t)  # what a look's price may have become in look_low
        for a in range(A):
            told = look_low[a] - dearer * t.look_price[a]
            bound = z[node] + gone * max(blind[a], told)
            bound = max(f[node], bound)
            if bound >= best - slack or m + 1 >= MAX_DEPTH:
                cut = min(cut, bound)
                continue
            parent[nodes], action[nodes], depth[nodes] = node, a, m + 1
            f[nodes] = bound
            push(heap, open_nodes, nodes, f, depth)
            open_nodes += 1
            nodes += 1
    lower = min(top, low, cut) - size * slips(deepest + 1, deepest if dropped else 0, t)
    lower -= _underflown(deepest + 2, t)
    look, part = (low_action, 0), slice(0, 0)
    if low_node >= 0:
        look = (low_action, depth[low_node])
        part = slice(begin[slot[low_node]], begin[slot[low_node] + 1])
    look_belief = states[part].copy(), weights[part].copy()
    actions, spent, senses, part = np.empty(0, np.int64), 0.0, False, slice(0, 0)
    if best_node >= 0:
        period = depth[best_loop] - depth[best_node] if best_loop >= 0 else 0
        prefix = depth[best_node]
        actions = np.empty(prefix + rounds * period + 1, np.int64)
        _write_path(actions[:prefix], parent, action, best_node)
        spent = z[best_node]
        if best_loop >= 0:
            _write_path(actions[prefix : prefix + period], parent, action, best_loop)
            for i in range(prefix + period, len(actions) - 1):
                actions[i] = actions[i - period]
            kept = alpha ** (period * rounds)
            spent += (z[best_loop] - z[best_node]) / (1 - alpha**period) * (1 - kept)
        actions[-1], senses = best_action % A, best_action < A
        part = slice(begin[slot[best_node]], begin[slot[best_node] + 1])
    belief = states[part].copy(), weights[part].copy()
    found = lower, why, look, look_belief, best, actions, senses, spent, belief
    return (*found, expanded, dropped, entries)
