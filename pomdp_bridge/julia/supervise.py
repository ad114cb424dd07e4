"""Running a worker process under hard limits of time and memory.

A worker announces the stages it goes through, one JSON line each, on the pipe whose number is in
``SENSEBENCH_PIPE``; everything it prints goes to a log.  Each stage has its own limit of wall-clock
seconds.  Memory is watched from outside, as the resident size of the worker and its children: a
limit on the address space would refuse Julia's reservations, which cost nothing.  A worker that
goes over a limit, dies or hangs becomes a :class:`BridgeError`; nothing of it is left behind.
"""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from pomdp_bridge.julia.errors import CRASHED, FAILED, MEMORY, TIMEOUT, BridgeError

PIPE = "SENSEBENCH_PIPE"
POLL = 0.2
"""Seconds between two looks at the worker."""
DONE, ERROR = "done", "error"
SIGNALS = {
    signal.SIGSEGV: "segmentation fault",
    signal.SIGKILL: "killed from outside, perhaps because memory ran out",
    signal.SIGABRT: "aborted",
    signal.SIGTERM: "terminated from outside",
    signal.SIGINT: "interrupted",
    signal.SIGBUS: "bus error",
    signal.SIGILL: "illegal instruction",
    signal.SIGFPE: "arithmetic fault",
}


@dataclass
class Watched:
    """What was seen of a worker that came to its end: seconds in each stage, peak memory."""

    seconds: dict[str, float] = field(default_factory=dict)
    peak_memory_mb: float = 0.0


def supervise(
    command: Sequence[str],
    log: Path,
    *,
    first_stage: str,
    limits: Mapping[str, float],
    memory_mb: float,
    environment: Mapping[str, str],
) -> Watched:
    """Run a worker to its end; anything but its own ``done`` is a BridgeError.

    Parameters
    ----------
    first_stage : the stage it is in before its first announcement
    limits : seconds for each stage
    memory_mb : resident size of the worker and its children at which it is stopped
    """
    read_end, write_end = os.pipe()
    try:
        with open(log, "ab") as output:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                pass_fds=(write_end,),
                env={**environment, PIPE: str(write_end)},
            )
    except OSError as error:
        os.close(read_end)
        raise BridgeError(first_stage, f"cannot start {command[0]}: {error}", log) from None
    finally:
        os.close(write_end)
    try:
        return _Watch(process, read_end, log, first_stage, limits, memory_mb).run()
    finally:
        stop_tree(process)
        os.close(read_end)


class _Watch:
    def __init__(self, process, read_end, log, stage, limits, memory_mb) -> None:
        self.process, self.read_end, self.log = process, read_end, log
        self.stage, self.limits, self.memory_mb = stage, limits, memory_mb
        self.since = time.monotonic()
        self.seen = Watched()
        self.pending = b""
        self.handle = psutil.Process(process.pid)

    def run(self) -> Watched:
        with selectors.DefaultSelector() as selector:
            selector.register(self.read_end, selectors.EVENT_READ)
            open_pipe = True
            while True:
                if open_pipe and selector.select(POLL):
                    data = os.read(self.read_end, 65536)
                    open_pipe = bool(data)
                    if self.take(data):
                        return self.seen
                elif not open_pipe:
                    time.sleep(POLL)
                code = self.process.poll()
                if code is not None:
                    while open_pipe and (data := os.read(self.read_end, 65536)):
                        if self.take(data):
                            return self.seen
                    raise self.died(code)
                self.check_limits()

    def take(self, data: bytes) -> bool:
        """Read announcements; True when the worker is done."""
        *lines, self.pending = (self.pending + data).split(b"\n")
        for line in lines:
            message = json.loads(line)
            self.enter(message["stage"], message)
            if message["stage"] == DONE:
                return True
        return False

    def enter(self, stage: str, message: dict) -> None:
        now = time.monotonic()
        self.seen.seconds[self.stage] = now - self.since
        if stage == ERROR:
            raise BridgeError(self.stage, message["reason"], self.log, message.get("kind", FAILED))
        self.stage, self.since = stage, now

    def died(self, code: int) -> BridgeError:
        if code < 0:
            try:
                reason = SIGNALS.get(signal.Signals(-code), signal.Signals(-code).name)
            except ValueError:
                reason = f"signal {-code}"
        else:
            reason = f"the worker ended with exit code {code}"
            last = last_line(self.log)
            reason += f": {last}" if last else ""
        return BridgeError(self.stage, reason, self.log, CRASHED)

    def check_limits(self) -> None:
        limit = self.limits.get(self.stage, float("inf"))
        if time.monotonic() - self.since > limit:
            raise BridgeError(self.stage, f"timeout after {limit:.0f} s", self.log, TIMEOUT)
        used = resident_mb(self.handle)
        self.seen.peak_memory_mb = max(self.seen.peak_memory_mb, used)
        if used > self.memory_mb:
            raise BridgeError(
                self.stage,
                f"out of memory: {used:.0f} MiB used, {self.memory_mb:.0f} MiB allowed",
                self.log,
                MEMORY,
            )


def resident_mb(process: psutil.Process) -> float:
    """Resident MiB of a process and all its children."""
    total = 0
    try:
        for one in (process, *process.children(recursive=True)):
            try:
                total += one.memory_info().rss
            except psutil.Error:
                continue
    except psutil.Error:
        pass
    return total / 2**20


def stop_tree(process: subprocess.Popen) -> None:
    """End a worker and its children at once, and wait for it."""
    try:
        family = psutil.Process(process.pid).children(recursive=True)
    except psutil.Error:
        family = []
    if process.poll() is None:
        process.kill()
    for child in family:
        try:
            child.kill()
        except psutil.Error:
            continue
    process.wait()


def last_line(log: Path) -> str:
    """The last line of a log that says something, shortened."""
    try:
        tail = log.read_bytes()[-4096:].decode(errors="replace")
    except OSError:
        return ""
    lines = [line.strip() for line in tail.splitlines() if line.strip()]
    return lines[-1][:200] if lines else ""
