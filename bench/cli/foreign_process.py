"""The process of ``sensebench solve --solver-file``: takes the arguments, announces the answer."""

from __future__ import annotations

import faulthandler
import io
import json
import os
import sys
from contextlib import redirect_stdout

from bench.cli import main as run_command
from bench.cli.solve import solve_here
from pomdp_bridge.process.child import Announcer, die_with_parent, first_line


def main() -> None:
    """Solve as the arguments on standard input say; announce what was printed, and the code."""
    faulthandler.enable()
    announce = Announcer.from_environment()
    arguments = json.loads(first_line())
    die_with_parent(watch_input=True)
    answer = io.StringIO()
    with redirect_stdout(answer):
        code = run_command(arguments, call=solve_here)
    sys.stderr.flush()
    announce(answer=answer.getvalue(), code=code)
    os._exit(0)  # no thread or child of a solver may hold up the end


if __name__ == "__main__":
    main()
