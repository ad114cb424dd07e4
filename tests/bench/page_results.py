"""A small suite's results with everything the report must cope with, made by real runs.

Three lakes' worth of cells with plans, a bound without a policy, a run that failed, a figure, and
a problem whose every name is markup.
"""

import numpy as np

from bench.problems import Problem, problems
from bench.run.cell import run_cell
from bench.store.store import Store
from solvers import SensingMDP

SUITE = "tiny"
NASTY = "<script>alert(1)</script>"
RUNS = [
    ("frozen-lake-4x4", k, solver, options)
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
        spec = {
            **{"problem": problem, "sensing_cost": k, "solver": solver, "options": options},
            **{"key": f"{i:016x}", "seed": 0, "label": solver, "budget": 20, "files": []},
            **{"threads": 1, "memory_mb": 4096, "began": 0.0, "code": ""},
        }
        outcome = run_cell(spec)
        if outcome["details"]:
            store.write_details(spec["key"], outcome["details"])
        store.append({**_identity(store, spec), **outcome["row"], "start_seconds": 0.1})
    failed = {**spec, "problem": "inventory", "sensing_cost": 0.2, "solver": "spi", "options": {}}
    failed["key"] = f"{len(RUNS):016x}"
    store.append(
        {**_identity(store, failed), "status": "timeout", "reason": "timeout 20 s <b>hard</b>"}
    )
    store.record_environment({"cpu": "<i>quick</i>", "cores": 2, "packages": {"numpy": "2"}})
    (folder / SUITE / "figures").mkdir()
    (folder / SUITE / "figures" / "profile-frozen-lake-4x4.svg").write_text(FIGURE)


def _identity(store, spec):
    names = ("key", "problem", "sensing_cost", "solver", "options", "seed", "label", "threads")
    own = {name: spec[name] for name in names}
    return {
        **own,
        "suite": SUITE,
        "budget_seconds": spec["budget"],
        "clone": store.clone,
        "code": "c0de",
        "finished": "2026-01-02T03:04:05+00:00",
    }


def key_of(problem, k, solver):
    """The key of a run of :data:`RUNS`."""
    [at] = [i for i, (p, c, s, _) in enumerate(RUNS) if (p, c, s) == (problem, k, solver)]
    return f"{at:016x}"
