"""``sensebench julia setup``: install Julia and the packages, compile them, say what happens.

With ``PYTHON_JULIACALL_EXE`` and ``PYTHON_JULIACALL_PROJECT`` set, the prepared Julia is taken as
it is and only compiled: nothing is downloaded.  Otherwise juliacall's own installer finds or
downloads a Julia and makes a project in this virtual environment from the ``juliapkg.json`` of the
installed packages, ours among them.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable

from pomdp_bridge.julia import environment
from pomdp_bridge.julia.doctor import BROKEN, Diagnosis, diagnose

RESOLVE = "import juliapkg; juliapkg.resolve(force=True)"
PRECOMPILE = "using Pkg; Pkg.precompile()"


def install(progress: Callable[[str], None] = print) -> Diagnosis:
    """Install what is missing, compile it, and let the doctor say how it went.

    ``progress`` gets one line at a time.
    """
    if os.environ.get(environment.EXE) or os.environ.get(environment.PROJECT):
        progress("A prepared Julia is selected: nothing will be downloaded.")
    else:
        progress("Looking for Julia and installing the packages; this takes some minutes.")
        failed = _run([sys.executable, "-c", RESOLVE], progress)
        if failed:
            return Diagnosis(BROKEN, (f"The installation failed: {failed}",), environment.SETUP)
    env, finding = environment.check()
    if env is not None and finding is None:
        progress("Compiling the packages.")
        command = [env.executable, f"--project={env.project}", "--startup-file=no", "-e"]
        failed = _run([*command, PRECOMPILE], progress)
        if failed:
            return Diagnosis(
                BROKEN, (f"Compiling failed: {failed}",), environment.repair_command(env)
            )
        progress("Trying a planner.")
    return diagnose()


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
