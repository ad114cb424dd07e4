"""Where the independent roots of one problem are worked on: threads here, or other machines.

A planner that treats roots one by one hands them out in chunks of a fixed size::

    workers.map(call, shared, items)     ->  [call(*shared, item) for item in items]

``call`` is a function of a module and each item's answer depends on ``shared`` and the item alone,
so the answer is the same for any number of threads or machines.  ``using`` puts another crew in the
place of threads for what runs inside it; ``bench.run.dask_workers`` is one that asks the workers of
a Dask cluster, each of which is handed every shared object once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any, Protocol

from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]


class Workers(Protocol):
    """Those who work on items side by side: ``size`` of them."""

    @property
    def size(self) -> int: ...

    def map(
        self, call: Callable[..., Any], shared: Sequence[Any], items: Sequence[Any]
    ) -> list[Any]:
        """``call(*shared, item)`` of each item, in the order of the items."""


class Threads:
    """Threads of this process; compiled loops and matrix products run side by side in them."""

    def __init__(self, threads: int) -> None:
        self.size = threads
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None

    def map(
        self, call: Callable[..., Any], shared: Sequence[Any], items: Sequence[Any]
    ) -> list[Any]:
        if self._pool is None or len(items) < 2:
            return [call(*shared, item) for item in items]
        return list(self._pool.map(lambda item: call(*shared, item), items))


_others: ContextVar[Workers | None] = ContextVar("workers", default=None)


def workers(threads: int = 1) -> Workers:
    """Who works here: so many threads, or those that ``using`` has put in their place."""
    return _others.get() or Threads(threads)


@contextmanager
def using(others: Workers) -> Iterator[None]:
    """Let these work on independent roots instead of threads of this process."""
    token = _others.set(others)
    try:
        yield
    finally:
        _others.reset(token)


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """One thread for each call of the matrix library, whatever the machine has.

    Products here are small: on a busy machine threads of the library wait for each other (SPI on
    ICU-Sepsis has taken nine times as long so).
    """
    with _controller().limit(limits=1, user_api="blas"):
        yield


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()
