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
from contextlib import suppress
from functools import cache
from typing import Any
from uuid import uuid4

from bench.run.code_hash import code_hash
from bench.run.crew import Lost
from bench.run.dask_executor import Cluster
from solvers.core.workers import one_blas_thread

Name = tuple[str, str]
"""Of an object that workers hold: its owner, and its own."""
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
        self._cluster = Cluster(scheduler)
        self._solver, self._code = solver, code_hash(solver)
        self._me = uuid4().hex
        self._held: list[tuple[Any, Name]] = []  # (object, its name on the workers), oldest first
        self._why = "nothing is known"

    @property
    def size(self) -> int:
        """Threads of all workers; 1 where there are none, as it then goes on here."""
        with suppress(Lost):
            return max(1, self._cluster.threads())
        return 1

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
            threads = max(1, self._cluster.threads())  # raises if there is nobody to ask
            held = [self._hold(x) for x in shared]
            size = -(-len(numbers) // (BUNDLES * threads))
            bundles = [numbers[i : i + size] for i in range(0, len(numbers), size)]
            futures = [self._submitted(call, [items[i] for i in b], held) for b in bundles]
        except Exception as error:  # the connection broke, and nothing was computed
            self._lose(error)
            return {}
        for bundle, future in zip(bundles, futures, strict=True):
            try:
                found |= zip(bundle, pickle.loads(self._cluster.wait(future)), strict=True)
            except Exception as error:  # a worker was lost; what `call` raises comes as an answer
                self._lose(error)
        return found

    def _lose(self, why: Exception) -> None:
        """Whatever the workers held may be lost with what was under way."""
        self._held.clear()
        self._why = (str(why) or repr(why)).splitlines()[0]

    def _submitted(self, call: Callable[..., Any], items: list[Any], held: list[Any]) -> Any:
        """The future of a bundle's answers."""
        return self._cluster.submit(_answers, self._solver, self._code, call, items, held)

    def _hold(self, thing: Any) -> Name:
        """The name by which the workers know this object; it is sent to all the first time."""
        for known, name in self._held:
            if known is thing:
                return name
        name = (self._me, uuid4().hex)
        self._held = [*self._held, (thing, name)][-MOST_HELD:]
        names = [kept for _, kept in self._held]
        self._cluster.client.run(_keep, name, pickle.dumps(thing), names, on_error="ignore")
        return name

    def close(self) -> None:
        """Let go of the cluster, and let it forget what it holds for us."""
        self._held.clear()
        with suppress(Exception):  # it may be gone
            self._cluster.client.run(_forget, self._me, [], on_error="ignore")
        self._cluster.close()


_kept: dict[Name, Any] = {}
"""On a worker: what all items share, by name.  Kept here because Dask itself lets copies of what it
sent to every worker go after a while, and would send them again with the next bundle."""


def _keep(name: Name, pickled: bytes, names: list[Name]) -> None:
    """On a worker: keep this object; drop its owner's other objects unless named here."""
    if name not in _kept:
        _kept[name] = pickle.loads(pickled)
    _forget(name[0], names)


def _forget(owner: str, names: list[Name]) -> None:
    """On a worker: drop this owner's objects, except those with these names."""
    for old in [old for old in list(_kept) if old[0] == owner and old not in names]:
        _kept.pop(old, None)


def _answers(
    solver: str, code: str, call: Callable[..., Any], items: list[Any], held: list[Name]
) -> bytes:
    """On a worker: of each item whether it went well, and the answer or what was raised.

    A worker that came later does not hold what is shared: that is an error, and it is sent again.
    """
    shared = [_kept[name] for name in held]
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
