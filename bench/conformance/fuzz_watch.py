"""Running fuzz cases in a child process that may hang or die without taking the campaign along.

A loop in compiled code cannot be interrupted from inside, so the cases run in a forked child that
says what it begins.  A child that has used ``MOST_CPU`` seconds since it last said anything hangs;
so does one that has been silent for ``MOST_WAIT`` seconds of the clock, which a busy machine may
explain only if it gave no time at all.
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

import psutil

from pomdp_bridge.process.child import die_with_parent

MOST_CPU = 30.0
"""Seconds of CPU time; a solver has a budget of a tenth of a second."""
MOST_WAIT = 1200.0
POLL = 1.0
HANG, CRASH, ENDED = "hang", "crash", "ended"


def watched(
    work: Callable[[Callable[[Any], None]], None],
    take: Callable[[Any], None],
    most_cpu: float = MOST_CPU,
    most_wait: float = MOST_WAIT,
) -> tuple[str, str]:
    """Run ``work(say)`` in a child; whatever it says goes to ``take`` here.

    Returns ENDED, or HANG or CRASH with a detail; the child is gone in any case.
    """
    ours, theirs = multiprocessing.Pipe(duplex=False)
    child = multiprocessing.get_context("fork").Process(target=_work, args=(work, theirs))
    child.start()
    theirs.close()
    try:
        return _follow(child.pid or 0, ours, take, most_cpu, most_wait) or _end_of(child)
    finally:
        child.kill()
        child.join()
        ours.close()


def _work(work: Callable[[Callable[[Any], None]], None], to: Connection) -> None:
    die_with_parent()
    work(to.send)
    to.close()


def _end_of(child: Any) -> tuple[str, str]:
    child.join()
    return (ENDED, "") if child.exitcode == 0 else (CRASH, f"exit code {child.exitcode}")


def _follow(
    pid: int, ours: Connection, take: Callable[[Any], None], most_cpu: float, most_wait: float
) -> tuple[str, str] | None:
    """Hand on what the child says until it ends (None) or hangs."""
    process = psutil.Process(pid)
    heard, used = time.monotonic(), 0.0
    fresh = True
    while True:
        try:
            if ours.poll(POLL):
                take(ours.recv())
                heard, fresh = time.monotonic(), True
                continue
            now = sum(process.cpu_times()[:2])
        except (EOFError, psutil.NoSuchProcess):
            return None
        if fresh:  # the first silence since it spoke: count from here
            used, fresh = now, False
        if now - used > most_cpu:
            return HANG, f"silent for {now - used:.0f} s of CPU time"
        if time.monotonic() - heard > most_wait:
            return HANG, f"silent for {most_wait:.0f} s"
