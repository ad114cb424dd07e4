"""Workers of a run with a stand-in for juliacall: who shares one, who gets a new one, and when."""

import os
import threading
import time
from pathlib import Path

import numpy as np
import psutil
import pytest

from bench import load_problem
from bench.run.supervise import Stopped, run_limited
from bench.suites.cell import Cell
from pomdp_bridge.julia import environment, shared
from pomdp_bridge.julia.bridge import Call, call_julia
from pomdp_bridge.julia.errors import BridgeError
from pomdp_bridge.julia.shared import Workers
from pomdp_bridge.julia.solver_file import SolverFile, read_head
from pomdp_bridge.process.status import CRASHED, FAILED, MEMORY, TIMEOUT
from solvers import SensingMDP
from tests.pomdp_bridge.stand_ins import complete_manifest, prepared

STAND_IN = Path(__file__).parent / "stand_in"
ROOT = Path(__file__).parents[3]


@pytest.fixture
def julia(bare, monkeypatch):
    prepared(monkeypatch, bare, packages=complete_manifest())
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(STAND_IN), str(ROOT)]))
    monkeypatch.setenv("SENSEBENCH_JULIA_LOGS", str(bare / "logs"))
    return bare


@pytest.fixture
def workers(julia, monkeypatch):
    """Workers that the jobs of this process are done by."""
    kept = Workers(1)
    monkeypatch.setattr(shared, "_borrowed", [kept])
    yield kept
    kept.close()


def ask(name="good.jl", **options):
    """The process that served a call, and how many it had served with it."""
    problem = SensingMDP.from_arrays([np.eye(2)], [[1.0], [2.0]], 0.5, 0.1)
    call = Call(SolverFile(f"/there/{name}"), **{"budget": 60.0, "memory_gb": 0.3, **options})
    answer = call_julia(problem, call)
    np.testing.assert_array_equal(answer.arrays["alphas"], [[1.0, 2.0]])
    settings = answer.numbers["settings"]
    return settings["pid"], settings["calls"]


def test_calls_of_one_file_share_a_worker_and_another_file_gets_its_own(workers):
    (one, first), (same, second) = ask(), ask()
    assert one == same and (first, second) == (1, 2)
    other, calls = ask("other.jl")
    assert other != one and calls == 1
    assert not psutil.pid_exists(one)  # there was room for one
    workers.close()
    assert not psutil.pid_exists(other)


def test_a_call_that_fails_ends_its_worker_and_the_next_one_runs_in_a_new_one(workers):
    before, _ = ask()
    for name, kind in (
        ("throw.jl", FAILED),
        ("crash.jl", CRASHED),
        ("sleep.jl", TIMEOUT),
        ("grow.jl", MEMORY),
    ):
        with pytest.raises(BridgeError) as caught:
            ask(name, budget=-3.0 if name == "sleep.jl" else 60.0)
        assert (caught.value.kind, caught.value.stage) == (kind, "planning"), name
        after, calls = ask()
        assert calls == 1 and after != before and not psutil.pid_exists(before)
        before = after


def test_a_worker_is_not_used_again_once_it_has_grown_or_died(workers, monkeypatch):
    one, _ = ask()
    monkeypatch.setattr(shared, "MOST_GROWN_MB", -1e6)
    two, _ = ask()
    monkeypatch.undo()
    monkeypatch.setattr(shared, "_borrowed", [])
    assert one != two and not psutil.pid_exists(one)


def test_each_call_has_its_own_log(workers, julia):
    for name in ("good.jl", "good.jl"):
        ask(name)
    with pytest.raises(BridgeError, match="no luck") as caught:
        ask("throw.jl")
    assert "no luck" in caught.value.log.read_text()
    logs = list((julia / "logs").glob("*.log"))
    assert len(logs) == 3 and sum("no luck" in log.read_text() for log in logs) == 1


