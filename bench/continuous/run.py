"""The suite ``continuous``: every method on every continuous problem, judged on the same chance.

A cell is one (problem, sensing cost, seed).  Its methods are run one after another in one process
of its own and judged from the same start states with the same random numbers; its result is one
JSON file, written whole.  A cell whose file is there is not run again unless its settings or its
code have changed, so a run that was stopped goes on where it was.  A cell that fails leaves no
file: the others go on, and the next run tries it again.
"""

from __future__ import annotations

import concurrent.futures as futures
import functools
import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bench.continuous.problems import PROBLEMS, load_continuous
from bench.run.code_hash import hash_of, solver_symbol
from bench.run.environment import describe
from bench.run.task import END, FAILED, answer, run_task
from bench.store.files import write_json
from solvers import solve, solver_classes
from solvers.continuous import (
    AlwaysLook,
    CellPolicy,
    ContinuousATM,
    ContinuousPolicy,
    ContinuousSensingMDP,
    Judgement,
    NeverLook,
    SPIContinuous,
    discretise,
    fit_always_look,
    judge,
)
from solvers.continuous.baselines import best_period
from solvers.continuous.distil import distil

GRID_SOLVERS = ("spi", "dips")
LIMIT_SECONDS = 3600.0
MEMORY_MB = 8192
"""Hard limits of a cell, far above what any needs."""


@dataclass(frozen=True)
class Settings:
    """How much is spent on a cell; the same for every method of it."""

    name: str
    problems: tuple[str, ...]
    seeds: tuple[int, ...]
    episodes: int
    roots: int
    particles: int
    updates: int
    compared: int
    grids: dict[str, tuple[tuple[int, ...], ...]]
    samples: int
    grid_budget: float

    def cells(self) -> Iterator[tuple[str, float, int]]:
        for problem in self.problems:
            for k in PROBLEMS[problem][1]:
                for seed in self.seeds:
                    yield problem, k, seed


FULL = Settings(
    name="continuous",
    problems=tuple(PROBLEMS),
    seeds=(0, 1, 2),
    episodes=1000,
    roots=1000,
    particles=96,
    updates=8,
    compared=300,
    grids={
        "walk-1d": ((150,), (300,)),
        "inventory-continuous": ((150,), (300,)),
        "mountain-car": ((45, 45), (65, 65)),
        "lake-continuous": ((40, 40), (60, 60)),
    },
    samples=400,
    grid_budget=60.0,
)
QUICK = Settings(
    name="continuous-quick",
    problems=("walk-1d", "inventory-continuous"),
    seeds=(0,),
    episodes=200,
    roots=300,
    particles=32,
    updates=3,
    compared=100,
    grids={"walk-1d": ((60,),), "inventory-continuous": ((60,),)},
    samples=100,
    grid_budget=5.0,
)
SUITES = {each.name: each for each in (FULL, QUICK)}


def run_cell(settings: Settings, problem_id: str, k: float, seed: int) -> dict[str, Any]:
    """All methods on one problem: what each is worth, and how SPI's updates went."""
    problem, began = load_continuous(problem_id, k), time.perf_counter()
    methods: dict[str, dict[str, Any]] = {}

    def note(name: str, policy: ContinuousPolicy, since: float, **more: Any) -> Judgement:
        planned = time.perf_counter() - since
        found = judge(problem, policy, settings.episodes, seed)
        methods[name] = {
            "value": found.value,
            "standard_error": found.standard_error,
            "sensing_rate": found.sensing_rate,
            "seconds": planned,
            **more,
        }
        return found

    spi = SPIContinuous(
        roots=settings.roots,
        particles=settings.particles,
        updates=settings.updates,
        episodes=settings.compared,
        seed=seed + 1000,
    )
    best = spi.solve(problem)
    found = note("spi-continuous", best, began)
    rows = np.random.default_rng(seed).integers(len(found.roots), size=settings.roots)
    since = time.perf_counter()
    note("network", distil(problem, best, found.roots[rows], found.times[rows], seed), since)
    _baselines(settings, problem, seed, note)
    _grids(settings, problem, seed, note)
    return {
        "problem": problem_id,
        "sensing_cost": k,
        "seed": seed,
        "settings": asdict(settings),
        "code": _code(),
        "methods": methods,
        "updates": [asdict(update) for update in spi.record],
        "seconds": time.perf_counter() - began,
    }


