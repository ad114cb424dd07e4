"""Workers that serve one cell of a run after another, so that Julia starts once and not each time.

The run keeps the workers (:class:`Workers`); the process of a cell asks for one through its
supervisor's pipe (:class:`Borrowed`) and gets its reply on another (:class:`Lending`).  So a worker
outlives the cell, while the run itself watches it under the limits of the job it is doing.  A job
that fails in any way ends its worker, and the next one gets a new one.

Only jobs that cannot get into each other's way share a worker: the same Julia, project and
variables, and either all shipped solver files, which are known to leave nothing behind, or all the
same file.  A worker that has grown much since its start is not used again.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import psutil

from pomdp_bridge.julia.errors import BridgeError
from pomdp_bridge.julia.supervise import Job, Worker, do_alone
from pomdp_bridge.process.supervise import MIB, Watched

REPLIES = "SENSEBENCH_REPLIES"
"""Environment variable: the number of the pipe on which a cell reads the run's replies."""
JOB = "julia"
"""What a cell announces a job as."""
MOST_GROWN_MB = 512.0
"""How much more than at its start a worker may hold and still be used again: more would count
against the memory limit of the next job."""


class Workers:
    """At most so many Julia workers at once, each kept for further jobs."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._idle: list[Worker] = []
        self._busy = 0
        self._lock = threading.Lock()

    def do(self, job: Job, stop: threading.Event | None = None) -> Watched:
        """Have a job done by a worker that is free and fits, or by a new one."""
        worker = self._take(job)
        try:
            if worker is None:
                worker = Worker(job, own_session=True)
            seen = worker.do(job, stop)
        except BaseException:
            with self._lock:
                self._busy -= 1
            raise
        with self._lock:
            self._busy -= 1
            self._idle.append(worker)
        return seen

    def close(self) -> None:
        """End the workers that are idle."""
        with self._lock:
            while self._idle:
                self._idle.pop().end()

    def _take(self, job: Job) -> Worker | None:
        """A free worker for this job; None if one must be started, for which there is room."""
        with self._lock:
            self._busy += 1
            for worker in [w for w in self._idle if _same(w, job)]:
                self._idle.remove(worker)
                if worker.alive() and worker.resident_mb() - worker.fresh_mb <= MOST_GROWN_MB:
                    return worker
                worker.end()
            while self._idle and len(self._idle) + self._busy > self.most:
                self._idle.pop(0).end()
            return None


def _same(worker: Worker, job: Job) -> bool:
    return (worker.kin, worker.environment) == (job.kin, job.environment)


class Lending:
    """The run's side of one cell: has its jobs done by the workers, and replies.

    memory_mb : the limit of the cell, which what it holds itself counts against
    environment, files : what the cell's process must be started with
    peak_memory_mb : the most that cell and worker held together, 0 if it asked for none
    """

    def __init__(
        self, workers: Workers | None, memory_mb: float, stop: threading.Event | None
    ) -> None:
        self._workers, self._memory_mb, self._stop = workers, memory_mb, stop
        self._replies, self._write_end = os.pipe()
        lent = workers is not None
        self.environment = {REPLIES: str(self._replies)} if lent else {}
        self.files = (self._replies,) if lent else ()
        self.peak_memory_mb = 0.0

    def __enter__(self) -> Lending:
        return self

    def __exit__(self, *failure: object) -> None:
        os.close(self._replies)
        os.close(self._write_end)

    def serves(self, message: Mapping[str, Any]) -> bool:
        """Whether an announcement was a job, which is then done and replied to."""
        if self._workers is None or JOB not in message:
            return False
        job, held = Job(**json.loads(message[JOB])), message["held_mb"]
        job = replace(job, memory_mb=min(job.memory_mb, self._memory_mb - held))
        try:
            seen = self._workers.do(job, self._stop)
            reply, peak = {"seen": asdict(seen)}, seen.peak_memory_mb
        except BridgeError as error:
            reply, peak = {"error": {**vars(error), "log": str(error.log)}}, error.peak_memory_mb
        self.peak_memory_mb = max(self.peak_memory_mb, held + peak)
        os.write(self._write_end, (json.dumps(reply) + "\n").encode())
        return True


class Borrowed:
    """The side of a cell: its jobs are done by workers of the run.

    announce : to the run; replies : the number of the pipe on which it answers
    """

    def __init__(self, announce: Callable[..., None], replies: int) -> None:
        os.set_inheritable(replies, False)
        self._announce = announce
        self._replies = os.fdopen(replies, "rb")

    def do(self, job: Job) -> Watched:
        """Have a job done; errors are those of :meth:`Worker.do`."""
        held = psutil.Process().memory_info().rss / MIB
        self._announce(**{JOB: json.dumps(asdict(job)), "held_mb": held})
        reply = json.loads(self._replies.readline())
        if "error" in reply:
            raise BridgeError(**{**reply["error"], "log": Path(job.log)})
        return Watched(**reply["seen"])


_borrowed: list[Borrowed] = []


def borrow(announce: Callable[..., None]) -> None:
    """Let the jobs of this process be done by workers of the run, if it keeps any."""
    replies = os.environ.pop(REPLIES, None)
    if replies is not None:
        _borrowed[:] = [Borrowed(announce, int(replies))]


def do(job: Job) -> Watched:
    """Have a job done: by a worker of the run this process belongs to, or by one of its own."""
    return _borrowed[0].do(job) if _borrowed else do_alone(job)
