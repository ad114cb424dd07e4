"""The tree of blind strings, layer by layer, from many roots at once.

A node is a root j and a blind string; it holds the belief B and the discounted cost Z of getting
there.  ``V_AS;0(B) = min_a B Q*(a)`` is what going on costs at least (Theorem 4.4), and
``Z + alpha^m V_AS;0`` never falls along a string, so a subtree that starts at or above what its
root already has is cut.  Nodes of one root with equal beliefs are merged into the cheapest.
Only the newest layer's beliefs are kept; older layers keep two small integers a node.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from solvers.core.budget import Budget, SolverError
from solvers.core.model import SensingMDP
from solvers.kernels.equal_rows import equal_rows

EQUAL = 1e-13
"""Beliefs whose entries differ by no more than this share are one: they differ by rounding."""
CHUNK_ENTRIES = 2**22
"""Belief entries moved between two looks at the clock: a few hundredths of a second."""


class TreeTooLarge(SolverError):
    """The layer asked for does not fit the memory allowed."""


class OutOfTime(Exception):
    """The budget ended while a layer was made; the tree is of no more use."""


@dataclass
class BlindTree:
    """The live nodes of the newest layer.

    roots (n,), Z (n,), beliefs (n, S), bound (n,) = Z + alpha^m V_AS;0; ``history`` holds, for each
    layer, every node's parent and action.

    merged : whether nodes whose beliefs differ by rounding, or by EQUAL at most, were made one
    sizes : (n,), what Z is summed from in absolute terms, the measure of its rounding
    costs, Q : (S, A), what a step costs, and at least costs when everything is seen from then on;
        given a little below the true ones (:mod:`solvers.bounds.plan_inequality`), Z and bound are
        lower bounds in spite of rounding
    """

    problem: SensingMDP
    costs: np.ndarray
    Q: np.ndarray
    memory_mb: float
    budget: Budget | None = None
    depth: int = 0
    merged: bool = False
    roots: np.ndarray = field(init=False)
    Z: np.ndarray = field(init=False)
    sizes: np.ndarray = field(init=False)
    beliefs: np.ndarray = field(init=False)
    bound: np.ndarray = field(init=False)
    history: list[tuple[np.ndarray, np.ndarray]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.roots = np.flatnonzero(~self.problem.terminal)
        self.Z, self.sizes = np.zeros((2, len(self.roots)))
        need = len(self.roots) * self._node_bytes / 2**20
        if need > self.memory_mb:
            raise TreeTooLarge(
                f"{self.problem.name}: one belief for each of its {len(self.roots):,} roots takes "
                f"{need:,.0f} MiB; {self.memory_mb:,.0f} MiB are allowed: allow more with memory_mb"
            )
        self.beliefs = np.zeros((len(self.roots), self.problem.num_states))
        self.beliefs[np.arange(len(self.roots)), self.roots] = 1.0
        self.bound = self.Q[self.roots].min(axis=1)

    def __len__(self) -> int:
        return len(self.roots)

    def grow(self, cutoff: np.ndarray, extra: float = 0.0) -> None:
        """One layer deeper, keeping nodes with bound + extra < cutoff of their root (S,)."""
        discount = self.problem.discount**self.depth
        kept: list[tuple[np.ndarray, ...]] = []
        beliefs, nodes = self._room(), 0
        one_sign = (self.costs >= 0).all() or (self.costs <= 0).all()
        for a in range(self.problem.num_actions):
            for part in self._parts(len(self)):
                Z = self.Z[part] + discount * (self.beliefs[part] @ self.costs[:, a])
                after = self.problem.step(self.beliefs[part], np.full(len(Z), a))
                bound = Z + discount * self.problem.discount * (after @ self.Q).min(axis=1)
                keep = np.flatnonzero(bound + extra < cutoff[self.roots[part]])
                self._check_memory(nodes + len(keep))
                size = np.abs(Z)
                if not one_sign:
                    paid = self.beliefs[part] @ np.abs(self.costs[:, a])
                    size = self.sizes[part] + discount * paid
                played = np.full(len(keep), a)
                kept.append((keep + part.start, played, Z[keep], size[keep], bound[keep]))
                beliefs[nodes : nodes + len(keep)] = after[keep]
                nodes += len(keep)
        parent, action, Z, sizes, bound = (np.concatenate(x) for x in zip(*kept, strict=True))
        self.check_clock()
        chosen = _cheapest_of_equals(self.roots[parent], beliefs[:nodes], Z)
        self.merged |= len(chosen) < nodes
        self.beliefs = self._picked(beliefs[:nodes], chosen)
        self.history.append((parent[chosen].astype(np.int32), action[chosen].astype(np.int16)))
        self.roots, self.Z, self.bound = self.roots[parent[chosen]], Z[chosen], bound[chosen]
        self.sizes = sizes[chosen]
        self.depth += 1

    def cut(self, cutoff: np.ndarray, extra: float = 0.0) -> None:
        """Drop nodes whose bound has met a cutoff that fell since they were made."""
        keep = np.flatnonzero(self.bound + extra < cutoff[self.roots])
        if len(keep) == len(self) or not self.history:
            return
        parent, action = self.history[-1]
        self.history[-1] = (parent[keep], action[keep])
        self.roots, self.Z, self.bound = self.roots[keep], self.Z[keep], self.bound[keep]
        self.sizes = self.sizes[keep]
        self.beliefs = self._picked(self.beliefs, keep)

    def check_clock(self) -> None:
        """Stop where the budget is over."""
        if self.budget is not None and self.budget.over():
            raise OutOfTime

    def _parts(self, nodes: int) -> Iterator[slice]:
        """So many nodes in parts, with a look at the clock before each."""
        size = max(1, CHUNK_ENTRIES // self.problem.num_states)
        for first in range(0, nodes, size):
            self.check_clock()
            yield slice(first, min(first + size, nodes))

    def _room(self) -> np.ndarray:
        """Rows for as many beliefs as the next layer may have; none takes memory until written."""
        allowed = int(self.memory_mb * 2**20 / self._node_bytes) - len(self)
        nodes = min(len(self) * self.problem.num_actions, max(allowed, 0))
        return np.empty((nodes, self.problem.num_states))

    def _picked(self, beliefs: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """``beliefs[rows]``, moved up where they stand: rows (n,) ascending."""
        if len(rows) < len(beliefs):
            for part in self._parts(len(rows)):
                beliefs[part] = beliefs[rows[part]]
        return beliefs[: len(rows)]

    def string(self, node: int) -> tuple[int, ...]:
        """The blind actions that lead to a node of the newest layer."""
        actions = []
        for parent, action in reversed(self.history):
            actions.append(int(action[node]))
            node = int(parent[node])
        return tuple(reversed(actions))

    @property
    def _node_bytes(self) -> int:
        return 8 * (self.problem.num_states + 5)

    def _check_memory(self, nodes: int) -> None:
        # the new layer, beside the one it grows from
        need = (nodes + len(self)) * self._node_bytes / 2**20
        if need > self.memory_mb:
            raise TreeTooLarge(
                f"{self.problem.name}: layer {self.depth + 1} of the blind tree has at least "
                f"{nodes:,} nodes after pruning, {need:,.0f} MiB with the layer it grows from; "
                f"{self.memory_mb:,.0f} MiB are allowed. Depth {self.depth} fits: ask for that, "
                "or allow more with memory_mb"
            )


def _cheapest_of_equals(roots: np.ndarray, beliefs: np.ndarray, Z: np.ndarray) -> np.ndarray:
    """Indices (ascending) of one node per root and belief, the one with the least Z."""
    if len(roots) < 2:
        return np.arange(len(roots))
    # Equal beliefs share a projection; sorting by it brings them together.
    direction = np.random.default_rng(0).uniform(1, 2, beliefs.shape[1])
    shadow = np.round(beliefs @ direction, 10)
    order = np.lexsort((Z, shadow, roots))
    r, q = roots[order], shadow[order]
    # Rounded projections of equal beliefs differ by one unit of the last digit at most.
    same = (r[1:] == r[:-1]) & (q[1:] - q[:-1] < 1.5e-10)
    near = np.flatnonzero(same)
    same[near] = equal_rows(beliefs, order[near + 1], order[near], EQUAL)
    group = np.concatenate([[0], np.cumsum(~same)])
    first = np.lexsort((np.arange(len(group)), Z[order], group))
    least = first[np.unique(group[first], return_index=True)[1]]  # the cheapest of each group
    others = np.flatnonzero(least[group] != np.arange(len(group)))
    kept = np.ones(len(group), bool)
    # In a long group the ends may differ by more.
    kept[others] = ~equal_rows(beliefs, order[others], order[least[group[others]]], EQUAL)
    return np.sort(order[kept])
