"""The same suite through a real Dask cluster gives the same values bit for bit."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("distributed")

from bench.cli import main
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
        yield address
    finally:
        for process in reversed(started):
            process.terminate()
            process.wait(timeout=30)


def test_dask_gives_the_same_rows(tmp_path, cluster):
    suite = tmp_path / "tiny.toml"
    suite.write_text(SUITE)
    assert main(["run", str(suite), "--results", str(tmp_path / "here"), "--jobs", "2"]) == 1
    far = ["--executor", "dask", "--scheduler", cluster]
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
