"""Runs a learning suite: one process per run, under hard limits, several at once.

Each run is one file, ``results/SUITE/runs/KEY.jsonl``: a first line that says what was run, then
the lines of :mod:`bench.learning.one_run`, or a last line with the reason why it failed.  The key
is a hash of the run's settings and of the code behind its learner, so a suite that is run again
does only what has no file yet, and a file is there whole or not at all.
"""

from __future__ import annotations

import concurrent.futures as futures
import functools
import hashlib
import json
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from bench.learning.suite import LearningSuite
from bench.run.code_hash import hash_of, solver_symbol
from bench.run.environment import describe
from bench.run.model_hash import steady_hash
from bench.run.task import FAILED, run_task
from bench.store.files import write_json, write_text
from bench.store.result import StoreError
from solvers import solver_classes
from solvers.learning import learner_classes, make_learner

GRACE = 600.0
"""Seconds that a search for an optimum may take beyond its budget: the first one compiles."""
KEY_DIGITS = 16
POLL_SECONDS = 0.5


@dataclass(frozen=True)
class Job:
    """A run, or a search for an optimum, as plain values."""

    kind: str  # "run" or "optimum"
    title: str
    spec: Mapping[str, Any]
    seconds: float
    memory_mb: int
    key: str


def jobs_of(suite: LearningSuite) -> list[Job]:
    """Everything a suite asks for: first the optima, then the runs, seed by seed."""
    out = []
    for problem in suite.problems:
        spec = {
            "problem": problem.id,
            "sensing_cost": problem.price,
            "optimum": suite.optimum_seconds,
        }
        title = f"optimum of {problem.name}"
        limit = suite.optimum_seconds + GRACE
        out.append(Job("optimum", title, spec, limit, suite.memory_mb, _key(spec)))
    for seed in range(suite.seeds):
        for problem in suite.problems:
            for entry in suite.learners:
                if not entry.takes(problem):
                    continue
                spec = {
                    "problem": problem.id,
                    "sensing_cost": problem.price,
                    "horizon": problem.horizon,
                    "steps": problem.steps,
                    "max_return": problem.max_return,
                    "max_looks": problem.max_looks,
                    "discounted_returns": problem.discounted_returns,
                    "checkpoints": suite.checkpoints_of(problem),
                    "learner": entry.id,
                    "options": dict(entry.options),
                    "seed": seed,
                    "files": list(suite.files),
                }
                title = f"{entry.name} / {problem.name}, seed {seed}"
                key = _key(spec)
                out.append(Job("run", title, spec, suite.seconds, suite.memory_mb, key))
    return out


def choose(jobs: Iterable[Job], only: Iterable[str]) -> list[Job]:
    """The runs that match any ``LEARNER/PROBLEM`` pattern by their titles, and their optima."""
    jobs, patterns = list(jobs), []
    for text in only:
        learner, slash, problem = text.partition("/")
        if not slash:
            raise ValueError(f"--only {text}: expected LEARNER/PROBLEM; * stands for any")
        patterns += [f"{learner} / {problem}, seed *", f"optimum of {problem}"]
    chosen = [job for job in jobs if any(fnmatchcase(job.title, p) for p in patterns)]
    if patterns and not any(job.kind == "run" for job in chosen):
        titles = "; ".join(job.title for job in jobs if job.title.endswith(", seed 0"))
        raise ValueError(f"--only {' '.join(only)}: no run of this suite; it has {titles}")
    return chosen if patterns else jobs


def _key(spec: Mapping[str, Any]) -> str:
    """Hash of a job's settings, of its model and of the code that it uses."""
    model = _model(spec["problem"], spec["sensing_cost"])
    text = json.dumps({**spec, "model": model, "code": _code(spec)}, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:KEY_DIGITS]


@functools.cache
def _model(problem: str, sensing_cost: float) -> str:
    return steady_hash(problem, sensing_cost)


def _code(spec: Mapping[str, Any]) -> str:
    """Hash of the code behind a run, its planner included, or behind an optimum."""
    if "optimum" in spec:
        planner, roots = "dips", [("bench.learning.one_run", "optimum")]
    else:
        learner = make_learner(spec["learner"], **spec["options"])
        planner = getattr(learner, "planner", None)
        roots = [
            ("bench.learning.one_run", "run"),
            solver_symbol(learner_classes()[spec["learner"]]),
        ]
    if planner in solver_classes():
        roots.append(solver_symbol(solver_classes()[planner]))
    return hash_of(tuple(roots))


