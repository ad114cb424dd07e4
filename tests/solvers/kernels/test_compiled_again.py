"""Compiled code is never older than the sources it was made from."""

import shutil
import subprocess
import sys
from pathlib import Path

import solvers.kernels

CALLEE = "from numba import njit\n\n@njit(cache=True)\ndef number():\n    return {}\n"
CALLER = (
    "from numba import njit\nfrom loops.callee import number\n\n"
    "@njit(cache=True)\ndef twice():\n    return 2 * number()\n"
)


def test_a_loop_is_compiled_again_when_one_that_it_calls_has_changed(tmp_path):
    """numba alone looks at the caller's file only, and would go on with the old callee."""
    package = tmp_path / "loops"
    package.mkdir()
    shutil.copy(solvers.kernels.__file__, package)
    (package / "caller.py").write_text(CALLER)
    for number in (1, 20):
        (package / "callee.py").write_text(CALLEE.format(number))
        assert _run(tmp_path) == 2 * number
        assert _run(tmp_path) == 2 * number  # from what was kept


def _run(folder: Path) -> int:
    code = "from loops.caller import twice; print(twice())"
    child = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True
    )
    return int(child.stdout)
