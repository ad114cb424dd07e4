"""A small suite's results with everything the report must cope with, made by real runs.

Three lakes' worth of cells with plans, a bound without a policy, a run that failed, a figure, and
a problem whose every name is markup.
"""

import time

import numpy as np

from bench.problems import Problem, problems
from bench.run.cell import run_cell
from bench.store.costs import to_text
from bench.store.result import Result
from bench.store.store import Store
from bench.suites.cell import Cell
from solvers import SensingMDP

SUITE = "tiny"
LAKE = "frozen-lake-4x4"
NASTY = "<script>alert(1)</script>"
RUNS = [
    (LAKE, k, solver, options)
    for k in (0.005, 0.01)
    for solver, options in (
        ("always-sense", {}),
        ("atm", {}),
        ("spi", {}),
        ("delayed-information", {"depth": 2}),
    )
] + [("inventory", 0.2, "atm", {}), (NASTY, 0.1, "atm", {})]
FIGURE = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><script>alert(2)</script></svg>'


def _build_nasty(sensing_cost):
    T = np.array([[[0.8, 0.2], [0.3, 0.7]], [[0.1, 0.9], [0.6, 0.4]]])
    return SensingMDP.from_arrays(
        T,
        np.array([[0.0, 1.0], [1.0, 0.5]]),
        0.9,
        sensing_cost,
        name=NASTY,
        state_names=[f"</script>{NASTY}", "{{script}}"],
        action_names=['"><img src=x onerror=alert(3)>', "b&amp;"],
    )


def with_nasty_problem():
    """The problems known here and the one with names like markup."""
    known = problems()
    nasty = Problem(NASTY, NASTY, _build_nasty, (0.1,), rewards=False)
    return lambda: {**known, NASTY: nasty}


def write_results(folder):
    """Run everything into ``folder/tiny``; ``bench.problems.problems`` must know NASTY."""
    store = Store(folder, SUITE)
    store.create()
    for i, (problem, k, solver, options) in enumerate(RUNS):
        cell = _cell(i, problem, k, solver, options)
        outcome = run_cell(cell, time.monotonic())
        if outcome.details:
            store.write_details(cell.key, outcome.details)
        store.append(_result(store, cell, {**outcome.row, "start_seconds": 0.1}))
    failed = {"status": "timeout", "reason": "timeout 20 s <b>hard</b>"}
    store.append(_result(store, _cell(len(RUNS), "inventory", 0.2, "spi", {}), failed))
    store.record_environment({"cpu": "<i>quick</i>", "cores": 2, "packages": {"numpy": "2"}})
    (folder / SUITE / "figures").mkdir()
    (folder / SUITE / "figures" / "profile-frozen-lake-4x4.svg").write_text(FIGURE)


def _cell(i, problem, k, solver, options):
    cell = Cell(SUITE, problem, to_text(k), solver, options, solver, 0, 20.0, 1, 4096)
    return cell.with_hashes("", "", f"{i:016x}")


def _result(store, cell, measured):
    when = "2026-01-02T03:04:05+00:00"
    own = {**cell.columns(), "code": "c0de", "clone": store.clone, "finished": when}
    return Result(**{**own, **measured})


def key_of(problem, k, solver):
    """The key of a run of :data:`RUNS`."""
    [at] = [i for i, (p, c, s, _) in enumerate(RUNS) if (p, c, s) == (problem, k, solver)]
    return f"{at:016x}"
