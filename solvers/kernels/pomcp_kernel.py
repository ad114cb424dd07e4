"""The compiled search of ``pomcp``: one PO-UCT tree from one belief.

After a look the belief is a point mass, and a blind step has one successor, so a tree node is a
pair (state last seen, blind actions since) with an exact belief ``b``, and no table of
observations is needed:

* node 0 is the belief the search starts from;
* ``blind_child[node, a]`` is the node after the blind action ``a``, its belief ``b T(a)``;
* ``root_node[s]`` is the node of the known state ``s``, shared by all looks that show it: what
  the agent does there cannot depend on how it got there.

Arm ``a < A`` of a node is (a, blind), arm ``A + a`` is (a, sense); a step costs ``b C(a)``, plus
``b k(a)`` for a look, and only looks are drawn.  A query walks down by UCB1 on mean costs until it
adds a node, estimates that node with the rollout policy, and backs the cost up along its path.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit
from scipy import sparse


class Tables(NamedTuple):
    """A problem as flat arrays; row ``a * S + s`` holds the successors of s under a."""

    first: np.ndarray  # (A*S + 1,) where each row begins
    after: np.ndarray  # (nnz,) next states
    cumulative: np.ndarray  # (nnz,) running sum of probabilities within the row
    costs: np.ndarray  # (S, A)
    looks: np.ndarray  # (S, A) sensing costs
    terminal: np.ndarray  # (S,) bool
    leaf_values: np.ndarray  # (S,) rollout value of each state; empty for random rollouts
    discount: float


class Tree(NamedTuple):
    """Room for the nodes of one search; reused from search to search."""

    visits: np.ndarray  # (n,)
    arm_visits: np.ndarray  # (n, 2A)
    arm_costs: np.ndarray  # (n, 2A) mean discounted cost of each arm
    step_costs: np.ndarray  # (n, 2A) expected cost of one step
    blind_child: np.ndarray  # (n, A), -1 where there is none
    running: np.ndarray  # (n, S) running sum of the node's belief
    root_node: np.ndarray  # (S,), -1 where there is none
    path: np.ndarray  # (max_depth, 2) node and arm


def make_tables(
    transitions: tuple[sparse.csr_array, ...],
    costs: np.ndarray,
    looks: np.ndarray,
    terminal: np.ndarray,
    discount: float,
    leaf_values: np.ndarray | None,
) -> Tables:
    """A problem's arrays in the kernel's form; no ``leaf_values``: random rollouts."""
    first, after, cumulative = [np.zeros(1, np.int64)], [], []
    offset = 0
    for T in transitions:
        total = np.concatenate([[0.0], np.cumsum(T.data)])
        cumulative.append(total[1:] - np.repeat(total[T.indptr[:-1]], np.diff(T.indptr)))
        after.append(T.indices.astype(np.int64))
        first.append(T.indptr[1:].astype(np.int64) + offset)
        offset += T.nnz
    # Copies in C order: read-only or transposed arrays are other types, compiled anew.
    return Tables(
        np.concatenate(first),
        np.concatenate(after),
        np.concatenate(cumulative),
        np.array(costs, order="C"),
        np.array(looks, order="C"),
        np.array(terminal),
        np.zeros(0) if leaf_values is None else np.array(leaf_values),
        float(discount),
    )


def make_tree(S: int, A: int, nodes: int, max_bytes: int, max_depth: int) -> Tree:
    """An empty tree with room for ``nodes`` nodes, or as many as fit in ``max_bytes``."""
    nodes = max(2, min(nodes, max_bytes // (8 * (1 + S + 7 * A))))
    return Tree(
        np.empty(nodes, np.int64),
        np.empty((nodes, 2 * A), np.int64),
        np.empty((nodes, 2 * A)),
        np.empty((nodes, 2 * A)),
        np.empty((nodes, A), np.int64),
        np.empty((nodes, S)),
        np.empty(S, np.int64),
        np.empty((max_depth, 2), np.int64),
    )


@njit(cache=True, nogil=True)
def search(
    tables: Tables,
    tree: Tree,
    belief: np.ndarray,
    queries: int,
    c: float,
    rng: np.ndarray,
    stop: np.ndarray,
) -> tuple[int, int]:
    """Grow a tree from ``belief`` (S,); returns the best arm and the number of simulated steps.

    c : weight of UCB1's exploration term, in units of cost
    rng : (1,) uint64, the generator's state, moved on
    stop : (1,), the search ends after a query once this is not 0
    """
    A = tables.costs.shape[1]
    max_depth, room = len(tree.path), len(tree.visits)
    has_values = len(tables.leaf_values) > 0
    tree.root_node[:] = -1
    tree.running[0] = belief
    _open_node(tables, tree, 0)
    used, steps = 1, 0
    for _ in range(queries):
        node, depth, ahead = 0, 0, 0.0
        while depth < max_depth:
            arm = _pick_arm(tree, node, c, rng)
            looks = arm >= A
            a = arm - A if looks else arm
            tree.path[depth, 0], tree.path[depth, 1] = node, arm
            depth += 1
            s = -1
            if looks:
                s = _next_state(tables, _draw_state(tree, node, rng), a, rng)
                if tables.terminal[s]:
                    break
            child = tree.root_node[s] if looks else tree.blind_child[node, a]
            if child >= 0:
                node = child
                continue
            if looks:
                tree.running[used] = 0.0
                tree.running[used, s] = 1.0
            else:
                _move_belief(tables, tree, node, a, used)
            ahead = _open_node(tables, tree, used)
            if not has_values:
                if not looks:
                    s = _draw_state(tree, used, rng)
                ahead, made = _random_rollout(tables, s, max_depth - depth, rng)
                steps += made
            if used + 1 < room:  # the last place is for estimating what there is no room to keep
                if looks:
                    tree.root_node[s] = used
                else:
                    tree.blind_child[node, a] = used
                used += 1
            break
        steps += depth
        for i in range(depth - 1, -1, -1):
            node, arm = tree.path[i, 0], tree.path[i, 1]
            ahead = tree.step_costs[node, arm] + tables.discount * ahead
            tree.visits[node] += 1
            tree.arm_visits[node, arm] += 1
            gap = ahead - tree.arm_costs[node, arm]
            tree.arm_costs[node, arm] += gap / tree.arm_visits[node, arm]
        if stop[0] != 0:
            break
    return _best_arm(tree, rng), steps


@njit(cache=True)
def _pick_arm(tree: Tree, node: int, c: float, rng: np.ndarray) -> int:
    """The arm of least optimistic cost; untried arms first; ties are broken at random."""
    log_visits = math.log(max(tree.visits[node], 1))
    best, arm, ties = math.inf, 0, 0
    for i in range(tree.arm_visits.shape[1]):
        n = tree.arm_visits[node, i]
        score = -math.inf
        if n > 0:
            score = tree.arm_costs[node, i] - c * math.sqrt(log_visits / n)
        if score < best:
            best, arm, ties = score, i, 1
        elif score == best:
            ties += 1
            if _uniform(rng) * ties < 1.0:
                arm = i
    return arm


@njit(cache=True)
def _best_arm(tree: Tree, rng: np.ndarray) -> int:
    """The tried arm of node 0 with the least mean cost; ties are broken at random."""
    best, arm, ties = math.inf, 0, 0
    for i in range(tree.arm_visits.shape[1]):
        if tree.arm_visits[0, i] == 0:
            continue
        cost = tree.arm_costs[0, i]
        if cost < best:
            best, arm, ties = cost, i, 1
        elif cost == best:
            ties += 1
            if _uniform(rng) * ties < 1.0:
                arm = i
    return arm


@njit(cache=True)
def _open_node(tables: Tables, tree: Tree, node: int) -> float:
    """Open the node whose belief is in place; returns its rollout value (0 without values)."""
    tree.visits[node] = 0
    tree.arm_visits[node] = 0
    tree.arm_costs[node] = 0.0
    tree.blind_child[node] = -1
    tree.step_costs[node] = 0.0
    S, A = tables.costs.shape
    step_costs, belief = tree.step_costs[node], tree.running[node]
    total, value = 0.0, 0.0
    for s in range(S):
        mass = belief[s]
        if mass > 0.0:
            if len(tables.leaf_values):
                value += mass * tables.leaf_values[s]
            for a in range(A):
                step_costs[a] += mass * tables.costs[s, a]
                step_costs[A + a] += mass * (tables.costs[s, a] + tables.looks[s, a])
        total += mass
        belief[s] = total  # from here on it is drawn from, so kept as a running sum
    return value


@njit(cache=True)
def _move_belief(tables: Tables, tree: Tree, node: int, a: int, child: int) -> None:
    """Write ``b T(a)``, b the belief of ``node``, where the belief of ``child`` goes."""
    S = tables.costs.shape[0]
    belief, after = tree.running[node], tree.running[child]
    after[:] = 0.0
    before = 0.0
    for s in range(S):
        mass = belief[s] - before
        before = belief[s]
        if mass > 0.0:
            last = 0.0
            for i in range(tables.first[a * S + s], tables.first[a * S + s + 1]):
                after[tables.after[i]] += mass * (tables.cumulative[i] - last)
                last = tables.cumulative[i]


@njit(cache=True)
def _random_rollout(tables: Tables, s: int, depth: int, rng: np.ndarray) -> tuple[float, int]:
    """Cost of uniformly random choices from s for ``depth`` steps, and how many were made."""
    A = tables.costs.shape[1]
    total, scale = 0.0, 1.0
    for step in range(depth):
        arm = int(_uniform(rng) * 2 * A)
        a = arm % A
        total += scale * tables.costs[s, a]
        if arm >= A:
            total += scale * tables.looks[s, a]
        s = _next_state(tables, s, a, rng)
        if arm >= A and tables.terminal[s]:
            return total, step + 1
        scale *= tables.discount
    return total, depth


@njit(cache=True)
def _draw_state(tree: Tree, node: int, rng: np.ndarray) -> int:
    running = tree.running[node]
    return _first_above(running, 0, len(running), _uniform(rng) * running[-1])


@njit(cache=True)
def _next_state(tables: Tables, s: int, a: int, rng: np.ndarray) -> int:
    row = a * tables.costs.shape[0] + s
    low, high = tables.first[row], tables.first[row + 1]
    return tables.after[_first_above(tables.cumulative, low, high, _uniform(rng))]


@njit(cache=True)
def _first_above(running: np.ndarray, low: int, high: int, point: float) -> int:
    """First index in [low, high) whose running sum is above the point; the last if none is."""
    high -= 1
    while low < high:
        middle = (low + high) // 2
        if running[middle] > point:
            high = middle
        else:
            low = middle + 1
    return low


@njit(cache=True)
def _uniform(state: np.ndarray) -> float:
    """Next number in [0, 1) of the splitmix64 generator whose state (1,) is passed along."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return float(z >> np.uint64(11)) * (1.0 / 9007199254740992.0)
