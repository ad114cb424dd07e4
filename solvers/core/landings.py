"""Where the plans of all roots land: a sparse matrix whose rows are replaced one by one."""

from __future__ import annotations

import numpy as np
from scipy import sparse

Row = tuple[np.ndarray, np.ndarray]
"""A sparse row: states (n,) and discounted probabilities (n,)."""
NOWHERE: Row = (np.empty(0, int), np.empty(0))
"""Where a plan that never looks lands."""


class Landings:
    """Row j holds the states that root j's plan lands on, with their discounted probabilities.

    Rows that were replaced since the matrix was last asked for are kept beside it.
    """

    def __init__(self, base: sparse.csr_array) -> None:
        self._base = base  # never changed, so that copies may share it
        self._changed: dict[int, Row] = {}

    @classmethod
    def nowhere(cls, num_states: int) -> Landings:
        """No plan lands anywhere."""
        return cls(sparse.csr_array((num_states, num_states)))

    def __len__(self) -> int:
        return self._base.shape[0]

    def __getitem__(self, root: int) -> Row:
        if root in self._changed:
            return self._changed[root]
        part = slice(*self._base.indptr[root : root + 2])
        return self._base.indices[part], self._base.data[part]

    def __setitem__(self, root: int, row: Row) -> None:
        self._changed[int(root)] = row

    def part(self, roots: np.ndarray) -> sparse.csr_array:
        """The rows of these roots: (n,) -> (n, S)."""
        rows = [self[root] for root in roots.tolist()]
        ends = np.cumsum([0] + [len(states) for states, _ in rows])
        states, chances = (np.concatenate(x) for x in zip(*rows, strict=True))
        return sparse.csr_array((chances, states, ends), shape=(len(roots), len(self)))

    def copy(self) -> Landings:
        """A copy whose rows can be replaced without touching this one."""
        other = Landings(self._base)
        other._changed = dict(self._changed)
        return other

    def matrix(self) -> sparse.csr_array:
        """All rows, (S, S)."""
        if self._changed:
            self._base = self._merged()
            self._changed = {}
        return self._base

    def _merged(self) -> sparse.csr_array:
        base, S = self._base, len(self)
        roots = np.fromiter(self._changed, int, len(self._changed))
        rows = list(self._changed.values())
        sizes = np.diff(base.indptr)
        new_sizes = np.array([len(states) for states, _ in rows])
        counts = sizes.copy()
        counts[roots] = new_sizes
        ends = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
        indices, data = np.empty(ends[-1], np.int32), np.empty(ends[-1])
        kept = np.ones(S, bool)
        kept[roots] = False
        where = _places(ends[:-1][kept], sizes[kept])
        old = np.repeat(kept, sizes)
        indices[where], data[where] = base.indices[old], base.data[old]
        where = _places(ends[:-1][roots], new_sizes)
        indices[where] = np.concatenate([states for states, _ in rows])
        data[where] = np.concatenate([chances for _, chances in rows])
        return sparse.csr_array((data, indices, ends), shape=(S, S))


def _places(first: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """The runs ``first[i], first[i] + 1, …`` of so many places each, one after the other."""
    before = np.cumsum(counts) - counts
    return np.repeat(first - before, counts) + np.arange(int(counts.sum()))
