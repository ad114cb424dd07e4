"""Policies as files: one small ``.npz`` that anyone can write, in any language.

    format          1
    model           (32,) uint8        SHA-256 of the model (:mod:`solvers.core.model_hash`)
    about           (n,) uint8         JSON text, may be left out: problem, sensing_cost, solver, …

and one plan for each root,

    plan_indptr     (S + 1,) int64     where each root's actions begin, and their end
    plan_actions    (n,) int64         the actions, counted from 0, the roots one after the other
    plan_senses     (S,) bool          whether the last action looks; else it is repeated for good

or cost vectors, of which the cheapest at a belief says what to do:

    alphas          (m, S) float64     costs
    alpha_actions   (m,) int64         counted from 0
    alpha_senses    (m,) bool

What a file says of its own worth counts for nothing: a policy is what it does, and the exact
evaluator says what that costs.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from solvers.core.array_file import (
    REAL,
    TEXT,
    TRUTH,
    WHOLE,
    Array,
    json_bytes,
    packed,
    read_arrays,
    scalar,
    text,
    write_arrays,
)
from solvers.core.model import SensingMDP
from solvers.core.model_hash import model_hash
from solvers.core.policy import AlphaVectorPolicy, Plan, PlanPolicy, Policy, PolicyError
from solvers.core.validation import ModelError

FORMAT = 1
PLANS = ("plan_indptr", "plan_actions", "plan_senses")
ALPHAS = ("alphas", "alpha_actions", "alpha_senses")
ARRAYS = {
    "format": Array(WHOLE, (0,)),
    "model": Array(TEXT, (1,)),
    "about": Array(TEXT, (1,), optional=True),
    "plan_indptr": Array(WHOLE, (1,), optional=True),
    "plan_actions": Array(WHOLE, (1,), optional=True),
    "plan_senses": Array(TRUTH, (1,), optional=True),
    "alphas": Array(REAL, (2,), optional=True),
    "alpha_actions": Array(WHOLE, (1,), optional=True),
    "alpha_senses": Array(TRUTH, (1,), optional=True),
}
WHAT = "a policy file, as `sensebench solve --save` writes it"


def save_policy(path: str | Path, policy: Policy, **about: Any) -> None:
    """Write a policy; one that is neither plans nor vectors is unrolled into plans.

    Parameters
    ----------
    about : plain values to keep with it, such as ``problem="taxi"`` and ``sensing_cost=1.0``, from
        which ``sensebench score`` finds the problem
    """
    path = Path(path)
    if getattr(policy, "randomised", False):
        raise PolicyError(
            f"{path}: {type(policy).__name__} plans with chance at every step; only a "
            "deterministic policy can be saved"
        )
    if not path.absolute().parent.is_dir():
        raise PolicyError(f"cannot write {path}: there is no folder {path.parent}")
    write_arrays(path, **_arrays(policy, about))


def policy_bytes(policy: Policy, **about: Any) -> bytes:
    """What :func:`save_policy` would write, to send to a machine that shares no files with us."""
    return packed(**_arrays(policy, about))


def _arrays(policy: Policy, about: dict[str, Any]) -> dict[str, Any]:
    """The arrays of a policy's file."""
    problem = policy.problem
    if isinstance(policy, AlphaVectorPolicy):
        arrays = {
            "alphas": policy.alphas,
            "alpha_actions": policy.actions.astype(np.int64),
            "alpha_senses": policy.senses,
        }
    else:
        arrays = _plan_arrays(policy)
    return {
        "format": np.int64(FORMAT),
        "model": np.frombuffer(model_hash(problem), np.uint8),
        "about": json_bytes(about),
        **arrays,
    }


