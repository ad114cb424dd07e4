"""``sensebench julia setup``: install Julia and the packages, compile them, say what happens.

With ``PYTHON_JULIACALL_EXE`` and ``PYTHON_JULIACALL_PROJECT`` set, the prepared Julia is taken as
it is and only compiled: nothing is downloaded.  Otherwise juliacall's own installer finds or
downloads a Julia and makes a project in this virtual environment from the ``juliapkg.json`` of the
installed packages, ours among them.  For a solver file a project of its own is made, with the
packages that its head names.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable

from pomdp_bridge.julia import environment, sysimage
from pomdp_bridge.julia.doctor import BROKEN, WORKS, Diagnosis, diagnose
from pomdp_bridge.julia.projects import made_project, make_script, project_for
from pomdp_bridge.julia.solver_file import SolverFile

RESOLVE = """
import juliapkg, sys
try:
    juliapkg.resolve(force=True)
except Exception as error:
    sys.exit(f"{type(error).__name__}: {error}")
"""
PRECOMPILE = "using Pkg; Pkg.precompile()"
PREPARED = (
    "Where nothing can be downloaded, select a prepared Julia: set PYTHON_JULIACALL_EXE, "
    "PYTHON_JULIACALL_PROJECT, JULIA_DEPOT_PATH and JULIA_PKG_OFFLINE=true (docs/julia.md)."
)


def install(progress: Callable[[str], None] = print) -> Diagnosis:
    """Install what is missing, compile it, and let the doctor say how it went.

    ``progress`` gets one line at a time.
    """
    if os.environ.get(environment.EXE) or os.environ.get(environment.PROJECT):
        progress("A prepared Julia is selected: nothing will be downloaded.")
    else:
        progress("Looking for Julia and installing the packages; this takes ten minutes or more.")
        failed = _run([sys.executable, "-c", RESOLVE], progress)
        if failed:
            return Diagnosis(BROKEN, (f"The installation failed: {failed}", PREPARED))
    env, finding = environment.check()
    if env is not None and finding is None:
        progress("Compiling the packages; the first time this takes about ten minutes.")
        command = [env.executable, f"--project={env.project}", "--startup-file=no", "-e"]
        failed = _run([*command, PRECOMPILE], progress)
        if failed:
            return Diagnosis(
                BROKEN, (f"Compiling failed: {failed}",), environment.repair_command(env)
            )
        progress("Trying a planner.")
    return diagnose(progress)


def install_for(file: SolverFile, progress: Callable[[str], None] = print) -> Diagnosis:
    """Make the Julia project in which a solver file finds its packages."""
    env, finding = environment.check()
    if env is None or finding is not None:
        return Diagnosis(finding.code, (finding.what,), finding.fix)
    project = made_project(file)
    project.mkdir(parents=True, exist_ok=True)
    progress(f"Making the Julia project {project}; compiling it may take ten minutes.")
    command = [env.executable, f"--project={project}", "--startup-file=no", "-e"]
    failed = _run([*command, make_script(file)], progress)
    if failed:
        return Diagnosis(BROKEN, (f"The project {project} cannot be made: {failed}",))
    _, finding = project_for(file)
    if finding is not None:
        return Diagnosis(finding.code, (finding.what,), finding.fix)
    return Diagnosis(WORKS, (f"{file.source} finds its packages in {project}",))


def install_image(progress: Callable[[str], None] = print) -> Diagnosis:
    """Build the system image of the Julia that runs here, and let the doctor try it."""
    env, finding = environment.check()
    if env is None or finding is not None:
        return Diagnosis(finding.code, (finding.what,), finding.fix)
    project = sysimage.compiler_project()
    project.mkdir(parents=True, exist_ok=True)
    progress("Building a system image; this takes about ten minutes and a C compiler.")
    command = [env.executable, f"--project={project}", "--startup-file=no", "-e"]
    failed = _run([*command, sysimage.build_script(env)], progress)
    if failed:
        return Diagnosis(BROKEN, (f"The system image cannot be built: {failed}",))
    progress(f"Trying a planner with {sysimage.keep(env)}.")
    return diagnose(progress)


def _run(command: list[str], progress: Callable[[str], None]) -> str | None:
    """Run a command, passing its lines on as they come; its last words if it fails."""
    last = ""
    try:
        with subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        ) as process:
            for line in process.stdout:
                if line := line.rstrip():
                    last = line
                    progress(f"  {line}")
    except OSError as error:
        return str(error)
    return (last or f"exit code {process.returncode}") if process.returncode else None
