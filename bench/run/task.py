"""A task in a process of its own: a module is given one JSON object and answers with JSON lines.

What learning and continuous suites run on; cells of the planning suites have phases and rows, and
their own :mod:`bench.run.supervise`.  Both stand on :mod:`pomdp_bridge.process`: hard limits of
time and memory, children ended too, nobody left behind should the run be killed.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from bench.run.supervise import LOG_BYTES, THREAD_VARIABLES
from pomdp_bridge.process.child import Announcer, die_with_parent, first_line
from pomdp_bridge.process.supervise import ProcessFailure, Watch, supervise

END = "end"
"""In the last line that a task answers with."""
FAILED = "failed"
"""In the last line of a task that did not come to its end: the reason."""
PHASE = "running"


def run_task(
    module: str,
    spec: Mapping[str, Any],
    seconds: float,
    memory_mb: int,
    stop: threading.Event | None = None,
) -> list[dict[str, Any]]:
    """The lines of a task; the last has END, or FAILED with the reason.

    seconds : of wall-clock time; stop : when set, the process is ended and
    :class:`pomdp_bridge.process.supervise.Stopped` raised
    """
    lines: list[dict[str, Any]] = []

    def take(line: dict[str, Any]) -> bool:
        lines.append(line)
        return END in line

    environment = {**os.environ, **dict.fromkeys(THREAD_VARIABLES, "1"), "PYTHONHASHSEED": "0"}
    watch = Watch(PHASE, lambda phase: seconds, take, memory_mb, stop)
    with tempfile.TemporaryFile() as log:
        try:
            request = (json.dumps(spec) + "\n").encode()
            supervise([sys.executable, "-m", module], log, environment, watch, request)
        except ProcessFailure as failure:
            log.seek(max(0, os.fstat(log.fileno()).st_size - LOG_BYTES))
            said = log.read().decode("utf-8", "replace").strip().splitlines()
            known = failure.exit_code is not None and said
            lines.append({FAILED: f"{failure.reason}: {said[-1]}" if known else failure.reason})
    return lines


def answer(work: Callable[[dict[str, Any]], Iterable[Mapping[str, Any]]]) -> None:
    """The task's own side, to be called by its module: do ``work`` and send the lines it gives."""
    announce = Announcer.from_environment()
    spec = json.loads(first_line())
    die_with_parent(watch_input=True)
    for line in work(spec):
        announce(**line)
    sys.stdout.flush()
    os._exit(0)  # no thread or child may hold up the end