def load_policy(path: str | Path, problem: SensingMDP) -> Policy:
    """Read a policy of this problem; one of another model is refused."""
    path = Path(path)
    stored = _stored(path)
    if stored["model"].tobytes() != model_hash(problem):
        raise PolicyError(
            f"{path} is a policy of another model than {problem.name}: their hashes differ; it "
            "belongs to one problem with one sensing cost"
        )
    kinds = [kind for kind in (PLANS, ALPHAS) if any(name in stored for name in kind)]
    if len(kinds) != 1 or any(name not in stored for name in kinds[0]):
        raise PolicyError(
            f"{path} holds {', '.join(name for name in stored if name in (*PLANS, *ALPHAS))}; "
            f"expected either {', '.join(PLANS)} or {', '.join(ALPHAS)}"
        )
    read = _plans if kinds[0] == PLANS else _alphas
    return read(path, stored, problem)


def about_policy(path: str | Path) -> dict[str, Any]:
    """What a policy file says of itself; nothing of it is checked."""
    stored = _stored(Path(path))
    return text(Path(path), "about", stored["about"]) if "about" in stored else {}


def _stored(path: Path) -> dict[str, np.ndarray]:
    try:
        stored = read_arrays(path, ARRAYS, WHAT)
    except ModelError as error:
        raise PolicyError(str(error)) from None
    if scalar(stored["format"]) != FORMAT:
        raise PolicyError(
            f"{path} has format {scalar(stored['format'])}; this version reads format {FORMAT}"
        )
    return stored


def _plan_arrays(policy: Policy) -> dict[str, np.ndarray]:
    plans = policy.all_plans()
    lengths = [len(plan.actions) for plan in plans]
    return {
        "plan_indptr": np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        "plan_actions": np.array([a for plan in plans for a in plan.actions], np.int64),
        "plan_senses": np.array([plan.senses for plan in plans], bool),
    }


def _plans(path: Path, stored: dict[str, np.ndarray], problem: SensingMDP) -> PlanPolicy:
    pointers, actions, senses = (stored[name] for name in PLANS)
    S = problem.num_states
    if pointers.shape != (S + 1,) or senses.shape != (S,):
        raise PolicyError(
            f"{path}: plan_indptr has {len(pointers)} entries and plan_senses {len(senses)}; "
            f"expected {S + 1} and {S}"
        )
    if pointers[0] != 0 or pointers[-1] != len(actions) or (np.diff(pointers) < 0).any():
        raise PolicyError(f"{path}: plan_indptr must rise from 0 to {len(actions)}, never falling")
    _check_actions(path, "plan_actions", actions, problem)
    empty = (np.diff(pointers) == 0) & ~problem.terminal
    if empty.any():
        root = problem.state_names[int(np.flatnonzero(empty)[0])]
        raise PolicyError(f"{path}: the plan of state {root} is empty; only a terminal state's is")
    listed, ends = actions.tolist(), pointers.tolist()
    return PlanPolicy(
        problem,
        [Plan(tuple(listed[ends[s] : ends[s + 1]]), bool(senses[s])) for s in range(S)],
    )


def _alphas(path: Path, stored: dict[str, np.ndarray], problem: SensingMDP) -> AlphaVectorPolicy:
    alphas, actions, senses = (stored[name] for name in ALPHAS)
    m = len(actions)
    if m == 0 or alphas.shape != (m, problem.num_states) or senses.shape != (m,):
        raise PolicyError(
            f"{path}: alphas have shape {alphas.shape}, with {m} actions and {len(senses)} looks; "
            f"expected (m, S) = ({m}, {problem.num_states}) and m of both, m > 0"
        )
    if not np.isfinite(alphas).all():
        raise PolicyError(f"{path}: alphas hold a number that is not finite")
    _check_actions(path, "alpha_actions", actions, problem)
    return AlphaVectorPolicy(problem, alphas, actions, senses)


def _check_actions(path: Path, name: str, actions: np.ndarray, problem: SensingMDP) -> None:
    wrong = (actions < 0) | (actions >= problem.num_actions)
    if wrong.any():
        raise PolicyError(
            f"{path}: {name} holds {actions[wrong][0]}; {problem.name} has actions 0 to "
            f"{problem.num_actions - 1}"
        )
