"""The solvers of POMDPs.jl as solvers of ours, each one Julia file.

A file (see :mod:`pomdp_bridge.julia.solver_file`) plans on the POMDP of
:mod:`pomdp_bridge.export` in a worker process.  What comes back decides how it is judged: alpha
vectors and the plans of any other deterministic policy by the exact evaluator, a policy that plans
with chance by simulation.  The files in ``julia/solvers`` have the ids ``julia-NAME``; any other
one is ``julia:FILE.jl``, and a solver that needs no file ``julia:Package.SolverType``.  Options
named in the file go through to it; None leaves one at the package's own default.  Common options:

    reward_scale   rewards are multiplied by this while planning, never when evaluating
    memory_gb      the worker is stopped when it holds more
    start          where planning depends on it: "distribution", from the belief ``start``, as in
                   the paper; "revealed", the first state is shown for free, as our agent knows it
    episodes, seed of a policy that is simulated

Planning is stopped hard at the budget plus a quarter and five seconds, because some planners look
at the clock rarely or never.
"""

from __future__ import annotations

import math
import re
from dataclasses import MISSING, dataclass, field, fields, make_dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from pomdp_bridge.export import DISTRIBUTION, REVEALED, STARTS, reveal_start
from pomdp_bridge.julia import environment
from pomdp_bridge.julia.bounds import fib_lower_bound, sarsop_bounds
from pomdp_bridge.julia.bridge import LIMITS, Answer, Call, call_julia
from pomdp_bridge.julia.errors import SOLVE, BridgeError
from pomdp_bridge.julia.projects import project_for
from pomdp_bridge.julia.solver_file import PROVEN, VECTORS, Package, SolverFile, read_head
from pomdp_bridge.process.status import FAILED, TIMEOUT
from solvers.core.model import SensingMDP
from solvers.core.policy import AlphaVectorPolicy, Plan, PlanPolicy, Policy
from solvers.core.schemes import AnyOption
from solvers.core.solution import BUDGET, SOLVED, Solution
from solvers.core.solver import Budget, Solver, SolverError

OURS = ("start", "reward_scale", "memory_gb", "episodes", "seed", "given")
"""Options that are not the Julia solver's."""
KNOWN = "known"
"""Start of a planner that does not plan from a belief."""
SCHEME = "julia:"
_TYPE = re.compile(r"[A-Za-z]\w*(\.[A-Za-z]\w*)+")


@dataclass(kw_only=True)
class JuliaSolver(Solver):
    """Base of all of them; it has no name, so it is not one itself."""

    reward_scale: float = 1.0
    memory_gb: float = 4.0

    file: ClassVar[SolverFile]
    overhead_seconds: ClassVar[float] = sum(LIMITS.values())
    """Start-up and hand-over, apart from any budget."""

    def available(self) -> str | None:
        _, finding = project_for(self.file)
        return None if finding is None else str(finding)

    def supports(self, problem: SensingMDP) -> str | None:
        if not problem.has_linear_sensing_cost:
            return "its sensing cost is a function of the belief, so it has no POMDP"
        if problem.discount >= 1:
            return "its discount is 1, which the solvers of POMDPs.jl do not take"
        return None

    def julia_options(self) -> dict[str, Any]:
        """The options that were set, for ``make_solver``."""
        given = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in OURS}
        return {name: value for name, value in given.items() if value is not None}

    def solve(self, problem: SensingMDP, budget: Budget) -> Solution:
        """Plan in a worker and take what comes back."""
        start = getattr(self, "start", KNOWN)
        if start not in (KNOWN, *STARTS):
            raise SolverError(
                f"{self.name}: start is {start!r}; expected one of {', '.join(STARTS)}"
            )
        if not self.reward_scale > 0:
            raise SolverError(f"{self.name}: reward_scale is {self.reward_scale}; expected > 0")
        call = Call(
            file=self.file,
            budget=budget.seconds,
            options=self.julia_options(),
            seed=getattr(self, "seed", 0),
            episodes=getattr(self, "episodes", 100),
            reward_scale=self.reward_scale,
            memory_gb=self.memory_gb,
        )
        answer = call_julia(reveal_start(problem) if start == REVEALED else problem, call)
        info = {**answer.info(), "start_belief": start, "reward_scale": self.reward_scale}
        if len(answer.arrays["returns"]):
            return self.simulated(answer, info)
        return self.planned(problem, answer, start, info)

    def planned(self, problem: SensingMDP, answer: Answer, start: str, info: dict) -> Solution:
        """The solution of a deterministic policy; the evaluator adds its value."""
        policy = policy_of(problem, answer, self.reward_scale)
        lower, trace, more = None, [], {}
        if isinstance(policy, AlphaVectorPolicy):
            more["alpha_vectors"] = len(policy.alphas)
            if self.file.bounds == VECTORS:
                lower, more["residual"] = fib_lower_bound(problem, policy)
            elif len(answer.arrays["upper"]):
                proven = self.file.bounds == PROVEN
                lower, trace, noted = sarsop_bounds(
                    problem, policy, answer, start, self.reward_scale, proven=proven
                )
                more.update(noted)
        # Not a number where a planner has no bounds of its own; then it ran to its end.
        open_gap = answer.numbers["root_upper"] - answer.numbers["root_lower"]
        stopped = open_gap > answer.numbers["settings"].get("precision", 0.0)
        return Solution(
            policy=policy,
            lower_bound=lower,
            iterations=int(answer.numbers["iterations"]),
            status=BUDGET if stopped else SOLVED,
            trace=trace,
            seconds=answer.numbers["seconds"],
            info={**info, **more},
        )

    def simulated(self, answer: Answer, info: dict) -> Solution:
        """The solution of a policy that plans with chance: its mean and standard error."""
        costs = -answer.arrays["returns"] / self.reward_scale
        numbers = answer.numbers
        if len(costs) < 2:
            raise BridgeError(
                SOLVE,
                "only one episode was simulated, which gives no standard error: allow more time, "
                "less planning or more episodes",
                answer.log,
                TIMEOUT if getattr(self, "episodes", 100) > 1 else FAILED,
            )
        spread = np.std(costs, ddof=1) / math.sqrt(len(costs))
        return Solution(
            policy=None,
            value=float(costs.mean()),
            standard_error=float(spread),
            sensing_rate=numbers["looks"] / numbers["steps"] if numbers["steps"] else 0.0,
            iterations=int(numbers["decisions"]),
            status=SOLVED if len(costs) == getattr(self, "episodes", 100) else BUDGET,
            seconds=float(numbers["seconds"]),
            info={
                **info,
                "episodes": len(costs),
                "truncation": numbers["truncation"] / self.reward_scale,
            },
        )


