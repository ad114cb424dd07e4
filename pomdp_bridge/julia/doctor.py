"""``sensebench julia doctor``: which Julia, which project, which versions, what is missing.

First what can be read without starting Julia; if that is in order, a real planner on a two-state
problem in a real worker.  Whatever is wrong comes with the command that fixes it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version

from pomdp_bridge.julia import environment
from pomdp_bridge.julia.bridge import Call, call_julia
from pomdp_bridge.julia.errors import BridgeError
from pomdp_bridge.julia.projects import project_for
from pomdp_bridge.julia.solver_file import SolverFile, read_head
from pomdp_bridge.julia.sysimage import built_image
from solvers.core.model import SensingMDP

WORKS = "works"
BROKEN = "broken"


@dataclass(frozen=True)
class Diagnosis:
    """What the doctor found.

    code : ``works``, ``broken`` (Julia starts but a planner fails) or the code of a finding
    lines : the report, one fact per line
    fix : the command that mends it; None if nothing is wrong
    """

    code: str
    lines: tuple[str, ...]
    fix: str | None = None

    @property
    def ok(self) -> bool:
        return self.code == WORKS

    @property
    def exit_code(self) -> int:
        return 0 if self.ok else 1

    def __str__(self) -> str:
        fix = ("", "To fix it, run:", f"    {self.fix}") if self.fix else ()
        return "\n".join((*self.lines, *fix))


def diagnose(progress: Callable[[str], None] = print) -> Diagnosis:
    """Examine the Julia that would run here; never installs, never raises.

    ``progress`` gets a line before what may take long.
    """
    env, finding = environment.check()
    lines = [f"juliacall  {version('juliacall')}"]
    if env is not None:
        lines += [
            f"depot      {os.pathsep.join(map(str, environment.depots()))}",
            f"Julia      {env.version_text} at {env.executable}",
            f"project    {env.project} (from {env.source})",
        ]
        image = built_image(env) or f"none: run `{environment.SETUP} --sysimage` for quick starts"
        lines.append(f"image      {image}")
        lines += _versions(env)
    if finding is not None:
        return Diagnosis(finding.code, (*lines, f"problem    {finding.what}"), finding.fix)
    if not _compiled():
        progress("Julia has not compiled these packages yet; it does so now, which takes minutes.")
    try:
        answer = call_julia(_two_states(), Call(_shipped("fib"), budget=60))
    except BridgeError as error:
        lines.append(f"problem    a planner failed: {error.reason}, while {error.stage}")
        if error.log:
            lines.append(f"log        {error.log}")
        return Diagnosis(BROKEN, tuple(lines), environment.repair_command(env))
    lines += _solver_files()
    lines.append(
        f"result     works: Julia starts in {answer.start_seconds:.1f} s and FIB solves two states"
    )
    return Diagnosis(WORKS, tuple(lines))


def _compiled() -> bool:
    """Whether Julia has ever compiled our package, in any of its depots."""
    return any(
        next(depot.glob("compiled/v*/SensingPOMDPs/*.ji"), None) for depot in environment.depots()
    )


def _shipped(name: str) -> SolverFile:
    return read_head(environment.JULIA_PACKAGE / "solvers" / f"{name}.jl")


def _solver_files() -> list[str]:
    """Which of the shipped solver files can run, and what the others lack."""
    lines = []
    for path in sorted((environment.JULIA_PACKAGE / "solvers").glob("*.jl")):
        env, finding = project_for(read_head(path))
        where = f"in {env.project}" if finding is None else str(finding)
        lines.append(f"solver     julia-{path.stem.replace('_', '-')}: {where}")
    return lines


def _versions(env: environment.JuliaEnvironment) -> list[str]:
    found = environment.manifest_versions(env)
    exact = {n: v for n, (_, v) in environment.required_packages().items() if v}
    wanted = {"PythonCall": version("juliacall"), **exact}
    return [
        f"package    {name} {found.get(name) or 'missing'}"
        + ("" if found.get(name) == needed else f" (needed: {needed})")
        for name, needed in wanted.items()
    ]


def _two_states() -> SensingMDP:
    leave_and_stay = [[[0.7, 0.3], [0.2, 0.8]], [[0.3, 0.7], [0.9, 0.1]]]
    return SensingMDP.from_arrays(
        leave_and_stay, [[0.0, 1.0], [1.0, 0.0]], 0.5, 0.25, name="doctor"
    )
