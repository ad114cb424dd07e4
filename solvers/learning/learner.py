"""The contract of a learner, the registry that finds it, and the loop that trains it.

A learner knows the task (how many states and actions, the discount, the price of a look) and sees
the environment, nothing else.  It is one file with one class::

    @dataclass
    class MyLearner(Learner):
        name = "my-learner"
        rate: float = 0.1                     # an option and its default

        def begin(self, task, rng): ...       # a new run: forget everything
        def start(self, state): ...           # a new episode; the first state is seen
        def act(self): ...                    # -> (action, look)
        def learn(self, seen, reward, ended): ...
        def plans(self): ...                  # the greedy policy: one Plan per state

Between looks nothing is seen, so whatever a learner believes, its greedy policy is one plan for
each state it may have seen last.  ``plans`` hands these over, and the exact evaluator values them
in the true problem: a learning curve without noise from evaluation.

Files in this package are found by themselves; other packages join through the entry-point group
``sensebench.learners``; a file anywhere else joins with :func:`load_learner_file`.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from dataclasses import dataclass, fields, is_dataclass
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import numpy as np

from solvers.core.policy import Plan
from solvers.core.solver import import_file

ENTRY_POINT_GROUP = "sensebench.learners"
PACKAGE = "solvers.learning"


class LearnerError(ValueError):
    """No such learner or option, or a task it cannot take; the message says why."""


@dataclass(frozen=True)
class Task:
    """What a learner is told before it begins.

    num_states, num_actions : of the hidden MDP
    discount : of the return that its policy is judged by
    price : of one look
    steps : environment steps it will be given
    max_return : the largest return an episode can have, as known to everyone beforehand
    end_is_seen : whether the end of an episode is noticed without a look
    """

    num_states: int
    num_actions: int
    discount: float
    price: float
    steps: int
    max_return: float = 1.0
    end_is_seen: bool = True


class Learner:
    """Base of all learners; make the subclass a dataclass whose fields are its options."""

    name: ClassVar[str]

    def begin(self, task: Task, rng: np.random.Generator) -> None:
        """Forget everything and take up a task; all chance comes from ``rng``."""
        raise TypeError(f"{type(self).__name__} does not define begin(task, rng)")

    def start(self, state: int) -> None:
        """An episode begins in ``state``, which is seen."""
        raise TypeError(f"{type(self).__name__} does not define start(state)")

    def act(self) -> tuple[int, bool]:
        """The next action, and whether to look at the state it leads to."""
        raise TypeError(f"{type(self).__name__} does not define act()")

    def learn(self, seen: int | None, reward: float, ended: bool) -> None:
        """What came of the last action.

        seen : the state it led to, or None when nothing was seen
        reward : of the step, before the price of the look
        ended : the episode is over, and the learner knows it
        """
        raise TypeError(f"{type(self).__name__} does not define learn(seen, reward, ended)")

    def plans(self) -> list[Plan]:
        """The greedy policy as it is now: one plan for each of the S states, ends included."""
        raise TypeError(f"{type(self).__name__} does not define plans()")

    @classmethod
    def options(cls) -> dict[str, Any]:
        """The options by name, with their defaults."""
        return {f.name: f.default for f in fields(cls)} if is_dataclass(cls) else {}


_registry: dict[str, type[Learner]] = {}
_scanned = False


def learner_classes() -> dict[str, type[Learner]]:
    """Every learner known here, by id."""
    global _scanned
    if not _scanned:
        _scanned = True
        for module in pkgutil.iter_modules(importlib.import_module(PACKAGE).__path__):
            _register(importlib.import_module(f"{PACKAGE}.{module.name}"))
        for point in entry_points(group=ENTRY_POINT_GROUP):
            loaded = point.load()
            if inspect.ismodule(loaded):
                _register(loaded)
            else:
                _registry[loaded.name] = loaded
    return dict(_registry)


def load_learner_file(path: str | Path) -> list[type[Learner]]:
    """Take the learners of a file that belongs to no package; returns their classes."""
    learner_classes()
    found = _register(import_file(path))
    if not found:
        raise LearnerError(f"{path} defines no learner: expected a subclass of Learner with a name")
    return found


def learners_in(module: ModuleType) -> list[type[Learner]]:
    """The learners written in a module itself, not those it imports."""
    members = [c for c in vars(module).values() if inspect.isclass(c) and issubclass(c, Learner)]
    return [c for c in members if c.__module__ == module.__name__ and "name" in vars(c)]


def _register(module: ModuleType) -> list[type[Learner]]:
    found = learners_in(module)
    for cls in found:
        other = _registry.get(cls.name)
        if other is not None and Path(inspect.getfile(other)) != Path(inspect.getfile(cls)):
            raise LearnerError(
                f"{module.__file__}: {cls.name!r} is the name of another learner; choose another"
            )
        _registry[cls.name] = cls
    return found


def make_learner(learner: str | Learner, **options: Any) -> Learner:
    """A learner by id, with options by name."""
    if isinstance(learner, Learner):
        return learner
    known = learner_classes()
    if learner not in known:
        names = ", ".join(sorted(known))
        raise LearnerError(f"unknown learner {learner!r}; the learners are: {names}")
    cls = known[learner]
    for option in options:
        if option not in cls.options():
            has = ", ".join(cls.options()) or "none"
            raise LearnerError(f"{learner} has no option {option!r}; its options are: {has}")
    return cls(**options)
