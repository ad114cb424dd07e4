"""A learning suite on a real Dask cluster: the same runs, and no waiting for who is gone."""

import time

import pytest

pytest.importorskip("distributed")

from distributed import LocalCluster

from bench.cli import main

ONE_RUN = """
title = "tiny"
seeds = 1
checkpoints = 3
seconds = 900
optimum_seconds = 2

[[problem]]
id = "measuring-value@horizon=none,discount=none"
label = "value"
steps = 300
horizon = 50
max_return = 1.0

[[learner]]
id = "amrl-q"
"""
OPTIONS = {"n_workers": 1, "threads_per_worker": 1, "dashboard_address": ":0"}


def lines_of_runs(results):
    return [path.read_text().splitlines() for path in sorted((results / "tiny/runs").iterdir())]


@pytest.fixture
def suite(tmp_path):
    path = tmp_path / "tiny.toml"
    path.write_text(ONE_RUN)
    return str(path)


def test_a_learning_suite_runs_on_a_cluster(tmp_path, suite, capsys):
    with LocalCluster(processes=True, **OPTIONS) as cluster:
        far = ["--scheduler", cluster.scheduler_address, "--results", str(tmp_path / "far")]
        assert main(["learn", "run", suite, *far]) == 0
    assert "0 jobs failed" in capsys.readouterr().out
    assert main(["learn", "run", suite, "--results", str(tmp_path / "here")]) == 0
    here, far = (lines_of_runs(tmp_path / place) for place in ("here", "far"))
    assert [lines[0] for lines in here] == [lines[0] for lines in far]
    assert len(here) == 2 and [len(lines) for lines in here] == [len(lines) for lines in far]


def test_a_learning_suite_ends_when_all_workers_are_gone(tmp_path, suite, capsys, monkeypatch):
    monkeypatch.setattr("bench.run.dask_executor.WORKERLESS_SECONDS", 0.5)

    def end_workers(workers):
        cluster.scale(0)
        while cluster.scheduler.workers:
            time.sleep(0.1)
        return {}

    monkeypatch.setattr("bench.learning.runner.describe", end_workers)
    with LocalCluster(processes=True, **OPTIONS) as cluster:
        far = ["--scheduler", cluster.scheduler_address, "--results", str(tmp_path)]
        assert main(["learn", "run", suite, *far]) == 2
    said = capsys.readouterr().err
    assert "has lost all its workers; finished runs are kept, run it again to go on" in said