def _baselines(settings: Settings, problem: ContinuousSensingMDP, seed: int, note: Any) -> None:
    """Always, never, every n, and ATM: each with a critic of its own problem."""
    since, rng = time.perf_counter(), np.random.default_rng(seed)
    states, times = SPIContinuous.all_over(problem, settings.roots, rng)
    free = problem.with_sensing_cost(0.0)
    V_free = fit_always_look(free, states, times, rng, settings.particles)
    V = fit_always_look(problem, states, times, rng, settings.particles)
    note("always-look", AlwaysLook(problem, V_free, settings.particles), since)
    note("never-look", NeverLook(problem, V_free, settings.particles), since)
    every, _ = best_period(problem, V_free, episodes=settings.compared, seed=seed + 2000)
    every.particles = settings.particles
    note("every-n", every, since, period=every.period)
    note("atm", ContinuousATM(problem, V, settings.particles), since)


def _grids(settings: Settings, problem: ContinuousSensingMDP, seed: int, note: Any) -> None:
    """The problem on grids, by SPI and by DIPS: the policy run here, and the grid's own optimum."""
    for shape in settings.grids.get(problem.name, ()):
        since = time.perf_counter()
        model, grid = discretise(problem, shape, settings.samples, seed)
        for solver in GRID_SOLVERS:
            found = solve(model, solver, budget=settings.grid_budget)
            label = f"grid-{solver} {'×'.join(map(str, shape))}"
            lower = None if found.lower_bound is None else float(model.start @ found.lower_bound)
            policy = CellPolicy(grid, found.policy)
            note(label, policy, since, grid_value=found.value, grid_lower=lower)


def run(
    settings: Settings,
    results: Path,
    jobs: int = 1,
    only: str | None = None,
    say: Callable[[str], None] = print,
) -> dict[Path, str]:
    """Run what is not there yet; the files of all cells, each with why it failed or ""."""
    folder = results / settings.name
    (folder / "cells").mkdir(parents=True, exist_ok=True)
    wanted = [c for c in settings.cells() if only is None or c[0] == only]
    files = {cell: folder / "cells" / "{}-k{:g}-s{}.json".format(*cell) for cell in wanted}
    todo = [cell for cell in wanted if not _is_done(files[cell], settings)]
    say(f"{len(wanted)} cells: {len(wanted) - len(todo)} done before with these settings and code")
    write_json(folder / "environment.json", describe(jobs), indent=1)
    failed = dict.fromkeys(files.values(), "")
    stop = threading.Event()
    pool = futures.ThreadPoolExecutor(jobs)
    try:
        under_way = {pool.submit(_in_process, settings, *cell, stop): cell for cell in todo}
        for number, done in enumerate(futures.as_completed(under_way), 1):
            cell, found = under_way[done], done.result()[-1]
            said = "{}, k = {:g}, seed {}".format(*cell)
            if FAILED in found:
                failed[files[cell]] = found[FAILED]
                say(f"[{number}/{len(todo)}] {said}: {found[FAILED]}")
                continue
            write_json(files[cell], found["cell"], indent=1)
            value, seconds = (found["cell"][n] for n in ("methods", "seconds"))
            value = value["spi-continuous"]["value"]
            say(f"[{number}/{len(todo)}] {said}: {value:.4g} in {seconds:.0f} s")
    finally:
        stop.set()
        pool.shutdown(wait=True, cancel_futures=True)
    return failed


def _in_process(
    settings: Settings, problem_id: str, k: float, seed: int, stop: threading.Event
) -> list[dict[str, Any]]:
    spec = {"settings": asdict(settings), "problem": problem_id, "sensing_cost": k, "seed": seed}
    return run_task("bench.continuous.run", spec, LIMIT_SECONDS, MEMORY_MB, stop)


def _answer(spec: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A cell as a task (:mod:`bench.run.task`)."""
    grids = {name: tuple(map(tuple, g)) for name, g in spec["settings"].pop("grids").items()}
    settings = Settings(grids=grids, **spec["settings"])
    cell = run_cell(settings, spec["problem"], spec["sensing_cost"], spec["seed"])
    yield {END: True, "cell": cell}


def _is_done(path: Path, settings: Settings) -> bool:
    if not path.is_file():
        return False
    known = json.loads(path.read_text(encoding="utf-8"))
    same = known["settings"] == json.loads(json.dumps(asdict(settings)))
    return same and known.get("code") == _code()


@functools.cache
def _code() -> str:
    """Hash of the code that can change a cell: of all that it uses, the solvers on grids too."""
    planners = [solver_symbol(solver_classes()[name]) for name in GRID_SOLVERS]
    return hash_of((("bench.continuous.run", "run_cell"), *planners))


if __name__ == "__main__":
    answer(_answer)
