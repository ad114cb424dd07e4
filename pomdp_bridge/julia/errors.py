"""What can go wrong on the way to Julia and back."""

from __future__ import annotations

from pathlib import Path

from pomdp_bridge.process.status import FAILED

# The stages a worker goes through, in order; an error names the one it happened in.
FIND = "finding Julia"
START = "starting Julia"
EXPORT = "handing over the problem"
COMPILE = "warming up"
SOLVE = "planning"
ANSWER = "reading the answer"


class BridgeError(RuntimeError):
    """A Julia cell failed: in which stage, why in one line, and where the full log is.

    Attributes
    ----------
    stage : one of the stage names above
    reason : one line
    log : the worker's log with the full Julia trace, or None if no worker was started
    kind : TIMEOUT, MEMORY, CRASHED or FAILED of :mod:`pomdp_bridge.process.status`
    peak_memory_mb : the most memory the worker was seen with, 0 if there was none
    """

    def __init__(
        self,
        stage: str,
        reason: str,
        log: Path | None = None,
        kind: str = FAILED,
        peak_memory_mb: float = 0.0,
    ) -> None:
        self.stage, self.reason, self.log, self.kind = stage, reason, log, kind
        self.peak_memory_mb = peak_memory_mb
        where = f" (log: {log})" if log else ""
        super().__init__(f"{reason}, while {stage}{where}")

    def __reduce__(self):
        return BridgeError, (self.stage, self.reason, self.log, self.kind, self.peak_memory_mb)
