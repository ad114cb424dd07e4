"""Result rows made by hand, for tests of what is read from them."""

import itertools
from pathlib import Path

import numpy as np

from bench import load_problem
from bench.store import status
from bench.store.result import HEADER, Result
from bench.store.store import Store
from solvers import solve

_keys = itertools.count(1)


def row(problem="frozen-lake-4x4", k=0.01, solver="spi", value=None, **more):
    """A result, as a run would store it."""
    given = {
        "key": f"{next(_keys):016x}",
        "suite": "made",
        "problem": problem,
        "sensing_cost": k,
        "solver": solver,
        "label": solver,
        "options": {},
        "seed": 0,
        "status": status.OK,
        "value": value,
        "solve_seconds": 0.5,
        "budget_seconds": 60.0,
        "threads": 1,
        "clone": "c10e",
        "finished": "2026-11-16T00:00:00Z",
        **more,
    }
    return Result(**given)


def store(results: Path, *made: Result, suite="made", details=()) -> Path:
    """A results directory with these rows, and details {key: content}, else empty ones."""
    kept = Store(results, suite)
    kept.create()
    text = HEADER + "".join(row.line() for row in made)
    kept.rows_path.write_text(text, encoding="utf-8", newline="")
    for key, content in ({row.key: {} for row in made if row.ok} | dict(details)).items():
        kept.write_details(key, content)
    return results


def solved(problem: str, k: float, solver: str, **options):
    """A row of a real run, and the details it leaves."""
    model = load_problem(problem, k)
    found = solve(model, solver, budget=20, **options)
    made = row(
        *(problem, k, solver),
        value=found.value,
        lower=found.lower,
        options=options,
        sensing_rate=found.sensing_rate,
        solve_seconds=found.seconds,
    )
    plans = {}
    for root in np.flatnonzero(model.start > 0):
        plan = found.policy.plan(int(root))
        plans[str(root)] = {"actions": list(plan.actions), "senses": plan.senses}
    content = {"values": found.values.tolist(), "trace": found.trace, "plans": plans, "info": {}}
    return made, {made.key: content}
