"""Learning suites as data: which learners on which problems, for how many steps, in one TOML file.

::

    title = "My learners"
    seeds = 10                        # runs of each learner on each problem
    checkpoints = 20                  # where the greedy policy is valued, evenly in log steps
    seconds = 900                     # hard limit of one run, wall clock
    memory_mb = 4096                  # hard limit of one run
    optimum_seconds = 60              # for the proven optimum of each problem
    files = ["my_learner.py"]         # learner files to join, relative to this file

    [[problem]]
    id = "frozen-lake-4x4"
    sensing_cost = 0.01               # the problem's own when left out
    steps = 20000                     # environment steps of a run
    horizon = 200                     # training episodes are cut after as many steps
    max_return = 1.0                  # what everyone knows beforehand; the best reward for ever if
                                      # left out
    max_looks = 20000                 # a run ends when they are used up; all steps when left out
    discounted_returns = false        # whether training returns are counted with the discount

    [[learner]]
    id = "dyna-atmq"
    label = "dyna-atmq+"              # its name in tables
    options = { dyna_steps = 25 }
    published = "Dyna-ATMQ+"          # its name in the published numbers, if it is there
    only_problems = ["frozen-*"]      # all when left out

Everything is checked before anything runs.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np

from bench.problems import find_problem
from solvers.learning import LearnerError, load_learner_file, make_learner

SUITES = Path(__file__).parent / "suites"
FIRST_CHECKPOINT = 100


class LearningSuiteError(ValueError):
    """A suite file that cannot be run; the message says where and why."""


@dataclass(frozen=True)
class LearningProblem:
    """A ``[[problem]]``; ``label`` is its name in tables and figures."""

    id: str
    steps: int
    label: str = ""
    sensing_cost: float | None = None
    horizon: int | None = None
    max_return: float | None = None
    max_looks: int | None = None
    discounted_returns: bool = False

    @property
    def name(self) -> str:
        return self.label or self.id

    @property
    def price(self) -> float:
        own = find_problem(self.id).sensing_costs[0]
        return float(own if self.sensing_cost is None else self.sensing_cost)


@dataclass(frozen=True)
class LearnerEntry:
    """A ``[[learner]]``."""

    id: str
    label: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    published: str = ""
    only_problems: tuple[str, ...] = ("*",)

    @property
    def name(self) -> str:
        return self.label or self.id

    def takes(self, problem: LearningProblem) -> bool:
        """Whether the suite runs it on a problem, by id or label."""
        names = (problem.id, problem.name)
        return any(fnmatchcase(n, pattern) for n in names for pattern in self.only_problems)


@dataclass(frozen=True)
class LearningSuite:
    """A checked suite."""

    name: str
    title: str
    problems: tuple[LearningProblem, ...]
    learners: tuple[LearnerEntry, ...]
    description: str = ""
    seeds: int = 10
    checkpoints: int = 20
    seconds: float = 900.0
    memory_mb: int = 4096
    optimum_seconds: float = 60.0
    files: tuple[str, ...] = ()

    def checkpoints_of(self, problem: LearningProblem) -> list[int]:
        """Steps at which the greedy policy is valued, the last one included."""
        first = min(FIRST_CHECKPOINT, problem.steps)
        return sorted({round(c) for c in np.geomspace(first, problem.steps, self.checkpoints)})


def suite_names() -> list[str]:
    """The learning suites that come with the project."""
    return sorted(path.stem for path in SUITES.glob("*.toml"))


def load_learning_suite(name: str) -> LearningSuite:
    """A suite by name, or from a ``.toml`` file."""
    path = Path(name) if name.endswith(".toml") else SUITES / f"{name}.toml"
    if not path.is_file():
        known = ", ".join(suite_names())
        raise LearningSuiteError(f"no learning suite {name!r}; known: {known}; or a .toml file")
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise LearningSuiteError(f"{path}: {error}") from None
    files = tuple(str((path.parent / f).resolve()) for f in content.pop("files", ()))
    for file in files:
        load_learner_file(file)
    problems = tuple(
        _entry(path, "problem", LearningProblem, p) for p in content.pop("problem", ())
    )
    learners = tuple(_entry(path, "learner", LearnerEntry, e) for e in content.pop("learner", ()))
    rest = {"name": path.stem, "problems": problems, "learners": learners, "files": files}
    suite = _entry(path, "", LearningSuite, {"title": path.stem, **content, **rest})
    _check(path, suite)
    return suite


def _entry(path: Path, kind: str, cls: type, given: Mapping[str, Any]) -> Any:
    where = f"{path.name}: [[{kind}]]" if kind else path.name
    known = {f.name for f in fields(cls)}
    for key in given:
        if key not in known:
            raise LearningSuiteError(
                f"{where}: unknown key {key!r}; expected one of {_list(known)}"
            )
    values = {k: tuple(v) if isinstance(v, list) else v for k, v in given.items()}
    try:
        return cls(**values)
    except TypeError as error:
        missing = str(error).rpartition("argument")[2].strip(" s:")
        raise LearningSuiteError(f"{where}: {missing} is missing") from None


def _check(path: Path, suite: LearningSuite) -> None:
    if not suite.problems or not suite.learners:
        raise LearningSuiteError(f"{path.name}: it needs a [[problem]] and a [[learner]]")
    for count in ("seeds", "checkpoints", "seconds", "memory_mb", "optimum_seconds"):
        if not getattr(suite, count) > 0:
            raise LearningSuiteError(f"{path.name}: {count} must be above 0")
    for problem in suite.problems:
        find_problem(problem.id)
        if not (isinstance(problem.steps, int) and problem.steps >= 1):
            raise LearningSuiteError(f"{path.name}: {problem.id}: steps must be a whole number > 0")
    for entry in suite.learners:
        try:
            make_learner(entry.id, **entry.options)
        except LearnerError as error:
            raise LearningSuiteError(f"{path.name}: {error}") from None
    for kind, entries in (("problem", suite.problems), ("learner", suite.learners)):
        names = [e.name for e in entries]
        for name in names:
            if names.count(name) > 1:
                raise LearningSuiteError(
                    f"{path.name}: two [[{kind}]] entries are called {name!r}; give one a label"
                )


def _list(names: set[str]) -> str:
    return ", ".join(sorted(names))
