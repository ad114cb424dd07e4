"""In which Julia project a solver file runs, and making one for it.

The pins of one solver's packages must not fight those of another, so a file may have a project of
its own.  The first of these that has all packages the file names is taken: the project its head
names, the one everything else runs in, those in ``SENSEBENCH_JULIA_PROJECTS`` (folders, parted as
in ``PATH``), and those that ``sensebench julia setup FILE.jl`` made.  What a project has is read
from its manifest; nothing is started.
"""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

from pomdp_bridge.julia import environment
from pomdp_bridge.julia.environment import NO_PACKAGES, Finding, JuliaEnvironment
from pomdp_bridge.julia.solver_file import Package, SolverFile

PROJECTS = "SENSEBENCH_JULIA_PROJECTS"
"""Environment variable: further Julia projects in which solver files find their packages."""


def project_for(file: SolverFile) -> tuple[JuliaEnvironment | None, Finding | None]:
    """The Julia and project a file runs in, or why there is none."""
    env, finding = environment.check()
    if env is None or finding is not None:
        return env, finding
    places = [file.project] if file.project else [Path(env.project), *_further(env)]
    for place in places:
        here = replace(env, project=str(place))
        if not lacking(here, file.packages) and environment.lacking(here) is None:
            return here, None
    nearest = lacking(replace(env, project=str(places[0])), file.packages)
    what = ", ".join(map(str, nearest)) or "SensingPOMDPs"
    where = f"the project {file.project}" if file.project else "no Julia project here"
    verb = "lacks" if file.project else "has"
    return env, Finding(
        NO_PACKAGES, f"{where} {verb} {what}", f"{environment.SETUP} {_named(file)}"
    )


def lacking(env: JuliaEnvironment, packages: tuple[Package, ...]) -> list[Package]:
    """The packages that a project's manifest does not have in the version asked for."""
    found = environment.manifest_versions(env)
    return [p for p in packages if p.name not in found or not p.fits(found[p.name])]


def made_project(file: SolverFile) -> Path:
    """Where ``sensebench julia setup FILE.jl`` makes the project of a file."""
    return file.project or _home() / Path(file.source).stem


def make_script(file: SolverFile) -> str:
    """The Julia code that fills the project of a file."""
    steps = [
        "using Pkg",
        f'Pkg.develop(path="{environment.JULIA_PACKAGE}")',
        f'Pkg.add(name="PythonCall", version="{version("juliacall")}")',
    ]
    for package in file.packages:
        if package.path:
            steps.append(f'Pkg.develop(path="{package.path}")')
        elif package.url:
            steps.append(f'Pkg.add(url="{package.url}")')
        else:
            asked = f', version="{package.version}"' if package.version else ""
            steps.append(f'Pkg.add(name="{package.name}"{asked})')
    return "; ".join([*steps, "Pkg.precompile()"])


def _further(env: JuliaEnvironment) -> list[Path]:
    named = [Path(p) for p in os.environ.get(PROJECTS, "").split(os.pathsep) if p]
    home = _home()
    made = sorted(p for p in home.iterdir() if p.is_dir()) if home.is_dir() else []
    return [*named, *made]


def _home() -> Path:
    return Path(sys.prefix, "julia_env_solvers")


def _named(file: SolverFile) -> str:
    return file.source if file.source.endswith(".jl") else f"julia:{file.source}"
