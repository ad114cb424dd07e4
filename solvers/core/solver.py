"""The contract of a solver, the registry that finds it, and ``solve``.

A solver is one file with one class::

    @dataclass
    class MySolver(Solver):
        name = "my-solver"
        depth: int = 3                      # an option and its default

        def supports(self, problem):        # optional: why it cannot take this problem
            ...

        def solve(self, problem, budget):
            return Solution(policy=...)

Files in ``solvers/planners`` are found by themselves; other packages join through the
entry-point group ``sensebench.solvers``; a file anywhere else joins with :func:`load_solver_file`.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import pkgutil
import sys
import time
import traceback
import warnings
from dataclasses import fields, is_dataclass, replace
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar, cast

import numpy as np

from solvers.core.budget import Budget, SolverError, is_interrupt
from solvers.core.evaluation import Evaluation, evaluate_fully
from solvers.core.first_use import announce_compiling
from solvers.core.means import mean
from solvers.core.model import SensingMDP
from solvers.core.options import annotations_of, of_type, words
from solvers.core.roots import REACHABLE, chosen_roots
from solvers.core.schemes import SCHEMES, SolverIds
from solvers.core.solution import Solution
from solvers.core.workers import one_blas_thread
from solvers.kernels.returns import UNIT

PLANNERS = "solvers.planners"
ENTRY_POINT_GROUP = "sensebench.solvers"
FILE_MODULES = "sensebench_file_"
"""How the names of modules begin that come from a file which belongs to no package."""
OLD_NAMES = {"sarsop": "dips"}
"""Ids of earlier versions, and the solver that answers to them now."""
NEARLY = 1e-9
"""Share of a value by which an upper bound may miss it and still count as nearly solved."""
ROUNDINGS = 100
"""The same in proven errors of that value, which measure rounding where large costs cancel."""


class Solver:
    """Base of all solvers; make the subclass a dataclass whose fields are its options."""

    name: ClassVar[str]
    splits_roots: ClassVar[bool] = False
    """True if it hands independent roots to :func:`solvers.core.workers.workers`."""

    def supports(self, problem: SensingMDP) -> str | None:
        """None if this solver can take the problem, else the reason why not, in words."""
        return None

    def available(self) -> str | None:
        """None if this solver can run on this machine, else the reason why not, in words."""
        return None

    def solve(self, problem: SensingMDP, budget: Budget) -> Solution:
        """Plan within the budget; fill the policy and what is proven, nothing else."""
        raise TypeError(f"{type(self).__name__} does not define solve(problem, budget)")

    @classmethod
    def options(cls) -> dict[str, Any]:
        """The options by name, with their defaults."""
        return {f.name: f.default for f in fields(cls)} if is_dataclass(cls) else {}


_registry: dict[str, type[Solver]] = {}
_scanned = False


def solver_classes() -> dict[str, type[Solver]]:
    """Every solver known here, by id; an id with a scheme (``julia:FILE.jl``) is found, too."""
    global _scanned
    if not _scanned:
        _scanned = True
        for module in pkgutil.iter_modules(importlib.import_module(PLANNERS).__path__):
            _register_from(importlib.import_module(f"{PLANNERS}.{module.name}"))
        for point in entry_points(group=ENTRY_POINT_GROUP):
            try:
                _register_from(point.load())
            except Exception as error:  # another package's fault must not take ours down
                warnings.warn(
                    f"the solvers of {point.value} cannot be loaded: {error}", stacklevel=2
                )
    return SolverIds(_registry)


def load_solver_file(path: str | Path) -> list[type[Solver]]:
    """Take the solvers of a file that belongs to no package; returns their classes."""
    found = register_solvers(import_file(path))
    if not found:
        raise SolverError(f"{path} defines no solver: expected a subclass of solvers.Solver")
    return found


def import_file(path: str | Path) -> ModuleType:
    """The module in a file that belongs to no package."""
    path = Path(path)
    if not path.is_file():
        raise SolverError(f"no such solver file: {path}")
    spec = importlib.util.spec_from_file_location(f"{FILE_MODULES}{path.stem}", path)
    if spec is None or spec.loader is None:
        raise SolverError(f"{path} is not a Python file: expected a name ending in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # so that its annotations can be resolved
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # whatever a user's file does while it is read
        del sys.modules[spec.name]
        raise SolverError(f"{path} cannot be loaded: {_told(error, path)}") from error
    return module


def _told(error: BaseException, path: Path) -> str:
    """An error in a user's file: what it is, and the line of the file it comes from."""
    if isinstance(error, SyntaxError):
        return f"line {error.lineno}: {error.msg}"
    own = [f for f in traceback.extract_tb(error.__traceback__) if Path(f.filename) == path]
    line = f"line {own[-1].lineno}: " if own else ""
    if isinstance(error, SystemExit):
        return f"{line}it ends Python (sys.exit) while it is read"
    return f"{line}{type(error).__name__}: {error}"


def register_solvers(module: ModuleType) -> list[type[Solver]]:
    """Take the solvers of a module from a file; one that has another's name is refused."""
    known = solver_classes()
    for cls in _solvers_in(module):
        if not isinstance(cls.name, str) or not cls.name.strip():
            raise SolverError(
                f"{module.__file__}: the name of class {cls.__name__} is {cls.name!r}; "
                'expected text, such as name = "my-solver"'
            )
        other = known.get(cls.name)
        if other is not None and Path(inspect.getfile(other)) != Path(inspect.getfile(cls)):
            raise SolverError(
                f"{module.__file__}: {cls.name!r} is the name of another solver; choose another"
            )
    return _register_from(module)


