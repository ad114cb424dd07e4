"""A Julia worker under hard limits: whatever ends it but its own ``done`` is a BridgeError.

The watching itself is :mod:`pomdp_bridge.process.supervise`; here its findings get the words of the
bridge, and the last line of the worker's log where that says more.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pomdp_bridge.julia.errors import BridgeError
from pomdp_bridge.process import supervise as process
from pomdp_bridge.process.status import FAILED, TIMEOUT
from pomdp_bridge.process.supervise import ProcessFailure, Watch, Watched


def supervise(
    command: Sequence[str],
    log: Path,
    *,
    first_stage: str,
    limits: Mapping[str, float],
    memory_mb: float,
    environment: Mapping[str, str],
) -> Watched:
    """Run a worker to its end.

    Parameters
    ----------
    first_stage : the stage it is in before its first announcement
    limits : seconds for each stage
    memory_mb : resident size of the worker and its children at which it is stopped
    """
    stage = first_stage

    def limit(phase: Mapping[str, Any]) -> float:
        nonlocal stage
        stage = phase["phase"]
        return limits.get(stage, math.inf)

    def take(message: dict[str, Any]) -> bool:
        if "error" in message:
            raise BridgeError(stage, message["error"], log, message.get("kind", FAILED))
        return bool(message.get("done"))

    watch = Watch(first_stage, limit, take, memory_mb)
    try:
        with open(log, "ab") as output:
            return process.supervise(command, output, environment, watch, own_session=False)
    except OSError as error:
        raise BridgeError(first_stage, f"cannot start {command[0]}: {error}", log) from None
    except ProcessFailure as failure:
        raise _told(failure, log, limits) from None


def _told(failure: ProcessFailure, log: Path, limits: Mapping[str, float]) -> BridgeError:
    reason = failure.reason
    if failure.status == TIMEOUT:
        reason = f"timeout after {limits[failure.phase]:.0f} s"
    elif failure.exit_code is not None:
        last = last_line(log)
        reason = f"the worker ended with exit code {failure.exit_code}"
        reason += f": {last}" if last else ""
    return BridgeError(failure.phase, reason, log, failure.status)


def last_line(log: Path) -> str:
    """The last line of a log that says something, shortened."""
    try:
        tail = log.read_bytes()[-4096:].decode(errors="replace")
    except OSError:
        return ""
    lines = [line.strip() for line in tail.splitlines() if line.strip()]
    return lines[-1][:200] if lines else ""
