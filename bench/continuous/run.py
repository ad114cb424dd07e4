"""The suite ``continuous``: every method on every continuous problem, judged on the same chance.

A cell is one (problem, sensing cost, seed).  Its methods are run one after another in one process
of its own and judged from the same start states with the same random numbers; its result is one
JSON file, written whole.  A cell whose file is there is not run again unless its settings or its
code have changed, so a run that was stopped goes on where it was.  A cell that fails leaves no
file: the others go on, and the next run tries it again.  The grids do not depend on the seed of the
episodes: they are solved in the cells of the first seed.
"""

from __future__ import annotations

import concurrent.futures as futures
import functools
import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from bench.continuous.problems import PROBLEMS, load_continuous
from bench.continuous.suites import Effort, Settings
from bench.run.code_hash import hash_of, solver_symbol
from bench.run.environment import describe
from bench.run.task import END, FAILED, answer, run_task
from bench.store.files import write_json
from pomdp_bridge.process.child import peak_memory_mb
from solvers import solve, solver_classes
from solvers.continuous import (
    CellPolicy,
    ContinuousPolicy,
    ContinuousSensingMDP,
    EveryN,
    Judgement,
    SPIContinuous,
    compare,
    discretise,
    judge,
)
from solvers.continuous.distil import NoNetworkLibrary, distil

GRID_SOLVERS: dict[str, tuple[str, ...]] = {"spi": (), "dips": ("target_gap",)}
"""The solvers on grids, and which of them stop at the suite's ``grid_gap``."""
LIMIT_SECONDS = 14_400.0
MEMORY_MB = 2048
"""Hard limits of a cell."""


class _Cell:
    """The methods of one cell, each judged against SPI on the same chance."""

    def __init__(self, problem: ContinuousSensingMDP, episodes: int, seed: int) -> None:
        self.problem, self.episodes, self.seed = problem, episodes, seed
        self.methods: dict[str, dict[str, Any]] = {}
        self.ours: Judgement | None = None
        self.since = time.process_time()

    def note(self, name: str, policy: ContinuousPolicy, **more: Any) -> Judgement:
        """Judge a policy that was planned since the last note; the first one is SPI's."""
        planned = time.process_time() - self.since
        found = judge(self.problem, policy, self.episodes, self.seed)
        self.ours = self.ours or found
        behind, error = compare(found, self.ours)
        self.methods[name] = {
            "value": found.value,
            "standard_error": found.standard_error,
            "behind_spi": behind,
            "behind_spi_error": error,
            "sensing_rate": found.sensing_rate,
            "cpu_seconds": planned,
            **more,
        }
        self.since = time.process_time()
        return found


def run_cell(settings: Settings, problem_id: str, k: float, seed: int) -> dict[str, Any]:
    """All methods on one problem: what each is worth, and how SPI's updates went."""
    problem, effort = load_continuous(problem_id, k), settings.efforts[problem_id]
    began, cell = time.process_time(), _Cell(problem, effort.episodes, seed)
    spi = SPIContinuous(
        roots=effort.roots,
        features=effort.features,
        particles=effort.particles,
        judges=effort.judges,
        updates=effort.updates,
        episodes=effort.compared,
        seed=seed + 1000,
    )
    best = spi.solve(problem)
    found = cell.note("spi-continuous", best)
    roots, times = spi.mixed_roots(problem, found, np.random.default_rng(seed))
    try:
        cell.note("network", distil(problem, best, roots, times, seed))
    except NoNetworkLibrary as missing:  # the cell is whole without it; the table says "not run"
        print(f"{problem_id}: no network: {missing}", flush=True)
    _baselines(spi, cell)
    if seed == settings.seeds[0]:
        _grids(settings, effort, cell)
    return {
        "problem": problem_id,
        "sensing_cost": k,
        "seed": seed,
        "settings": settings.of_cell(problem_id, seed),
        "code": _code(),
        "methods": cell.methods,
        "updates": [asdict(update) for update in spi.record],
        "started_from": spi.first.name if spi.first else None,
        **({"policy": spi.as_json()} if is_drawn(settings, problem_id, k, seed) else {}),
        "cpu_seconds": time.process_time() - began,
        "peak_memory_mb": peak_memory_mb(),
    }