def _register_from(source: ModuleType | type[Solver]) -> list[type[Solver]]:
    found = _solvers_in(source) if inspect.ismodule(source) else [source]
    SCHEMES.update(getattr(source, "SCHEMES", {}))
    for cls in found:
        _registry[cls.name] = cls
    return found


def _solvers_in(module: ModuleType) -> list[type[Solver]]:
    members = [c for c in vars(module).values() if inspect.isclass(c) and issubclass(c, Solver)]
    # Only classes written in the module itself: an imported one is registered where it lives.
    return [c for c in members if c.__module__ == module.__name__ and "name" in vars(c)]


def make_solver(solver: str | Solver, **options: Any) -> Solver:
    """A solver by id, with options by name."""
    if isinstance(solver, Solver):
        check_types(type(solver), options)
        return replace(cast(Any, solver), **options) if options else solver
    known = solver_classes()
    solver = OLD_NAMES.get(solver, solver)
    if solver not in known:
        raise SolverError(f"unknown solver {solver!r}; the solvers are: {', '.join(sorted(known))}")
    cls = known[solver]
    for option in options:
        if option not in cls.options():
            has = ", ".join(cls.options()) or "none"
            raise SolverError(f"{solver} has no option {option!r}; its options are: {has}")
    check_types(cls, options)
    return cls(**options)


def check_types(cls: type[Solver], options: dict[str, Any]) -> None:
    """Refuse an option whose value is not of the type that the solver's class asks for."""
    hints = annotations_of(cls)
    for option, value in options.items():
        if not of_type(value, hints.get(option, Any)):
            expected = words(hints[option])
            raise SolverError(f"{cls.name}: {option} is {value!r}; expected {expected}")


def solve(
    problem: SensingMDP, solver: str | Solver, budget: float | None = None, **options: Any
) -> Solution:
    """Run one solver on one problem and evaluate what it found.

    Parameters
    ----------
    solver : id (``"spi"``) or a Solver
    budget : planning seconds; None for no limit
    options : the solver's own options, by name
    """
    if not isinstance(problem, SensingMDP):
        raise SolverError(f"the problem is a {type(problem).__name__}; expected a SensingMDP")
    announce_compiling()
    method = make_solver(solver, **options)
    for reason in (method.available(), method.supports(problem)):
        if reason:
            raise SolverError(f"{method.name} cannot take {problem.name}: {reason}")
    clock = Budget(float("inf") if budget is None else budget)
    try:
        with one_blas_thread():
            found = method.solve(problem, clock)
    except SystemError as error:
        if is_interrupt(error):
            raise KeyboardInterrupt from None
        raise
    if not isinstance(found, Solution):
        kind = "nothing (None)" if found is None else f"a {type(found).__name__}"
        raise SolverError(f"{method.name}: solve returned {kind}; expected solvers.Solution")
    seconds = found.seconds or clock.spent()
    with one_blas_thread():
        return complete(found, problem, method.name, seconds)


def complete(found: Solution, problem: SensingMDP, name: str, seconds: float) -> Solution:
    """Add the exact value, the sensing rate and the times to what a solver returned."""
    began = time.perf_counter()
    found = replace(
        found, solver=name, start=problem.start, seconds=seconds, floor=problem.cost_floor
    )
    policy = found.policy
    if policy is not None and not policy.randomised:
        part = chosen_roots(found.roots, problem) == REACHABLE
        exact = evaluate_fully(problem, policy, np.flatnonzero(problem.start) if part else None)
        found = replace(
            found,
            values=exact.values,
            error=exact.error,
            value=mean(problem.start, exact.values),
            value_error=_mean_error(problem.start, exact),
            sensing_rate=exact.sensing_rate(problem.start),
            upper_bound=_proven_above(found.upper_bound, exact),
        )
    elif found.values is not None and found.value is None:
        found = replace(found, value=float(problem.start @ np.asarray(found.values)))
    return replace(found, evaluation_seconds=time.perf_counter() - began)


def _proven_above(upper_bound: np.ndarray | None, exact: Evaluation) -> np.ndarray | None:
    """A solver's upper bound (S,), raised to what its policy is proven to cost where it is below
    that by no more than NEARLY or ROUNDINGS, and infinite at roots where the policy was not
    evaluated.

    A search sums the same costs in another order, so its bound may be off by rounding.  A bound
    that is further off is a mistake, and left for the checks to name.
    """
    if upper_bound is None:
        return None
    proven = exact.values + exact.error
    proven = np.where(exact.error > 0, np.nextafter(proven, np.inf), proven)  # the sum was rounded
    nearly = NEARLY * np.abs(exact.values) + ROUNDINGS * exact.error
    near = np.asarray(upper_bound) >= exact.values - nearly
    above = np.where(near, np.maximum(upper_bound, proven), upper_bound)
    return np.where(np.isnan(proven), np.inf, above)


def _mean_error(start: np.ndarray, exact: Evaluation) -> float:
    """By how much the mean value under start can be off, the rounding of the mean included."""
    rounding = 2 * (np.count_nonzero(start) + 2) * UNIT * mean(start, np.abs(exact.values))
    return mean(start, exact.error) * (1 + 1e-9) + rounding