def run_job(job: Job, stop: threading.Event | None = None) -> list[dict[str, Any]]:
    """Do one job in a process of its own; its lines, or one with ``failed`` and the reason."""
    return run_task("bench.learning.one_run", job.spec, job.seconds, job.memory_mb, stop)


class LearningStore:
    """The results of one suite."""

    def __init__(self, results: Path, suite: str) -> None:
        self.folder = Path(results) / suite
        self.runs = self.folder / "runs"

    def path(self, job: Job) -> Path:
        return self.runs / f"{job.key}.jsonl"

    def write(self, job: Job, lines: Iterable[Mapping[str, Any]]) -> None:
        """The job's file, whole or not at all."""
        self.runs.mkdir(parents=True, exist_ok=True)
        first = {"kind": job.kind, "title": job.title, **job.spec}
        text = "".join(json.dumps(line) + "\n" for line in (first, *lines))
        write_text(self.path(job), text)

    def read(self, job: Job) -> list[dict[str, Any]] | None:
        """The job's lines after the first; None where it was not run yet."""
        path = self.path(job)
        return _lines(path)[1:] if path.is_file() else None

    @functools.cached_property
    def _by_settings(self) -> dict[str, list[dict[str, Any]]]:
        """The lines of every file by the settings in its first line, the newest file last."""
        found = {}
        for path in sorted(self.runs.glob("*.jsonl"), key=lambda p: p.stat().st_mtime):
            first, *lines = _lines(path)
            found[_settings(first)] = lines
        return found

    def shown(self, job: Job) -> list[dict[str, Any]] | None:
        """The job's lines by this code, else the newest of the same settings by another code."""
        lines = self.read(job)
        return self._by_settings.get(_settings(job.spec)) if lines is None else lines


def _lines(path: Path) -> list[dict[str, Any]]:
    """What is in a job's file."""
    try:
        found = [json.loads(text) for text in path.read_text(encoding="utf-8").splitlines()]
    except ValueError as error:
        raise StoreError(f"{path} is damaged ({error}); move it away and run again") from None
    if len(found) < 2 or not all(isinstance(line, dict) for line in found):
        raise StoreError(f"{path} is damaged: it is no run; move it away and run again")
    return found


def _settings(spec: Mapping[str, Any]) -> str:
    return json.dumps({k: v for k, v in spec.items() if k not in ("kind", "title")}, sort_keys=True)


def run_suite(
    suite: LearningSuite,
    results: Path,
    submit: Callable[[Job], futures.Future],
    *,
    rerun_failed: bool = False,
    only: Sequence[str] = (),
    size: Callable[[], int] = lambda: 1,
    say: Callable[[str], None] = print,
) -> int:
    """Do what has no file yet; returns how many jobs failed.

    only : ``LEARNER/PROBLEM`` patterns, all when empty; size : how many runs are made at once,
    just now (raises if there is nobody any more)
    """
    store, jobs = LearningStore(results, suite.name), choose(jobs_of(suite), only)
    todo = []
    for job in jobs:
        lines = store.read(job)
        if lines is None or (rerun_failed and FAILED in lines[-1]):
            todo.append(job)
    say(f"{len(jobs)} jobs, {len(jobs) - len(todo)} done before")
    store.runs.mkdir(parents=True, exist_ok=True)
    write_json(store.folder / "environment.json", describe(size()), indent=1)
    began, failed = time.monotonic(), 0
    under_way = {submit(job): job for job in todo}
    for i, done in enumerate(_as_completed(under_way, size), 1):
        job, lines = under_way[done], done.result()
        store.write(job, lines)
        wrong = lines[-1].get(FAILED)
        failed += wrong is not None
        left = (time.monotonic() - began) / i * (len(todo) - i)
        say(f"[{i}/{len(todo)}] {job.title}: {wrong or 'done'}; about {left / 60:.0f} min left")
    return failed


def _as_completed(
    under_way: Iterable[futures.Future], size: Callable[[], int]
) -> Iterator[futures.Future]:
    """Each as it is done, while there is anybody to do it."""
    left = set(under_way)
    while left:
        done, left = futures.wait(left, POLL_SECONDS, futures.FIRST_COMPLETED)
        yield from done
        if left:
            size()  # raises if there is nobody any more
