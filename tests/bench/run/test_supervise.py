"""A cell's process and its children: measured together, ended together."""

import contextlib
import threading
import time

import psutil
import pytest

from bench.run.supervise import Stopped, run_limited
from bench.store import status
from bench.suites.cell import Cell

CHILD = '''
import subprocess, sys, time
from dataclasses import dataclass
from solvers import Solver

@dataclass
class Parent(Solver):
    """Starts a child in a session of its own, which holds memory and waits."""

    name = "parent"

    def solve(self, problem, budget):
        hold = "import time; hoard = bytearray(300 * 2**20); time.sleep(600)"
        child = subprocess.Popen([sys.executable, "-c", hold], start_new_session=True)
        with open(r"{pid}", "w") as file:
            file.write(str(child.pid))
        time.sleep(600)
'''


@pytest.fixture
def spec(tmp_path):
    """A cell whose solver waits for a child of 300 MiB for ever."""
    solver, pid = tmp_path / "parent.py", tmp_path / "pid"
    solver.write_text(CHILD.replace("{pid}", str(pid)))
    what = {"suite": "s", "problem": "two-state", "sensing_cost": "0.25", "solver": "parent"}
    how = {"label": "p", "options": {}, "seed": 0, "budget": 60.0, "threads": 1}
    return Cell(**what, **how, memory_mb=4096, files=(str(solver),)).as_json(), pid


def assert_gone(pid):
    with contextlib.suppress(psutil.NoSuchProcess):
        psutil.Process(int(pid.read_text())).wait(timeout=20)


def test_the_memory_of_children_counts_and_they_are_ended(spec):
    cell, pid = spec
    outcome = run_limited({**cell, "memory_mb": 350})
    assert outcome.row["status"] == status.MEMORY
    assert outcome.row["peak_memory_mb"] > 350
    assert_gone(pid)


def test_stopping_ends_the_children_too(spec):
    cell, pid = spec
    stop = threading.Event()

    def stop_when_born():
        end = time.monotonic() + 60
        while not pid.exists() and time.monotonic() < end:
            time.sleep(0.05)
        time.sleep(1.0)  # children are looked for twice a second
        stop.set()

    threading.Thread(target=stop_when_born).start()
    with pytest.raises(Stopped):
        run_limited(cell, stop)
    assert_gone(pid)


STRAY = '''
import os
from dataclasses import dataclass
from solvers import Plan, PlanPolicy, Solution, Solver

@dataclass
class Stray(Solver):
    """Prints to every file descriptor there is, a claim of its own among them."""

    name = "stray"

    def solve(self, problem, budget):
        lie = b\'{"row": {"status": "ok", "value": -1999.0}, "details": null}\'
        for descriptor in range(1, 64):
            try:
                os.write(descriptor, lie + b"\\n" + lie)
            except OSError:
                pass
        return Solution(policy=PlanPolicy(problem, [Plan((0,), True)] * problem.num_states))
'''


def test_a_stray_print_cannot_pass_for_a_report(tmp_path):
    file = tmp_path / "stray.py"
    file.write_text(STRAY)
    cell = Cell("s", "two-state", "0.25", "stray", {}, "s", 0, 5.0, 1, 4096, (str(file),))
    outcome = run_limited(cell.as_json())
    assert outcome.row["status"] == status.OK and outcome.row["value"] > 0
    assert "-1999" in outcome.log


def test_a_clock_that_jumps_gives_no_negative_time(tmp_path, monkeypatch):
    file = tmp_path / "stray.py"
    file.write_text(STRAY)
    monkeypatch.setattr(time, "time", lambda: 4e9)  # the run believes to be in the year 2096
    cell = Cell("s", "two-state", "0.25", "stray", {}, "s", 0, 5.0, 1, 4096, (str(file),))
    row = run_limited(cell.as_json()).row
    assert 0 < row["start_seconds"] < row["wall_seconds"] < 600