def cell(name, **more):
    what = {"suite": "s", "problem": "two-state", "sensing_cost": "0.25", "label": "j"}
    how = {"options": {}, "seed": 0, "budget": 60.0, "threads": 1, "memory_mb": 4096}
    return Cell(**{**what, **how, "solver": f"julia:{name}", **more})


def stop_when_busy(kept, stop):
    end = time.monotonic() + 120
    while not kept._busy and time.monotonic() < end:
        time.sleep(0.05)
    time.sleep(1.0)
    stop.set()


def test_cells_of_a_run_share_a_worker_which_ends_with_a_failure_or_a_stop(julia):
    for name in ("good.jl", "throw.jl", "grow.jl", "sleep.jl"):
        (julia / name).write_text("# packages: FIB\n")
    kept, spec = Workers(1), cell(julia / "good.jl").as_json()
    try:
        rows = [run_limited(spec, None, kept) for _ in range(2)]
        assert [o.row["status"] for o in rows] == ["ok", "ok"]
        fib = complete_manifest()["FIB"]
        assert all(o.row["versions"]["FIB"] == fib for o in rows)
        pids = [o.details["info"]["settings"]["pid"] for o in rows]
        assert pids[0] == pids[1] and all(o.row["peak_memory_mb"] > 10 for o in rows)
        failed = run_limited(cell(julia / "throw.jl").as_json(), None, kept)
        assert failed.row["status"] == "failed" and "no luck" in failed.row["reason"]
        assert "no luck" in failed.log
        grown = run_limited(cell(julia / "grow.jl", memory_mb=600).as_json(), None, kept)
        assert grown.row["status"] == "memory" and grown.row["peak_memory_mb"] >= 600
        stop = threading.Event()
        threading.Thread(target=stop_when_busy, args=(kept, stop)).start()
        with pytest.raises(Stopped):
            run_limited(cell(julia / "sleep.jl").as_json(), stop, kept)
        assert not kept._idle
        alone = run_limited(spec)
        assert alone.details["info"]["settings"]["calls"] == 1
    finally:
        kept.close()
    mine = [p for p in psutil.Process().children(recursive=True) if p.is_running()]
    assert not [p for p in mine if "pomdp_bridge.julia" in " ".join(p.cmdline())]


@pytest.mark.julia
def test_a_shared_julia_answers_to_the_last_bit_what_a_fresh_one_does(monkeypatch):
    small, lake = load_problem("inventory", 0.064), load_problem("frozen-lake-4x4", 0.01)
    asked = [
        (lake, shipped("fib", max_iterations=50)),
        (lake, shipped("sarsop", max_steps=20, max_time=60.0)),
        (small, shipped("sarsop_structured", max_steps=20, max_time=60.0)),
        (small, shipped("pomcp", tree_queries=50)),
        (small, shipped("qmdp")),
    ]
    fresh = [call_julia(problem, call) for problem, call in asked]
    kept = Workers(1)
    monkeypatch.setattr(shared, "_borrowed", [kept])
    try:
        again = [call_julia(problem, call) for problem, call in asked]
        backwards = [call_julia(problem, call) for problem, call in reversed(asked)]
        assert len(kept._idle) == 1
    finally:
        kept.close()
    for others in (again, backwards[::-1]):
        for one, other in zip(fresh, others, strict=True):
            assert one.arrays.keys() == other.arrays.keys()
            for name, array in one.arrays.items():
                assert array.tobytes() == other.arrays[name].tobytes(), (one.log.name, name)
            assert without_times(one.numbers) == without_times(other.numbers)


def shipped(name, **options):
    file = read_head(environment.JULIA_PACKAGE / "solvers" / f"{name}.jl")
    return Call(file, options=options, seed=3, episodes=3, budget=120.0)


def without_times(numbers):
    timed = ("seconds", "peak_memory_mb")
    kept = {name: x for name, x in numbers.items() if name not in timed}
    kept["settings"] = {
        name: x for name, x in numbers["settings"].items() if "time" not in name.lower()
    }
    return str(kept)  # where not a number is equal to itself
