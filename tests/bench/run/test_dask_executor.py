"""The same suite through a real Dask cluster gives the same values bit for bit."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("distributed")

from bench.cli import main
from bench.run.crew import Lost
from bench.run.dask_executor import Cluster, dask_crew
from bench.store import result, status
from bench.store.store import Store

SUITE = f"""
budget = 30
files = ["{(Path(__file__).parents[1] / "little_solvers.py")}"]
[[problem]]
id = "inventory"
[[problem]]
id = "frozen-lake-4x4"
sensing_costs = [0.01]
[[solver]]
id = "spi"
[[solver]]
id = "always-sense"
[[solver]]
id = "segfaults"
only_problems = ["inventory"]
"""


def wait_until(condition, what, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"{what} in {seconds} s"
        time.sleep(0.1)


@pytest.fixture
def cluster(tmp_path):
    """A scheduler and two workers, each a process of its own; the scheduler's address."""
    found = tmp_path / "scheduler.json"
    common = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": tmp_path}
    dask = [sys.executable, "-m", "dask"]
    where = ["--scheduler-file", str(found)]
    options = ["--host", "127.0.0.1", "--no-dashboard"]
    started = [subprocess.Popen([*dask, "scheduler", "--port", "0", *options, *where], **common)]
    try:
        wait_until(found.is_file, "no scheduler")
        worker = [*dask, "worker", *where, "--nthreads", "1", "--no-nanny", *options]
        started += [subprocess.Popen(worker, **common) for _ in range(2)]
        address = json.loads(found.read_text())["address"]
        from distributed import Client

        with Client(address) as client:
            client.wait_for_workers(2, timeout=60)
        yield address, started
    finally:
        for process in reversed(started):
            process.kill()
            process.wait(timeout=30)


def test_dask_gives_the_same_rows(tmp_path, cluster):
    suite = tmp_path / "tiny.toml"
    suite.write_text(SUITE)
    assert main(["run", str(suite), "--results", str(tmp_path / "here"), "--jobs", "2"]) == 1
    far = ["--executor", "dask", "--scheduler", cluster[0]]
    assert main(["run", str(suite), "--results", str(tmp_path / "far"), *far]) == 1
    varying = {*result.TIMES, "peak_memory_mb", "clone", "finished"}
    here, there = (
        {
            row.key: row.model_copy(update=dict.fromkeys(varying))
            for row in Store(tmp_path / place, "tiny").read()
        }
        for place in ("here", "far")
    )
    assert len(here) == 8 and here == there  # values are text that reads back bit for bit
    assert {r.reason for r in there.values() if r.status == status.CRASHED} == {
        "segmentation fault"
    }
    for key, row in here.items():
        details = [Store(tmp_path / d, "tiny").read_details(key) for d in ("here", "far")]
        assert (row.status == status.OK) == (details[0] is not None)
        assert details[0] == details[1]


def test_a_cluster_that_is_not_there_is_told_in_one_line(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr("bench.run.dask_executor.CONNECT_SECONDS", 1)
    address = "tcp://127.0.0.1:9"
    suite = tmp_path / "tiny.toml"
    suite.write_text(SUITE)
    arguments = ["run", str(suite), "--executor", "dask", "--results", str(tmp_path)]
    assert main([*arguments, "--scheduler", address]) == 2
    assert f"no Dask scheduler answers at {address}" in capsys.readouterr().err
    assert main(arguments) == 2
    assert "needs --scheduler ADDRESS" in capsys.readouterr().err


SLOW = """
budget = 30
files = ["{little}"]
[[problem]]
id = "inventory"
sensing_costs = [0.1, 0.2, 0.3]
[[solver]]
id = "first-action"
each = { nap = [1.0, 1.1] }
"""


def lost(tmp_path, cluster, which):
    """Run on a cluster of which one process is killed once a row is there; the run's outcome."""
    address, started = cluster
    suite = tmp_path / "tiny.toml"
    suite.write_text(SLOW.replace("{little}", str(Path(__file__).parents[1] / "little_solvers.py")))
    arguments = ["run", str(suite), "--results", str(tmp_path / "out")]
    far = ["--executor", "dask", "--scheduler", address]
    run = subprocess.Popen(
        [sys.executable, "-m", "bench", *arguments, *far],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_until(lambda: Store(tmp_path / "out", "tiny").read(), "no row", 120)
    started[which].kill()
    _, told = run.communicate(timeout=240)
    return run.returncode, told, arguments


def test_a_scheduler_that_is_lost_is_no_result(tmp_path, cluster):
    code, told, arguments = lost(tmp_path, cluster, 0)
    assert code == 2 and "scheduler" in told and "run it again to go on" in told
    assert "Traceback" not in told.split("sensebench:")[-1]
    rows = Store(tmp_path / "out", "tiny").read()
    assert rows and {row.status for row in rows} == {status.OK}
    assert main([*arguments, "--jobs", "2"]) == 0
    rows = Store(tmp_path / "out", "tiny").read()
    assert len(rows) == len({row.key for row in rows}) == 6


def test_an_answer_that_is_lost_on_its_way_is_not_awaited_for_ever(cluster, monkeypatch):
    async def breaks(*arguments):
        raise OSError("the connection broke")

    crew = Cluster(cluster[0])
    monkeypatch.setattr(crew.client, "_gather_remote", breaks)
    with pytest.raises(OSError, match="the connection broke"):
        crew.submit(abs, -1).result(timeout=60)
    crew.close()


def test_what_a_lost_scheduler_had_is_lost_and_closing_is_no_error(cluster):
    address, started = cluster
    crew = Cluster(address)
    answer = crew.submit(time.sleep, 600)
    started[0].kill()
    with pytest.raises(Lost):
        crew.wait(answer)
    while crew.client.status != "closed":  # Dask gives up to connect again
        time.sleep(0.1)
    crew.close()


@pytest.mark.slow
def test_a_run_does_not_wait_for_ever_for_workers_that_are_gone(tmp_path, cluster, monkeypatch):
    monkeypatch.setattr("bench.run.dask_executor.WORKERLESS_SECONDS", 1.0)
    address, started = cluster
    crew = dask_crew(address)
    try:
        assert crew.size() == 2
        for worker in started[1:]:
            worker.kill()
        with pytest.raises(Lost, match="has lost all its workers"):
            wait_until(lambda: crew.size() > 2, "no end")
    finally:
        crew.close()


@pytest.mark.slow
def test_cells_of_a_lost_worker_are_done_by_the_others(tmp_path, cluster):
    code, _, _ = lost(tmp_path, cluster, 1)
    rows = Store(tmp_path / "out", "tiny").read()
    assert code == 0 and {row.status for row in rows} == {status.OK}
    assert len(rows) == len({row.key for row in rows}) == 6
