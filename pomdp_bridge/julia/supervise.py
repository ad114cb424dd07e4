"""A Julia worker under hard limits: whatever ends a job but its own ``done`` is a BridgeError.

The watching itself is :mod:`pomdp_bridge.process.supervise`; here its findings get the words of the
bridge, and the last line of the job's log where that says more.  A worker serves one job after
another (:mod:`pomdp_bridge.julia.worker`), until one fails: then it is ended.
"""

from __future__ import annotations

import json
import math
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pomdp_bridge.julia.errors import START, BridgeError
from pomdp_bridge.process.status import FAILED, TIMEOUT
from pomdp_bridge.process.supervise import ProcessFailure, Supervised, Watch, Watched

COMMAND = (sys.executable, "-m", "pomdp_bridge.julia.worker")


@dataclass(frozen=True)
class Job:
    """One request to a worker.

    folder : holds the request; the answer is written beside it
    log : the file for all that the worker prints meanwhile
    limits : wall-clock seconds for each stage
    memory_mb : resident size of the worker and its children at which it is stopped
    environment : variables of the worker, which say which Julia and which project
    kin : only jobs of the same kin and environment share a worker, if any do
    """

    folder: str
    log: str
    limits: Mapping[str, float]
    memory_mb: float
    environment: Mapping[str, str]
    kin: str = ""


class Worker:
    """A Julia worker; it is started at once, and ended by the first job that fails.

    fresh_mb : its resident size when it had just started
    """

    def __init__(
        self, job: Job, command: Sequence[str] = COMMAND, *, own_session: bool = False
    ) -> None:
        self.environment, self.kin = job.environment, job.kin
        self.fresh_mb = math.inf
        try:
            with open(job.log, "ab") as output:
                self._process = Supervised(
                    command, output, job.environment, own_session=own_session
                )
        except OSError as error:
            reason = f"cannot start {command[0]}: {error}"
            raise BridgeError(START, reason, Path(job.log)) from None

    def do(self, job: Job, stop: threading.Event | None = None) -> Watched:
        """Have a job done; whatever prevents it ends the worker as well."""
        stage, log = START, Path(job.log)

        def limit(phase: Mapping[str, Any]) -> float:
            nonlocal stage
            if stage == START and phase["phase"] != START:
                self.fresh_mb = min(self.fresh_mb, self.resident_mb())
            stage = phase["phase"]
            return job.limits.get(stage, math.inf)

        def take(message: dict[str, Any]) -> bool:
            if "error" in message:
                raise BridgeError(stage, message["error"], log, message.get("kind", FAILED))
            return bool(message.get("done"))

        request = json.dumps({"folder": job.folder, "log": job.log}) + "\n"
        watch = Watch(START, limit, take, job.memory_mb, stop)
        try:
            return self._process.follow(watch, request.encode())
        except ProcessFailure as failure:
            self.end()
            raise self._marked(_told(failure, log, job.limits)) from None
        except BridgeError as error:
            self.end()
            raise self._marked(error) from None
        except BaseException:
            self.end()
            raise

    def alive(self) -> bool:
        """Whether its process still runs."""
        return self._process.process.poll() is None

    def resident_mb(self) -> float:
        """The memory it and its children hold now."""
        return self._process.resident_mb()

    def end(self) -> None:
        """End it and all it started."""
        self._process.end()

    def _marked(self, error: BridgeError) -> BridgeError:
        error.peak_memory_mb = self._process.seen.peak_memory_mb
        return error


def do_alone(job: Job, command: Sequence[str] = COMMAND) -> Watched:
    """Have a job done by a worker of its own, which ends with it."""
    worker = Worker(job, command)
    seen = worker.do(job)
    worker.end()
    return seen


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