@dataclass(kw_only=True, init=False)
class OpenJuliaSolver(JuliaSolver):
    """A Julia solver whose options nobody has listed: all are passed on by name."""

    episodes: int = 100
    seed: int = 0
    given: dict[str, Any] = field(default_factory=dict)

    def __init__(self, **options: Any) -> None:
        self.given = dict(options.pop("given", {}))
        for f in fields(self):
            if f.name != "given":
                setattr(self, f.name, options.pop(f.name, f.default))
        self.given.update(options)

    @classmethod
    def options(cls) -> dict[str, Any]:
        """The common options, and any other by name."""
        own = {f.name: f.default for f in fields(cls) if f.default is not MISSING}
        return AnyOption(own)

    def julia_options(self) -> dict[str, Any]:
        return dict(self.given)


def policy_of(problem: SensingMDP, answer: Answer, reward_scale: float) -> Policy:
    """Alpha vectors or plans of an answer, as a policy of ours."""
    S, A = problem.num_states, problem.num_actions
    if len(answer.arrays["actions"]):
        costs = -answer.arrays["alphas"][:, :S] / reward_scale
        chosen = answer.arrays["actions"]
        return AlphaVectorPolicy(problem, costs, chosen % A, chosen >= A)
    ends = np.cumsum(answer.arrays["plan_lengths"]).tolist()
    actions = (answer.arrays["plan_actions"] % A).tolist()
    looks = answer.arrays["plan_looks"].tolist()
    plans = [
        Plan(tuple(actions[first:last]), bool(look))
        for first, last, look in zip([0, *ends[:-1]], ends, looks, strict=True)
    ]
    return PlanPolicy(problem, plans[:S])


def solver_class(solver_id: str, file: SolverFile) -> type[JuliaSolver]:
    """The class of a solver file, its options as fields."""
    about = {"name": solver_id, "file": file, "__module__": __name__, "__doc__": file.title}
    if file.options is None:
        return type("JuliaFileSolver", (OpenJuliaSolver,), about)
    extra: list[tuple[str, Any, Any]] = [
        (option.name, option.type | None, field(default=option.default)) for option in file.options
    ]
    taken = [name for name, _, _ in extra if name in OURS]
    if taken:
        raise SolverError(f"{file.source}: the option {taken[0]} is one of ours; rename it")
    if file.asks_start:
        extra.append(("start", str, field(default=DISTRIBUTION)))
    if file.random:
        extra += [("episodes", int, field(default=100)), ("seed", int, field(default=0))]
    return make_dataclass(
        "JuliaFileSolver", extra, bases=(JuliaSolver,), namespace=about, kw_only=True
    )


def by_id(solver_id: str) -> type[JuliaSolver]:
    """The class of ``julia:FILE.jl`` or ``julia:Package.SolverType``."""
    source = solver_id.removeprefix(SCHEME)
    if source.endswith(".jl"):
        return solver_class(solver_id, read_head(Path(source)))
    if not _TYPE.fullmatch(source):
        raise SolverError(
            f"{solver_id}: expected julia:FILE.jl or julia:Package.SolverType, such as "
            "julia:ARDESPOT.DESPOTSolver"
        )
    return solver_class(solver_id, SolverFile(source, packages=(Package(source.split(".")[0]),)))


def shipped() -> dict[str, type[JuliaSolver]]:
    """The solvers in ``julia/solvers``, by class name."""
    found = {}
    for path in sorted((environment.JULIA_PACKAGE / "solvers").glob("*.jl")):
        solver_id = "julia-" + path.stem.replace("_", "-")
        cls = solver_class(solver_id, read_head(path))
        cls.__name__ = cls.__qualname__ = f"Julia{path.stem.title().replace('_', '')}"
        found[cls.__name__] = cls
    return found


SCHEMES = {SCHEME.removesuffix(":"): by_id}
globals().update(shipped())
