"""One blind step of many beliefs, each under its own action, with dense or sparse transitions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from scipy import sparse

SMALL_STATES = 128
"""Up to this many states a dense product beats a sparse one whatever the density."""
DENSE_SHARE = 0.03
"""Share of non-zero transitions above which dense products win."""
DENSE_ENTRIES = 2**25
"""Most entries of T kept dense (256 MiB)."""


def dense_where_faster(transitions: tuple[sparse.csr_array, ...]) -> np.ndarray | None:
    """T as (A, S, S) where dense products are the faster ones, else None."""
    A, S = len(transitions), transitions[0].shape[0]
    share = sum(T.nnz for T in transitions) / (A * S * S)
    if A * S * S > DENSE_ENTRIES or (S > SMALL_STATES and share < DENSE_SHARE):
        return None
    dense = np.zeros((A, S, S))
    for a, T in enumerate(transitions):
        T.toarray(out=dense[a])
    return dense


def by_action(beliefs: Any, actions: np.ndarray, matrices: np.ndarray) -> np.ndarray:
    """``beliefs[i] @ matrices[actions[i]]``: (n, S), also sparse, (n,), (A, S, m) -> (n, m)."""
    used, counts = np.unique(actions, return_counts=True)
    after = np.empty((len(actions), matrices.shape[2]))
    if 2 * counts.max(initial=0) > len(actions):
        # Most share an action: cheaper to multiply all than to copy those out and back.
        most = counts.argmax()
        after = beliefs @ matrices[used[most]]
        used = np.delete(used, most)
    for a in used:
        rows = np.flatnonzero(actions == a)
        after[rows] = beliefs[rows] @ matrices[a]
    return after


def stack_transitions(
    transitions: tuple[sparse.csr_array, ...],
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """All T(a) in one: row starts (A, S + 1) into shared columns and probabilities."""
    offsets = np.cumsum([0] + [T.nnz for T in transitions[:-1]])
    starts = np.stack(
        [T.indptr.astype(np.int64) + o for T, o in zip(transitions, offsets, strict=True)]
    )
    columns = np.concatenate([T.indices.astype(np.int32) for T in transitions])
    return starts, columns, np.concatenate([T.data for T in transitions])


# The signature makes numba compile when the module is loaded, so that no planning time pays for it.
@njit("void(f8[:,::1], i8[::1], i8[:,::1], i4[::1], f8[::1], f8[:,::1])", cache=True, nogil=True)
def blind_steps(beliefs, actions, starts, columns, probabilities, after):
    """``after[i] = beliefs[i] @ T(actions[i])``: (n, S), (n,) -> (n, S).

    Beliefs of large problems are local: where a belief is zero nothing is touched.
    """
    for i in range(beliefs.shape[0]):
        a = actions[i]
        after[i, :] = 0.0
        for s in range(beliefs.shape[1]):
            b = beliefs[i, s]
            if b != 0.0:
                for at in range(starts[a, s], starts[a, s + 1]):
                    after[i, columns[at]] += b * probabilities[at]


def picked_rows(
    starts: np.ndarray,
    columns: np.ndarray,
    probabilities: np.ndarray,
    policy: np.ndarray,
    live: np.ndarray,
) -> sparse.csr_array:
    """Row s is that of T(policy[s]), empty where not live, from stacked transitions: (S, S)."""
    every = np.arange(len(policy))
    first, end = starts[policy, every], starts[policy, every + 1]
    counts = np.where(live, end - first, 0)
    indptr = np.concatenate([[0], np.cumsum(counts)])
    at = np.repeat(first - indptr[:-1], counts) + np.arange(indptr[-1])
    shape = (len(policy), len(policy))
    return sparse.csr_array((probabilities[at], columns[at], indptr), shape=shape)
