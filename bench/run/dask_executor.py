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

import time
from typing import Any

from bench.run.crew import Crew, Lost
from bench.run.supervise import run_limited

CONNECT_SECONDS = 10
WORKERLESS_SECONDS = 120.0
"""How long a run waits for workers when all are gone: a nanny brings a lost one back in seconds."""


def connected(scheduler: str | None) -> Any:
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
    client = connected(scheduler)

    # A cell that fails on one worker must not be tried on the others in turn.
    executor = client.get_executor(pure=False, retries=0)

    last_seen = time.monotonic()

    def size() -> int:
        nonlocal last_seen
        try:
            if client.status != "running":
                raise Lost(f"the Dask scheduler at {scheduler} is gone")
            threads = sum(client.nthreads().values())
        except Lost:
            raise
        except Exception as error:  # the connection broke in the middle of the question
            raise Lost(f"the Dask scheduler at {scheduler} is gone ({error!r})") from None
        now = time.monotonic()
        if threads:
            last_seen = now
        elif now - last_seen > WORKERLESS_SECONDS:
            raise Lost(f"the Dask cluster at {scheduler} has lost all its workers")
        return threads

    def close() -> None:
        executor.shutdown(wait=False)
        client.close(timeout=CONNECT_SECONDS)

    crew = Crew(
        submit=lambda spec: executor.submit(run_limited, spec),
        size=size,
        close=close,
        here=False,
    )
    if crew.size() == 0:
        close()
        raise ValueError(f"the Dask cluster at {scheduler} has no workers; start some")
    return crew
