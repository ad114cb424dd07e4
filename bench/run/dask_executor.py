"""The same cells on a Dask cluster: each worker runs the very process that would run here.

A worker thread runs one cell at a time in a process of its own, under the same limits; rows are
written here.  For equal settings start workers with one thread each::

    dask scheduler
    dask worker tcp://HOST:8786 --nthreads 1 --nworkers 2
    sensebench run table1 --executor dask --scheduler tcp://HOST:8786

Workers need this project at the same version (checked for every cell) and, for solvers or
problems in files, the same paths.  A scheduler or worker that is lost is no result of any cell:
what it had under way is done again.
"""

from __future__ import annotations

import concurrent.futures as futures
import time
from asyncio import CancelledError
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from bench.run.crew import Crew, Lost
from bench.run.supervise import run_limited

CONNECT_SECONDS = 10
WORKERLESS_SECONDS = 120.0
"""How long a run waits for workers when all are gone: a nanny brings a lost one back in seconds."""
POLL_SECONDS = 0.5


class Cluster:
    """A running cluster that notices when an answer cannot come any more."""

    def __init__(self, scheduler: str | None) -> None:
        self.client = _connected(scheduler)
        self._scheduler = scheduler
        self._empty_since: float | None = None
        if not self.threads():
            self.close()
            raise ValueError(f"the Dask cluster at {scheduler} has no workers; start some")

    def threads(self) -> int:
        """How many threads all workers have now; raises :class:`Lost` once no worker will come."""
        try:
            running = self.client.status == "running"
            threads = sum(self.client.nthreads().values()) if running else 0
        except Exception as error:  # the connection broke while asking
            raise Lost(f"the Dask scheduler at {self._scheduler} is gone ({error!r})") from None
        if not running:
            raise Lost(f"the Dask scheduler at {self._scheduler} is gone")
        if threads:
            self._empty_since = None
            return threads
        self._empty_since = self._empty_since or time.monotonic()
        if time.monotonic() - self._empty_since > WORKERLESS_SECONDS:
            raise Lost(f"the Dask cluster at {self._scheduler} has lost all its workers")
        return 0

    def submit(self, call: Callable[..., Any], *arguments: Any) -> futures.Future:
        """The answer of a worker, or why there is none.

        Dask's own executor leaves an answer open for ever if the connection breaks while it is
        fetched.
        """
        # A call that fails on one worker must not be tried on the others in turn.
        task = self.client.submit(call, *arguments, pure=False, retries=0)
        answer: futures.Future = futures.Future()
        self.client.loop.add_callback(_hand_over, task, answer)
        return answer

    def wait(self, answer: futures.Future) -> Any:
        """What a worker answers; :class:`Lost` if there is nobody left to answer."""
        while not futures.wait([answer], POLL_SECONDS).done:
            self.threads()
        return answer.result()

    def close(self) -> None:
        """Let go of the cluster and of what it has under way for us; it may be gone."""
        with suppress(Exception):
            self.client.close(timeout=CONNECT_SECONDS)


async def _hand_over(task: Any, answer: futures.Future) -> None:
    """Wait for a task in the client's own thread, and pass on whatever comes of it."""
    try:
        answer.set_result(await task)
    except (CancelledError, futures.CancelledError) as error:
        answer.set_exception(Lost(f"what the Dask cluster had under way is gone ({error})"))
    except Exception as error:
        answer.set_exception(error)


def _connected(scheduler: str | None) -> Any:
    """A client of a running cluster; refused in one line if there is none."""
    if scheduler is None:
        raise ValueError("--executor dask needs --scheduler ADDRESS, as in tcp://127.0.0.1:8786")
    try:
        from distributed import Client
    except ImportError:
        raise ValueError(
            "--executor dask needs the optional extra: pip install 'sensebench[dask]'"
        ) from None
    try:
        return Client(scheduler, timeout=CONNECT_SECONDS)
    except (OSError, ValueError) as error:
        raise ValueError(f"no Dask scheduler answers at {scheduler}: {error}") from None


def dask_crew(scheduler: str | None) -> Crew:
    """A crew of the workers of a running cluster."""
    cluster = Cluster(scheduler)
    return Crew(
        submit=lambda spec: cluster.submit(run_limited, spec),
        size=cluster.threads,
        close=cluster.close,
        here=False,
    )
