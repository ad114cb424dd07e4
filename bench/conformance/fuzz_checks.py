"""What must hold of every solver and of the checker on one fuzz case.

A failure is one of

    wrong bound       a lower bound above, or an upper bound below, what the referee brackets
    wrong value       a value that the referee's own evaluation of the plans does not give
    crossing          bounds that cross without the gap saying so
    absurd            a simulated value that no policy can have
    exception         any, unless the solver had said that it cannot take such a problem
    overrun           more CPU time than the budget allows, evaluation included
    hang              no answer at all (see fuzz_watch.py); crash: the process died
    false proof       the checker accepted a claim beyond the referee's bracket
    unproven          the checker refused a claim that the writer had made true
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from bench.conformance.fuzz_problems import Case
from bench.conformance.fuzz_referee import Bracket, bracket, cost_of_plans
from solvers import Plan, PlanPolicy, Solution, solve
from solvers.bounds import proof, proof_file, verify
from solvers.core.solver import make_solver

SOLVERS: dict[str, tuple[str, dict[str, Any]]] = {
    "always-sense": ("always-sense", {}),
    "atm": ("atm", {}),
    "hold": ("hold", {}),
    "spi": ("spi", {}),
    "spi, best": ("spi", {"init": "best"}),
    "truncation": ("truncation", {"depth": 2}),
    "fib": ("fib", {}),
    "qmdp": ("qmdp", {}),
    "pbvi": ("pbvi", {}),
    "delayed-information": ("delayed-information", {}),
    "dips": ("dips", {}),
    "dips, all roots": ("dips", {"roots": "all"}),
    "pomcp": ("pomcp", {"tree_queries": 10, "episodes": 2, "max_steps": 40, "max_depth": 30}),
}
"""What is run, by the name it is counted under: solver id and options."""
CHECKER = "checker"
BUDGET = 0.1
"""Planning seconds."""
ALLOWED = 1.1 * BUDGET + 0.5
TOLERANCE = 1e-9
"""Share of a root's size (referee) that rounding may explain."""
RAISED = 1e-6
"""A false claim is beyond the referee's bracket by this share."""


class Failure(NamedTuple):
    """kind : one of the words above; where : one of SOLVERS or CHECKER; detail : numbers."""

    kind: str
    where: str
    detail: str


def judge(
    case: Case,
    names: list[str],
    chance: np.random.Generator,
    begins: Callable[[str], None] = lambda where: None,
) -> list[Failure]:
    """Every failure of these of SOLVERS, and of the checker, on a case.

    begins : told what runs next
    """
    truth = bracket(case)
    failures = []
    for name in names:
        begins(name)
        failures += judge_solver(case, name, truth)
    begins(CHECKER)
    return failures + judge_checker(case, truth, chance)


def takes(case: Case, name: str) -> bool:
    """Whether a solver takes such a problem; a function of the belief is not for all of them."""
    solver, options = SOLVERS[name]
    return make_solver(solver, **options).supports(case.problem()) is None


def judge_solver(case: Case, name: str, truth: Bracket) -> list[Failure]:
    """What is wrong with one solver's answer."""
    problem = case.problem()
    solver, options = SOLVERS[name]
    began = time.process_time()
    try:
        method = make_solver(solver, **options)
        if method.supports(problem) is not None:
            return []
        solution = solve(problem, method, budget=BUDGET)
    except Exception as error:  # what a solver may raise is what is looked for
        return [Failure("exception", name, f"{type(error).__name__}: {error}")]
    seconds = time.process_time() - began
    failures = _wrong_bounds(name, solution, truth)
    if seconds > ALLOWED:
        failures.append(Failure("overrun", name, f"{seconds:.2f} s of {ALLOWED:.2f}"))
    if isinstance(solution.policy, PlanPolicy) and solution.values is not None:
        plans = [(p.actions or (0,), p.senses) for p in solution.policy.plans]
        exact = cost_of_plans(case, plans)
        off = np.abs(exact - solution.values) > TOLERANCE * (truth.size + np.abs(exact))
        if (off & ~case.terminal).any():
            j = int(np.flatnonzero(off)[0])
            said = f"root {j}: {solution.values[j]:.17g}, referee {exact[j]:.17g}"
            failures.append(Failure("wrong value", name, said))
    if solution.standard_error is not None:
        failures += _absurd(case, name, solution, truth)
    return failures


