"""What a cell makes of a solution: checks, the figures of its row, the details beside it."""

from __future__ import annotations

import base64
import math
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from bench.suites.cell import Cell
from solvers import AlphaVectorPolicy, PlanPolicy, Policy, SensingMDP, Solution
from solvers.core.policy_file import policy_bytes
from solvers.core.written_plans import unroll_plans

PACKAGES = ("sensebench", "numpy", "scipy", "numba", "gymnasium", "icu-sepsis")
SETTINGS = (
    *("problem", "sensing_cost", "solver", "options", "seed", "label"),
    *("budget", "threads", "memory_mb"),
)
DIGITS = 10
"""Significant digits of the numbers in details."""
ALL_ROOTS = 600
MOST_PLANS = 300
MOST_ACTIONS = 100
"""Plans are kept for every root of a problem with up to ALL_ROOTS states, so that the policy can be
followed past a look; else for the MOST_PLANS likeliest start roots.  Each up to MOST_ACTIONS."""
MOST_BYTES = 2_000_000
"""A policy of plans or vectors is kept as a file, for ``sensebench score``, if it takes no more."""
CROSSING = 1e-12
"""How far a lower bound may lie above what it bounds, as a share of it, and still be rounding: that
of the sums under start, and of methods that count none."""


class InvalidResult(ValueError):
    """What the solver returned is not a result; the message says why."""


def checked(found: Any, problem: SensingMDP) -> Solution:
    """A solver's answer, refused with the reason if it is not one."""
    if not isinstance(found, Solution):
        raise InvalidResult(f"solve returned {_kind(found)}; expected solvers.Solution")
    if found.policy is not None and not isinstance(found.policy, Policy):
        raise InvalidResult(f"the policy is {_kind(found.policy)}; expected solvers.Policy")
    results = (found.policy, found.lower_bound, found.values, found.value)
    if all(result is None for result in results):
        raise InvalidResult("solve returned neither a policy nor a bound")
    for name in ("values", "lower_bound", "upper_bound"):
        array = getattr(found, name)
        if array is None:
            continue
        array = np.asarray(array, float)
        if array.shape != (problem.num_states,):
            raise InvalidResult(f"{name} has shape {array.shape}; expected one number per state")
        # A simulated policy has values at start roots only; bounds may be infinite, not NaN.
        wrong = np.isnan(array) & ((problem.start > 0) | (name != "values"))
        if wrong.any():
            state = problem.state_names[int(np.flatnonzero(wrong)[0])]
            raise InvalidResult(f"{name} is not a number (NaN) at state {state}")
    return found


def figures(solution: Solution) -> dict[str, Any]:
    """The columns of a row that come from the solution."""
    if solution.value is not None and not math.isfinite(solution.value):
        raise InvalidResult(f"the value is {solution.value}; expected a finite number")
    lower, upper = _bounds(solution)
    return {
        "value": solution.value,
        "standard_error": solution.standard_error,
        "lower": lower,
        "upper": upper,
        "solver_status": solution.status,
        "sensing_rate": solution.sensing_rate,
        "iterations": int(solution.iterations),
        "start_belief": solution.info.get("start_belief", "known"),
        "note": str(solution.info.get("note", "")),
        "versions": {
            **{k: v for k, v in solution.info.items() if k == "julia"},
            **solution.info.get("julia_packages", {}),
        },
    }


def _bounds(solution: Solution) -> tuple[float | None, float | None]:
    """Lower and upper bound under start; refused if they cannot both be true."""
    lower, upper = solution.lower, solution.upper
    exact = solution.value if solution.standard_error is None else None
    for name, above in (("value", exact), ("upper bound", upper)):
        if lower is None or above is None:
            continue
        room = solution.value_error + CROSSING * max(abs(above), solution.floor)
        if lower > above + room:
            raise InvalidResult(
                f"its bounds cross: it claims a lower bound of {lower:.10g}, but its {name} is "
                f"{above:.10g}"
            )
    return _finite(lower), _finite(upper)


def detail(cell: Cell, problem: SensingMDP, solution: Solution) -> dict[str, Any]:
    """The details of a cell, as plain numbers and text."""
    return {
        "key": cell.key,
        "values": plain(solution.values),
        "lower_bound": plain(solution.lower_bound),
        "upper_bound": plain(solution.upper_bound),
        "trace": plain(solution.trace),
        "plans": plans(problem, solution),
        "policy": policy_text(cell, solution.policy),
        "info": plain({k: v for k, v in solution.info.items() if k != "log"}),  # a local path
        "settings": {name: plain(getattr(cell, name)) for name in SETTINGS},
    }


def plans(problem: SensingMDP, solution: Solution) -> dict[str, Any]:
    """The plan from each root kept (see ALL_ROOTS).

    One of more than MOST_ACTIONS actions is cut and has a ``length`` of MOST_ACTIONS + 1: unrolling
    it to its end would cost as much as evaluating it, and nobody draws it.
    """
    policy = solution.policy
    if policy is None or policy.randomised:
        return {}
    if problem.num_states <= ALL_ROOTS:
        roots = np.flatnonzero(~problem.terminal)
    else:
        likely = np.argsort(-problem.start, kind="stable")[:MOST_PLANS]
        roots = np.sort(likely[problem.start[likely] > 0])
    if isinstance(policy, PlanPolicy):
        found = [policy.plan(int(root)) for root in roots]
    else:
        found = unroll_plans(problem, policy, roots, limit=MOST_ACTIONS + 1)
    kept = {}
    for root, plan in zip(roots, found, strict=True):
        actions = [int(a) for a in plan.actions[:MOST_ACTIONS]]
        kept[str(root)] = {"actions": actions, "senses": plan.senses}
        if len(plan.actions) > MOST_ACTIONS:
            kept[str(root)]["length"] = MOST_ACTIONS + 1
    return kept


def policy_text(cell: Cell, policy: Policy | None) -> str | None:
    """The policy as the content of its file, in base64; None if it is online or too large."""
    if not isinstance(policy, PlanPolicy | AlphaVectorPolicy):
        return None
    k = cell.cost()
    about: dict[str, Any] = {"problem": cell.problem, "solver": cell.solver}
    if isinstance(k, float | int):
        about["sensing_cost"] = k
    content = policy_bytes(policy, **about)
    return base64.b64encode(content).decode() if len(content) <= MOST_BYTES else None


def plain(value: Any) -> Any:
    """As JSON can hold it: lists, numbers of ten digits, text; what is not finite is null."""
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}") if math.isfinite(value) else None
    return value if isinstance(value, int | str | bool | None) else str(value)


def package_versions() -> dict[str, str]:
    """Versions of the packages that matter to a result."""
    found = {}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def _finite(x: float | None) -> float | None:
    return x if x is not None and math.isfinite(x) else None


def _kind(value: Any) -> str:
    return "nothing (None)" if value is None else f"a {type(value).__name__}"
