"""Who runs the cells: processes of this machine, or the workers of a cluster."""

from __future__ import annotations

import concurrent.futures as futures
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bench.run.supervise import run_limited
from pomdp_bridge.julia.shared import Workers


class Lost(RuntimeError):
    """What cells run on is gone: a scheduler, all workers.  No result of any cell."""


@dataclass(frozen=True)
class Crew:
    """Who does the work.

    submit : starts a cell or a learning run, given as plain values; size : how many at once, just
    now (raises :class:`Lost` if there is nobody any more); close : ends what is under way;
    here : False where cells run on other machines, which may have what this one lacks
    """

    submit: Callable[[Any], futures.Future]
    size: Callable[[], int]
    close: Callable[[], None]
    here: bool = True

    @classmethod
    def local(cls, jobs: int) -> Crew:
        """``jobs`` cells at once on this machine."""
        stop = threading.Event()
        workers = Workers(jobs)
        pool = futures.ThreadPoolExecutor(jobs, thread_name_prefix="cell")

        def close() -> None:
            stop.set()
            pool.shutdown(wait=True, cancel_futures=True)
            workers.close()

        return cls(lambda spec: pool.submit(run_limited, spec, stop, workers), lambda: jobs, close)
