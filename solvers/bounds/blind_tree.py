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
from typing import Any

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
    """The budget ended while a layer was grown; the tree is as it was before."""


@dataclass
class BlindTree:
    """The live nodes of the newest layer.

    roots (n,), Z (n,), beliefs (n, S), bound (n,) = Z + alpha^m V_AS;0; ``history`` holds, for each
    layer, every node's parent and action.

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
    roots: np.ndarray = field(init=False)
    Z: np.ndarray = field(init=False)
    beliefs: np.ndarray = field(init=False)
    bound: np.ndarray = field(init=False)
    history: list[tuple[np.ndarray, np.ndarray]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.roots = np.flatnonzero(~self.problem.terminal)
        self.Z = np.zeros(len(self.roots))
        self._check_memory(len(self.roots))
        self.beliefs = np.zeros((len(self.roots), self.problem.num_states))
        self.beliefs[np.arange(len(self.roots)), self.roots] = 1.0
        self.bound = self.Q[self.roots].min(axis=1)

    def __len__(self) -> int:
        return len(self.roots)

    def grow(self, cutoff: np.ndarray, extra: float = 0.0) -> None:
        """One layer deeper, keeping nodes with bound + extra < cutoff of their root (S,)."""
        discount = self.problem.discount**self.depth
        kept: list[tuple[np.ndarray, ...]] = []
        nodes = 0
        size = max(1, CHUNK_ENTRIES // self.problem.num_states)
        for a, T in enumerate(self._transitions()):
            for first in range(0, len(self), size):
                self._check_memory(nodes + min(size, len(self)))
                if self.budget is not None and self.budget.over():
                    raise OutOfTime
                part = slice(first, first + size)
                Z = self.Z[part] + discount * (self.beliefs[part] @ self.costs[:, a])
                after = self.beliefs[part] @ T
                bound = Z + discount * self.problem.discount * (after @ self.Q).min(axis=1)
                keep = np.flatnonzero(bound + extra < cutoff[self.roots[part]])
                kept.append(
                    (keep + first, np.full(len(keep), a), Z[keep], bound[keep], after[keep])
                )
                nodes += len(keep)
        parent, action, Z, bound, beliefs = (np.concatenate(x) for x in zip(*kept, strict=True))
        roots = self.roots[parent]
        if self.budget is not None and self.budget.over():
            raise OutOfTime
        chosen = _cheapest_of_equals(roots, beliefs, Z)
        self.history.append((parent[chosen].astype(np.int32), action[chosen].astype(np.int16)))
        self.roots, self.Z, self.bound = roots[chosen], Z[chosen], bound[chosen]
        self.beliefs = beliefs if len(chosen) == len(beliefs) else beliefs[chosen]
        self.depth += 1

    def cut(self, cutoff: np.ndarray, extra: float = 0.0) -> None:
        """Drop nodes whose bound has met a cutoff that fell since they were made."""
        keep = np.flatnonzero(self.bound + extra < cutoff[self.roots])
        if len(keep) == len(self) or not self.history:
            return
        parent, action = self.history[-1]
        self.history[-1] = (parent[keep], action[keep])
        self.roots, self.Z = self.roots[keep], self.Z[keep]
        self.beliefs, self.bound = self.beliefs[keep], self.bound[keep]

    def string(self, node: int) -> tuple[int, ...]:
        """The blind actions that lead to a node of the newest layer."""
        actions = []
        for parent, action in reversed(self.history):
            actions.append(int(action[node]))
            node = int(parent[node])
        return tuple(reversed(actions))

    def _transitions(self) -> Iterator[Any]:
        dense = self.problem.dense_transitions
        return iter(self.problem.transitions if dense is None else dense)

    def _check_memory(self, nodes: int) -> None:
        # the layer itself, and once more while its parts are put together
        need = 2 * nodes * (self.problem.num_states + 4) * 8 / 2**20
        if need > self.memory_mb:
            raise TreeTooLarge(
                f"{self.problem.name}: layer {self.depth + 1} of the blind tree has at least "
                f"{nodes:,} nodes after pruning, {need:,.0f} MiB with the copy it is made from; "
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
