"""One blind step of many beliefs, each under its own action, with sparse transitions; compiled.

Beliefs of large problems are local: where a belief is zero nothing is touched.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from scipy import sparse


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
    """``after[i] = beliefs[i] @ T(actions[i])``: (n, S), (n,) -> (n, S)."""
    for i in range(beliefs.shape[0]):
        a = actions[i]
        after[i, :] = 0.0
        for s in range(beliefs.shape[1]):
            b = beliefs[i, s]
            if b != 0.0:
                for at in range(starts[a, s], starts[a, s + 1]):
                    after[i, columns[at]] += b * probabilities[at]
