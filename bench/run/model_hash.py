"""A hash of a model itself: its numbers, whatever code, file or package they came from.

Two models have the same hash if all numbers a solver can see are the same, bit by bit: transitions,
costs, discount, start, terminal states and sensing cost.  Names do not count.  A sensing cost that
is a function of the belief is known by its values at the known states, the uniform belief and some
fixed others.

Policy files have another hash, :mod:`solvers.core.model_hash`, on purpose: it says whether a policy
belongs to a model, in any language and wherever one starts, and forgives a last bit that another
machine rounds differently.  Here a last bit counts, because it can change a row.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterator

import numpy as np

from bench.problems import find_problem, problems
from solvers.core.model import SensingMDP
from solvers.core.validation import ModelError

DIGITS = 10
SAMPLES = 16
OURS = "bench.problems"


def model_hash(model: SensingMDP) -> str:
    """Short hash of all numbers of a model."""
    digest = hashlib.sha256(repr(float(model.discount)).encode())
    for array in _arrays(model):
        array = np.ascontiguousarray(array)
        digest.update(f"{array.dtype.kind}{array.shape}".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()[:DIGITS]


def _arrays(model: SensingMDP) -> Iterator[np.ndarray]:
    yield np.asarray(model.costs, float)
    yield np.asarray(model.start, float)
    yield np.asarray(model.terminal, bool)
    for T in model.transitions:
        yield np.asarray(T.indptr, np.int64)
        yield np.asarray(T.indices, np.int64)
        yield np.asarray(T.data, float)
    if model.has_linear_sensing_cost:
        yield model.sensing_costs()
    else:
        yield model.sensing_cost_at(_sample_beliefs(model.num_states))


def _sample_beliefs(S: int) -> np.ndarray:
    """The known states, the uniform belief and a few between: (S + 1 + SAMPLES, S)."""
    between = np.random.default_rng(0).dirichlet(np.ones(S), SAMPLES)
    return np.vstack([np.eye(S), np.full((1, S), 1 / S), between])


def steady_hash(problem_id: str, sensing_cost: float | np.ndarray) -> str:
    """The hash of a problem's model; refused if the problem is another each time it is built."""
    found = model_hash(find_problem(problem_id).build(sensing_cost))
    if not _ours(problem_id) and model_hash(find_problem(problem_id).build(sensing_cost)) != found:
        raise ModelError(
            f"problem {problem_id!r} is built differently each time, so no two results of it could "
            "be compared; draw its random numbers from a generator with a fixed seed"
        )
    return found


def _ours(problem_id: str) -> bool:
    """Whether a problem comes with the project, where a test holds it to be the same each time."""
    known = problems().get(problem_id)
    build = known.build if known is not None else None
    while isinstance(build, functools.partial):
        build = build.func
    return build is not None and build.__module__.startswith(OURS)
