"""The identity of a model as 32 bytes, the same in every language.

SHA-256 of a text of lines, numbers written with twelve digits after the point (``%.12e``), so that
a last bit that another machine rounds differently does not make another model::

    sensing-mdp 1
    S A
    discount
    C(s, a)            S · A lines, the actions of state 0 first
    k(s, a)            S · A lines, in the same order
    0 or 1             S lines: whether the state is terminal
    a s s' p           one line for each probability above 0, in the order of a, s, s'

Names and the start distribution are no part of it: a policy is the same policy wherever it starts.

The keys of result rows have another hash, :mod:`bench.run.model_hash`, on purpose.  This one asks
"is the policy one of this model?": it forgives a last bit, does not know the start, and must come
out the same in Julia.  A row's value depends on every bit and on the start, and its sensing cost
may be a function of the belief, which has no digits to write down.
"""

from __future__ import annotations

import hashlib

import numpy as np

from solvers.core.model import SensingMDP


def model_hash(problem: SensingMDP) -> bytes:
    """SHA-256 of a model; a sensing cost that is a function of the belief has none."""
    digest = hashlib.sha256()
    S, A = problem.num_states, problem.num_actions
    digest.update(f"sensing-mdp 1\n{S} {A}\n{_number(problem.discount)}\n".encode())
    digest.update(_lines(problem.costs))
    digest.update(_lines(problem.sensing_costs()))
    digest.update("".join("1\n" if over else "0\n" for over in problem.terminal).encode())
    for a, T in enumerate(problem.transitions):
        rows = np.repeat(np.arange(S), np.diff(T.indptr)).tolist()
        entries = zip(rows, T.indices.tolist(), T.data.tolist(), strict=True)
        digest.update("".join(f"{a} {s} {to} {_number(p)}\n" for s, to, p in entries).encode())
    return digest.digest()


def _number(x: float) -> str:
    return f"{float(x) + 0.0:.12e}"  # + 0.0: minus zero is zero


def _lines(array: np.ndarray) -> bytes:
    return "".join(f"{_number(x)}\n" for x in array.ravel().tolist()).encode()
