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

from pomdp_bridge import environment
from pomdp_bridge.doctor import Diagnosis, diagnose
from pomdp_bridge.errors import FIND, START, BridgeError


def install(progress: Callable[[str], None] = print) -> Diagnosis:
    """Install what is missing, compile it, and hand the result to the doctor.

    ``progress`` gets one line at a time.  A step that fails is a BridgeError.
    """
    prepared = os.environ.get(environment.EXE) or os.environ.get(environment.PROJECT)
    if prepared:
        progress("A prepared Julia is selected: nothing will be downloaded.")
    else:
        progress("Looking for Julia and installing the packages; this takes some minutes.")
        resolve = "import juliapkg; juliapkg.resolve(force=True)"
        _run([sys.executable, "-c", resolve], progress, "the installation failed")
    env, finding = environment.check()
    if env is None or (finding is not None and finding.code == environment.TOO_OLD):
        raise BridgeError(FIND, str(finding))
    if finding is None:
        progress("Compiling the packages.")
        command = [env.executable, f"--project={env.project}", "--startup-file=no", "-e"]
        _run([*command, "using Pkg; Pkg.precompile()"], progress, "compiling failed")
        progress("Trying a planner.")
    return diagnose()


def _run(command: list[str], progress: Callable[[str], None], failure: str) -> None:
    """Run a command, passing its lines on as they come."""
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
    except OSError as error:
        raise BridgeError(START, f"{failure}: {error}") from None
    last = ""
    with process:
        for line in process.stdout:
            line = line.rstrip()
            if line:
                last = line
                progress(f"  {line}")
    if process.returncode:
        raise BridgeError(START, f"{failure}: {last or f'exit code {process.returncode}'}")
