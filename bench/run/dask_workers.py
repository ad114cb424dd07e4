"""The workers of a Dask cluster in the place of threads: one problem split over machines.

::

    sensebench solve drone spi --executor dask --scheduler tcp://HOST:8786

Each worker is handed the problem once, what changes from round to round once a round, and then
bundles of items, a few for each thread; it computes what a thread here would.  What is lost with
its worker is done again by another one, and if none is left, here.  Workers need this project at
the same version, which every bundle checks.

Answers travel pickled: left to itself Dask would send each of their many small arrays by itself.
"""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from bench.run.code_hash import code_hash
from bench.run.dask_executor import connected
from solvers.core.workers import one_blas_thread

ATTEMPTS = 3
"""How often what was lost is handed out again before it is done here."""
BUNDLES = 4
"""Bundles of items for each thread: more of them even out who has the long ones, and cost more to
hand out."""
MOST_HELD = 8
"""Shared objects that are kept on the workers; older ones are let go."""


class DaskWorkers:
    """See :class:`solvers.core.workers.Workers`."""

    def __init__(self, scheduler: str | None, solver: str) -> None:
        self._client = connected(scheduler)
        self._solver, self._code = solver, code_hash(solver)
        self._held: list[tuple[Any, Any]] = []  # (object, where the workers hold it), oldest first
        self._why = "nothing is known"
        if not self.size:
            self.close()
            raise ValueError(f"the Dask cluster at {scheduler} has no workers; start some")

    @property
    def size(self) -> int:
        """Threads of all workers."""
        return sum(self._client.nthreads().values())

    def map(
        self, call: Callable[..., Any], shared: Sequence[Any], items: Sequence[Any]
    ) -> list[Any]:
        """``call(*shared, item)`` of each item, in the order of the items."""
        answers: dict[int, tuple[bool, Any]] = {}
        missing = dict(enumerate(items))
        for _ in range(ATTEMPTS):
            if missing:
                answers |= self._asked(call, shared, missing)
                missing = {i: item for i, item in missing.items() if i not in answers}
        if missing:
            text = f"sensebench: no Dask worker answers ({self._why}); going on here"
            print(text, file=sys.stderr)
            answers |= {i: (True, call(*shared, item)) for i, item in missing.items()}
        for good, answer in answers.values():
            if not good:
                raise answer
        return [answers[i][1] for i in range(len(items))]

    def _asked(
        self, call: Callable[..., Any], shared: Sequence[Any], items: dict[int, Any]
    ) -> dict[int, tuple[bool, Any]]:
        """The answers of the workers, without those that were lost."""
        found: dict[int, tuple[bool, Any]] = {}
        numbers = list(items)
        try:
            held = [self._hold(x) for x in shared]
            size = -(-len(numbers) // max(BUNDLES * self.size, 1))
            bundles = [numbers[i : i + size] for i in range(0, len(numbers), size)]
            futures = [self._submitted(call, [items[i] for i in b], held) for b in bundles]
        except Exception as error:  # the connection broke, and nothing was computed
            self._lose(error)
            return {}
        for bundle, future in zip(bundles, futures, strict=True):
            try:
                found |= zip(bundle, pickle.loads(future.result()), strict=True)
            except Exception as error:  # a worker was lost; what `call` raises comes as an answer
                self._lose(error)
        return found

    def _lose(self, why: Exception) -> None:
        """Whatever the workers held may be lost with what was under way."""
        self._held.clear()
        self._why = (str(why) or repr(why)).splitlines()[0]

    def _submitted(self, call: Callable[..., Any], items: list[Any], held: list[Any]) -> Any:
        """The future of a bundle's answers."""
        about = _answers, self._solver, self._code, call, items
        return self._client.submit(*about, *held, pure=False, retries=0)

    def _hold(self, thing: Any) -> Any:
        """Where the workers hold this object; it is sent to all of them the first time."""
        for known, held in self._held:
            if known is thing:
                return held
        held = self._client.scatter(thing, broadcast=True, hash=False)
        self._held = [*self._held, (thing, held)][-MOST_HELD:]
        return held

    def close(self) -> None:
        """Let go of the cluster."""
        self._held.clear()
        self._client.close()


def _answers(
    solver: str, code: str, call: Callable[..., Any], items: list[Any], *shared: Any
) -> bytes:
    """On a worker: of each item whether it went well, and the answer or what was raised."""
    return pickle.dumps([_answer(solver, code, call, item, *shared) for item in items])


def _answer(
    solver: str, code: str, call: Callable[..., Any], item: Any, *shared: Any
) -> tuple[bool, Any]:
    """Whether it went well, and the answer or what was raised."""
    try:
        if _own_code(solver) != code:
            raise ValueError(
                "a Dask worker has another version of this project; install the same everywhere"
            )
        with one_blas_thread():
            return True, call(*shared, item)
    except Exception as error:
        return False, error


@cache
def _own_code(solver: str) -> str:
    return code_hash(solver)
