"""Running a process under hard limits of time and memory, to its end and that of all it started.

The process announces the phases it goes through (:mod:`pomdp_bridge.process.child`); each has its
own limit of wall-clock seconds.  Memory is watched from outside, as the resident size of the
process and its children: a limit on the address space would refuse reservations that cost nothing.
What ends the watch is the announcement the caller waits for; everything else is a
:class:`ProcessFailure` with its status word, its reason and the phase it came in.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import selectors
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import IO, Any

import psutil

from pomdp_bridge.process.child import PIPE, WORD
from pomdp_bridge.process.status import CRASHED, MEMORY, TIMEOUT

POLL_SECONDS = 0.1
"""How often memory is measured and limits are looked at."""
CHILDREN_SECONDS = 0.5
"""How often new children are looked for, which means reading all processes there are."""
MIB = 2**20
SIGNALS = {
    "SIGSEGV": "segmentation fault",
    "SIGKILL": "killed from outside, perhaps by the system for want of memory",
    "SIGABRT": "aborted",
    "SIGTERM": "terminated from outside",
    "SIGINT": "interrupted",
    "SIGBUS": "bus error",
    "SIGILL": "illegal instruction",
    "SIGFPE": "arithmetic fault",
}


class Stopped(Exception):
    """The watch was called off; the process is ended and there is no outcome."""


class ProcessFailure(RuntimeError):
    """The process did not come to its end: a status word, the reason, and the phase it was in.

    exit_code : of a process that ended by itself without its last announcement, else None
    """

    def __init__(
        self, status: str, reason: str, phase: str, seen: Watched, exit_code: int | None = None
    ) -> None:
        super().__init__(f"{reason}, while {phase}")
        self.status, self.reason, self.phase = status, reason, phase
        self.seen, self.exit_code = seen, exit_code


@dataclass
class Watched:
    """What was seen of a process: seconds in each phase, and its peak memory."""

    seconds: dict[str, float] = field(default_factory=dict)
    peak_memory_mb: float = 0.0


@dataclass(frozen=True)
class Watch:
    """How to watch a process.

    first_phase : the phase it is in before its first announcement
    limit : wall-clock seconds allowed in a phase, given the announcement that began it
    take : what to do with an announcement other than ``{"phase": …}``: True if it is the last
    memory_mb : resident size of the process and its children at which it is stopped
    stop : when set, the process is ended and :class:`Stopped` raised
    """

    first_phase: str
    limit: Callable[[Mapping[str, Any]], float]
    take: Callable[[dict[str, Any]], bool]
    memory_mb: float
    stop: threading.Event | None = None


def supervise(
    command: Sequence[str],
    output: IO[bytes],
    environment: Mapping[str, str],
    watch: Watch,
    first_input: bytes | None = None,
    pass_fds: Sequence[int] = (),
) -> Watched:
    """Run a process until its last announcement; raises OSError if it cannot be started.

    output : where all it prints goes; first_input : written to its standard input, which is then
    kept open so that its end tells the process that nobody waits any more; pass_fds : further
    open files that it gets
    """
    process = Supervised(command, output, environment, pass_fds=pass_fds)
    try:
        return process.follow(watch, first_input or b"")
    finally:
        process.end()


class Supervised:
    """A process that is followed through one watch after another, until it is ended.

    own_session : False for a process that must end with the session it is started from
    seen : what was seen in the last watch
    """

    def __init__(
        self,
        command: Sequence[str],
        output: IO[bytes],
        environment: Mapping[str, str],
        *,
        own_session: bool = True,
        pass_fds: Sequence[int] = (),
    ) -> None:
        self.pipe, write_end = os.pipe()
        word = secrets.token_hex(8)
        try:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=output,
                pass_fds=(write_end, *pass_fds),
                env={**environment, PIPE: str(write_end), WORD: word},
                start_new_session=own_session,
            )
        except OSError:
            os.close(self.pipe)
            raise
        finally:
            os.close(write_end)
        self.word, self.own_session = word.encode(), own_session
        self.pending = b""
        self.family: dict[int, psutil.Process] = {}
        self.next_search = 0.0
        self.seen = Watched()

    def follow(self, watch: Watch, request: bytes) -> Watched:
        """Write to its standard input and watch it until its last announcement."""
        follower = _Follower(self, watch)
        self.seen = follower.seen
        with contextlib.suppress(BrokenPipeError):  # it is dead, which the watch finds out
            self.process.stdin.write(request)
            self.process.stdin.flush()
        return follower.run()

    def resident_mb(self) -> float:
        """The memory of the process and its children; remembers who they are."""
        now = time.monotonic()
        with contextlib.suppress(psutil.Error):
            if now >= self.next_search:
                self.next_search = now + CHILDREN_SECONDS
                me = psutil.Process(self.process.pid)
                for member in (me, *me.children(recursive=True)):
                    self.family.setdefault(member.pid, member)
        total = 0
        for member in self.family.values():
            with contextlib.suppress(psutil.Error):
                total += member.memory_info().rss
        return total / MIB

    def end(self) -> None:
        """End the process and everything it started, and wait for it."""
        self.next_search = 0.0
        self.seen.peak_memory_mb = max(self.seen.peak_memory_mb, self.resident_mb())
        if self.process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                if self.own_session and hasattr(os, "killpg"):
                    os.killpg(self.process.pid, signal.SIGKILL)
                else:
                    self.process.kill()
        for member in self.family.values():
            with contextlib.suppress(psutil.Error):
                if member.is_running():  # not a stranger that got the same number
                    member.kill()
        self.process.wait()
        with contextlib.suppress(OSError):  # what was not written any more
            self.process.stdin.close()
        os.close(self.pipe)


class _Follower:
    """Follows a process through one watch."""

    def __init__(self, supervised: Supervised, watch: Watch) -> None:
        self.supervised, self.watch = supervised, watch
        self.phase: dict[str, Any] = {"phase": watch.first_phase}
        self.since = time.monotonic()
        self.seen = Watched()

    def run(self) -> Watched:
        process, pipe = self.supervised.process, self.supervised.pipe
        with selectors.DefaultSelector() as selector:
            selector.register(pipe, selectors.EVENT_READ)
            while True:
                if self.watch.stop is not None and self.watch.stop.is_set():
                    raise Stopped
                self.check_limits()
                if not selector.select(POLL_SECONDS):
                    if process.poll() is None:
                        continue
                    if not selector.select(0):  # dead, though a child still holds the pipe
                        raise self.death(process.wait())
                data = os.read(pipe, 2**20)
                if not data:  # nobody holds the other end any more
                    raise self.death(process.wait())
                if self.read(data):
                    return self.seen

    def read(self, data: bytes) -> bool:
        """Take the announcements in what was read; True at the last."""
        of = self.supervised
        *lines, of.pending = (of.pending + data).split(b"\n")
        for line in lines:
            _, known, text = line.partition(of.word)
            if not known:
                continue
            message = json.loads(text)
            if "phase" in message:
                self.enter(message)
                self.watch.limit(message)  # which hears of every phase, however short
            elif self.watch.take(message):
                self.enter(self.phase)
                return True
        return False

    def enter(self, phase: dict[str, Any]) -> None:
        now = time.monotonic()
        name = self.phase["phase"]
        self.seen.seconds[name] = self.seen.seconds.get(name, 0.0) + now - self.since
        self.phase, self.since = phase, now

    def check_limits(self) -> None:
        self.seen.peak_memory_mb = max(self.seen.peak_memory_mb, self.supervised.resident_mb())
        if self.seen.peak_memory_mb > self.watch.memory_mb:
            raise self.failure(MEMORY, f"out of memory: more than {self.watch.memory_mb:.0f} MiB")
        limit = self.watch.limit(self.phase)
        if time.monotonic() - self.since > limit:
            raise self.failure(TIMEOUT, f"timeout: still {self.phase['phase']} after {limit:g} s")

    def failure(self, status: str, reason: str, exit_code: int | None = None) -> ProcessFailure:
        return ProcessFailure(status, reason, self.phase["phase"], self.seen, exit_code)

    def death(self, code: int) -> ProcessFailure:
        """The failure of a process that ended without its last announcement."""
        if code >= 0:
            return self.failure(CRASHED, f"ended with exit code {code} and no result", code)
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = f"signal {-code}"
        return self.failure(CRASHED, SIGNALS.get(name, f"killed by {name}"))
