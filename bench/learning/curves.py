"""What the runs of a suite say, as numbers for tables and figures.

Values are shown as rewards here, as learners count them: the greedy policy's exact discounted
return, and the return of training episodes.  Regret is held against the *proven* bound: no policy
earns more than ``best = -lower bound``, so ``regret = best - value`` is never below the true regret
and too large by the bound's gap at most, which is given beside it.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from bench.learning.runner import FAILED, LearningStore, jobs_of
from bench.learning.suite import LearnerEntry, LearningProblem, LearningSuite

SHARES = (0.1, 0.01)
"""Of the optimum: a learner has come near when its regret is at most this, and stays so."""


@dataclass(frozen=True)
class Optimum:
    """Proven of a problem: no return is above ``best``; a policy with return ``known`` exists."""

    best: float
    known: float

    @property
    def gap(self) -> float:
        return self.best - self.known


@dataclass(frozen=True)
class Curves:
    """The runs of one learner on one problem, n of them with the same m checkpoints.

    steps : (m,); values, regrets, looks, returns : (n, m) exact return of the greedy policy, its
    regret, looks per step and mean training return since the checkpoint before (NaN: none ended)
    last_returns : (n,) mean return of the last tenth of the training episodes
    seconds, megabytes : (n,) processor time of the learner, peak memory of its process
    failures : why runs failed, one entry per run
    """

    problem: LearningProblem
    learner: LearnerEntry
    steps: np.ndarray
    values: np.ndarray
    regrets: np.ndarray
    looks: np.ndarray
    returns: np.ndarray
    last_returns: np.ndarray
    seconds: np.ndarray
    megabytes: np.ndarray
    failures: tuple[str, ...]

    def steps_to(self, share: float, scale: float) -> np.ndarray:
        """Steps after which each run's regret stays within ``share`` of ``scale``; inf if never."""
        near = self.regrets <= share * abs(scale)
        stays = np.logical_and.accumulate(near[:, ::-1], axis=1)[:, ::-1]
        return np.where(stays.any(axis=1), self.steps[stays.argmax(axis=1)], np.inf)


def read_optima(suite: LearningSuite, results: Path) -> dict[str, Optimum]:
    """The proven optimum of each problem that has one, by the problem's name."""
    store, found = LearningStore(results, suite.name), {}
    jobs = [job for job in jobs_of(suite) if job.kind == "optimum"]
    for problem, job in zip(suite.problems, jobs, strict=True):
        lines = store.shown(job)
        if lines and FAILED not in lines[-1]:
            found[problem.name] = Optimum(-lines[-1]["lower"], -lines[-1]["value"])
    return found


def read_curves(suite: LearningSuite, results: Path) -> list[Curves]:
    """The runs there are, problem by problem and learner by learner, in the suite's order."""
    store, optima = LearningStore(results, suite.name), read_optima(suite, results)
    runs: dict[tuple[str, str], list[list[dict[str, Any]]]] = {}
    jobs = iter([job for job in jobs_of(suite) if job.kind == "run"])
    for _ in range(suite.seeds):
        for problem in suite.problems:
            for entry in suite.learners:
                if entry.takes(problem):
                    lines = store.shown(next(jobs))
                    if lines is not None:
                        runs.setdefault((problem.name, entry.name), []).append(lines)
    return [
        _curves(problem, entry, runs[problem.name, entry.name], optima[problem.name])
        for problem in suite.problems
        for entry in suite.learners
        if (problem.name, entry.name) in runs and problem.name in optima
    ]


def _curves(
    problem: LearningProblem,
    entry: LearnerEntry,
    runs: Sequence[list[dict[str, Any]]],
    optimum: Optimum,
) -> Curves:
    good = [lines for lines in runs if FAILED not in lines[-1]]
    failures = tuple(lines[-1][FAILED] for lines in runs if FAILED in lines[-1])
    length = min((len(lines) - 1 for lines in good), default=0)

    def table(name: str) -> np.ndarray:
        rows = [[line[name] for line in lines[:length]] for lines in good]
        return np.array(rows, float).reshape(len(good), length)

    steps = table("step")
    values = -table("value")
    taken = np.diff(steps, axis=1, prepend=0.0)
    return Curves(
        problem=problem,
        learner=entry,
        steps=steps[0] if len(good) else np.zeros(0),
        values=values,
        regrets=optimum.best - values,
        looks=np.diff(table("looks"), axis=1, prepend=0.0) / taken,
        returns=table("returns"),
        last_returns=np.array([lines[-1]["last_returns"] for lines in good], float),
        seconds=table("seconds")[:, -1] if length else np.zeros(0),
        megabytes=np.array([lines[-1]["peak_mb"] for lines in good], float),
        failures=failures,
    )


def published_return(problem: LearningProblem, entry: LearnerEntry) -> float | None:
    """The published mean training return of a learner on a problem, or None."""
    base = problem.id.partition("@")[0]
    return _field_facts().get((base, entry.published, problem.price)) if entry.published else None


@cache
def _field_facts() -> dict[tuple[str, str, float], float]:
    file = files("bench.analysis").joinpath("data/field.csv")
    facts = {}
    for line in csv.DictReader(file.read_text(encoding="utf-8").splitlines()):
        try:
            key = (line["problem"], line["quantity"], float(line["sensing_cost"]))
            facts[key] = float(line["published"])
        except ValueError:  # an interval, or a price that is no number: no learner's
            continue
    return facts