def _absurd(case: Case, name: str, solution: Solution, truth: Bracket) -> list[Failure]:
    """A simulated value must lie within what the costs allow, and where nothing is random, not
    below the optimum."""
    value, error = float(solution.value or 0.0), float(solution.standard_error or 0.0)
    cut = float(solution.info["truncation"])
    most = (np.abs(case.C).max() + case.k.max()) / (1 - case.alpha)
    said = f"value {value:.17g} ± {error:.3g}, cut off at most {cut:.3g}, costs at most {most:.17g}"
    sane = np.isfinite([value, cut]).all() and error >= 0 and abs(value) <= most * (1 + 1e-9)
    if np.isin(case.T, (0.0, 1.0)).all() and case.start.max() == 1:
        size = float(case.start @ truth.size) + cut
        sane = sane and value >= case.start @ truth.lower - cut - TOLERANCE * size
        said = f"{said}, the optimum {case.start @ truth.lower:.17g}"
    return [] if sane else [Failure("absurd", name, said)]


def _wrong_bounds(name: str, solution: Solution, truth: Bracket) -> list[Failure]:
    slack = TOLERANCE * truth.size
    failures = []
    for side, bound, sign, limit in (
        ("lower bound", solution.lower_bound, 1, truth.upper),
        ("upper bound", solution.upper_bound, -1, truth.lower),
        ("value", solution.values, -1, truth.lower),
    ):
        if bound is None:
            continue
        beyond = ~(sign * (bound - limit) <= slack)
        if beyond.any():
            j = int(np.flatnonzero(beyond)[0])
            between = f"[{truth.lower[j]:.17g}, {truth.upper[j]:.17g}]"
            said = f"{side} at root {j} is {bound[j]:.17g}, the optimum is in {between}"
            failures.append(Failure("wrong bound", name, said))
    if solution.value is not None and solution.lower is not None:
        crossed = solution.lower - solution.value > TOLERANCE * float(solution.start @ truth.size)
        if crossed and solution.gap == 0:
            said = f"lower {solution.lower!r} above value {solution.value!r}, gap 0"
            failures.append(Failure("crossing", name, said))
    return failures


def judge_checker(case: Case, truth: Bracket, chance: np.random.Generator) -> list[Failure]:
    """A true claim has to be proven, nearly as strong; a false one has to be refused."""
    if case.terminal.all() or case.shape:  # no proof is about functions
        return []
    problem = case.problem()
    S, A = case.C.shape
    plans = [Plan(tuple(chance.integers(A, size=3).tolist()), bool(chance.integers(2)))] * S
    claim = np.where(case.terminal, 0.0, truth.lower)
    try:
        stored = proof.make_proof(problem, claim, plans, 2.0)
        said = verify.check(proof_file.unpack(stored), time.process_time() + 10)
    except proof_file.Refused as refused:
        return [Failure("unproven", CHECKER, str(refused))]
    except Exception as error:  # the same
        return [Failure("exception", CHECKER, f"{type(error).__name__}: {error}")]
    failures = _false_side(stored, truth, said)
    live = np.flatnonzero(~case.terminal)
    j = int(chance.choice(live))
    for side, sign, limit in (("lower", 1, truth.upper), ("upper", -1, truth.lower)):
        false = {**stored, side: stored[side].copy()}
        false[side][j] = limit[j] + sign * RAISED * max(truth.size[j], 1e-12)
        means = [proof_file.exact_mean(false["start"], false[x]) for x in ("lower", "upper")]
        false["claim"] = np.array(
            [math.nextafter(means[0], -math.inf), math.nextafter(means[1], math.inf)]
        )
        false["digest"] = proof_file.digest(false)
        try:
            said = verify.check(proof_file.unpack(false), time.process_time() + 2)
            failures.append(Failure("false proof", CHECKER, f"{side} at root {j}: {said}"))
        except proof_file.Refused:
            pass
    return failures


def _false_side(stored: dict[str, np.ndarray], truth: Bracket, said: str) -> list[Failure]:
    slack = TOLERANCE * truth.size
    high = stored["lower"] > truth.upper + slack
    low = stored["upper"] < truth.lower - slack
    if not (high | low).any():
        return []
    j = int(np.flatnonzero(high | low)[0])
    bounds = f"{stored['lower'][j]:.17g}, {stored['upper'][j]:.17g}"
    return [Failure("false proof", CHECKER, f"root {j}: accepted {bounds} ({said})")]
