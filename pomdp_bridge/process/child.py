"""The side of a supervised process: what it is asked, its announcements, its end, its memory.

Announcements go to the pipe whose number is in ``SENSEBENCH_PIPE``, one line of JSON each, after a
word that only the two sides know.  Whatever else is written there, a stray print for instance, has
no such word in front and is not taken for an announcement.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import signal
import sys
import threading
from typing import Any

PIPE, WORD = "SENSEBENCH_PIPE", "SENSEBENCH_WORD"
"""Environment variables: the number of the pipe, and the word before each announcement."""
PR_SET_PDEATHSIG = 1


class Announcer:
    """Writes announcements to the supervisor's pipe."""

    def __init__(self, pipe: int, word: str) -> None:
        self.pipe, self.word = pipe, word

    @classmethod
    def from_environment(cls) -> Announcer:
        """The supervisor's pipe; what this process starts and runs does not get to know of it."""
        pipe = int(os.environ.pop(PIPE))
        os.set_inheritable(pipe, False)
        return cls(pipe, os.environ.pop(WORD))

    def __call__(self, **message: Any) -> None:
        sys.stdout.flush()
        # A line end first: what a stray print left there without one stays a line of its own.
        text = f"\n{self.word}{json.dumps(message, allow_nan=False)}\n".encode()
        while text:
            text = text[os.write(self.pipe, text) :]


def die_with_parent(watch_input: bool = False) -> None:
    """See to it that this process does not outlive the one that started it.

    Linux ends it with its parent.  Elsewhere the end of standard input can tell, if the parent
    keeps it open for that and ``watch_input`` is set; then all that this process started ends too.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if watch_input:
        threading.Thread(target=_wait_for_end, daemon=True).start()


def _wait_for_end() -> None:
    with contextlib.suppress(OSError):
        while os.read(0, 4096):
            pass
    if hasattr(os, "killpg"):
        os.killpg(0, signal.SIGKILL)
    os._exit(1)


def first_line() -> bytes:
    """One line from standard input and nothing past it: the rest tells when nobody waits."""
    line = b""
    while not line.endswith(b"\n"):
        byte = os.read(0, 1)
        if not byte:
            sys.exit("expected one line of JSON on standard input")
        line += byte
    return line


def peak_memory_mb() -> float | None:
    """The most memory this process has held, in MiB; None where the system does not say."""
    try:
        with open("/proc/self/status") as status:
            for line in status:
                if line.startswith("VmHWM:"):
                    return int(line.split()[1]) / 1024
    except OSError:
        if sys.platform == "darwin":
            import resource  # not on Windows

            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return None


def forget_peak_memory() -> None:
    """Let :func:`peak_memory_mb` count from now on, where the system can do that (Linux)."""
    with contextlib.suppress(OSError), open("/proc/self/clear_refs", "w") as refs:
        refs.write("5")