def is_drawn(settings: Settings, problem_id: str, k: float, seed: int) -> bool:
    """Whether a cell keeps its policy for a picture: the first seed at the middle sensing cost, on
    problems with states of one or two dimensions."""
    middle = k == PROBLEMS[problem_id][1][1] and seed == settings.seeds[0]
    return middle and load_continuous(problem_id).dimension <= 2


def _baselines(spi: SPIContinuous, cell: _Cell) -> None:
    """Note the policies that SPI chose its start from: look always, never, every n steps, and ATM.

    They use the same critics as SPI: with another one a baseline would be better or worse by luck.
    """
    for start in spi.starts:
        more = {"period": start.policy.period} if isinstance(start.policy, EveryN) else {}
        cell.note(start.policy.name, start.quick, **more, cpu_seconds=start.cpu_seconds)


def _grids(settings: Settings, effort: Effort, cell: _Cell) -> None:
    """The problem on grids, by SPI and by DIPS: the policy run here, and the grid's own value."""
    for shape in effort.grids:
        model, grid = discretise(cell.problem, shape, settings.samples, cell.seed)
        for solver, stops_at in GRID_SOLVERS.items():
            options = dict.fromkeys(stops_at, settings.grid_gap)
            found = solve(model, solver, budget=settings.grid_budget, **options)
            lower = None if found.lower_bound is None else float(model.start @ found.lower_bound)
            label = f"grid-{solver} {'×'.join(map(str, shape))}"
            policy = CellPolicy(grid, found.policy)
            cell.note(label, policy, grid_value=found.value, grid_lower=lower)


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
    todo = [cell for cell in wanted if not _is_done(files[cell], settings, cell)]
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
            value = found["cell"]["methods"]["spi-continuous"]["value"]
            seconds = found["cell"]["cpu_seconds"]
            say(f"[{number}/{len(todo)}] {said}: {value:.4g} in {seconds:.0f} CPU s")
    finally:
        stop.set()
        pool.shutdown(wait=True, cancel_futures=True)
    return failed


def _in_process(
    settings: Settings, problem_id: str, k: float, seed: int, stop: threading.Event
) -> list[dict[str, Any]]:
    """One cell in a process of its own: what it answered, an end or a failure last."""
    spec = {"settings": asdict(settings), "problem": problem_id, "sensing_cost": k, "seed": seed}
    return run_task("bench.continuous.run", spec, LIMIT_SECONDS, MEMORY_MB, stop)


def _answer(spec: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A cell as a task (:mod:`bench.run.task`)."""
    settings = Settings(**spec["settings"])
    efforts = {name: Effort(**effort) for name, effort in settings.efforts.items()}  # type: ignore
    settings = replace(settings, efforts=efforts)
    cell = run_cell(settings, spec["problem"], spec["sensing_cost"], spec["seed"])
    yield {END: True, "cell": cell}


def _is_done(path: Path, settings: Settings, cell: tuple[str, float, int]) -> bool:
    if not path.is_file():
        return False
    known = json.loads(path.read_text(encoding="utf-8"))
    same = known["settings"] == settings.of_cell(cell[0], cell[2])
    return bool(same and known.get("code") == _code())


@functools.cache
def _code() -> str:
    """Hash of the code that can change a cell: of all that it uses, the solvers on grids too."""
    planners = [solver_symbol(solver_classes()[name]) for name in GRID_SOLVERS]
    return hash_of((("bench.continuous.run", "run_cell"), *planners))


if __name__ == "__main__":
    answer(_answer)
