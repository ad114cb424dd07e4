"""One problem split over a real Dask cluster: the same answer bit for bit, whatever is lost."""

import json
import time

import numpy as np
import pytest

pytest.importorskip("distributed")

from distributed import LocalCluster
from scipy import sparse

from bench.cli import main
from bench.problems import load_problem
from bench.run.dask_workers import DaskWorkers
from solvers import SensingMDP, SolverError, solve
from solvers.core.policy_update import walks_sparse
from solvers.core.workers import using


@pytest.fixture(scope="module")
def cluster():
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with LocalCluster(processes=True, **options) as found:
        yield found


@pytest.fixture
def crew(cluster):
    found = DaskWorkers(cluster.scheduler_address, "spi")
    yield found
    found.close()


def ring(S=5000):
    """A large ring with a drift; beliefs stay local."""
    chance = np.random.default_rng(0)
    s = np.arange(S)
    T = []
    for drift in (1, 2):
        columns = np.stack([s, (s + drift) % S, (s + drift + 1) % S])
        chances = chance.dirichlet(np.ones(3), S).T
        rows = np.tile(s, 3)
        T.append(sparse.csr_array((chances.ravel(), (rows, columns.ravel())), (S, S)))
    return SensingMDP.from_arrays(T, chance.random((S, 2)), 0.8, 0.02, start=0)


def test_spi_finds_the_same_plans_on_a_cluster(crew):
    for problem in (ring(), load_problem("taxi", 1.0)):
        here = solve(problem, "spi", max_iterations=2, roots="all")
        with using(crew):
            there = solve(problem, "spi", max_iterations=2, roots="all")
        assert there.policy.plans == here.policy.plans
        assert (there.values == here.values).all()
    assert walks_sparse(ring())


def test_dips_makes_the_same_search_on_a_cluster(crew):
    problem = load_problem("frozen-lake-4x4-hard", 0.005)
    here = solve(problem, "dips")
    with using(crew):
        there = solve(problem, "dips")
    assert here.iterations > 1
    assert there.info == here.info
    assert there.policy.plans == here.policy.plans
    assert (there.lower_bound == here.lower_bound).all()
    assert (there.upper_bound == here.upper_bound).all()


def test_what_a_lost_worker_had_is_done_again(tmp_path):
    died = tmp_path / "died"

    def dies_once(shared, item):
        import os
        from pathlib import Path

        if item == 3 and not Path(died).exists():
            Path(died).touch()
            os._exit(1)
        return shared[item] * 2

    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with LocalCluster(processes=True, **options) as cluster:
        crew = DaskWorkers(cluster.scheduler_address, "spi")
        shared = np.arange(10.0) / 3
        assert crew.map(dies_once, (shared,), range(10)) == (shared * 2).tolist()
        assert died.exists()
        crew.close()


def test_without_any_worker_left_it_goes_on_here(capsys):
    options = {"n_workers": 1, "threads_per_worker": 1, "dashboard_address": ":0"}
    cluster = LocalCluster(processes=True, **options)
    crew = DaskWorkers(cluster.scheduler_address, "spi")
    cluster.close()
    assert crew.map(lambda a, b: a + b, (1,), [1, 2]) == [2, 3]
    assert "going on here" in capsys.readouterr().err


def test_with_a_scheduler_but_no_worker_left_it_goes_on_here(capsys, monkeypatch):
    monkeypatch.setattr("bench.run.dask_executor.WORKERLESS_SECONDS", 0.5)
    options = {"n_workers": 1, "threads_per_worker": 1, "dashboard_address": ":0"}
    with LocalCluster(processes=True, **options) as cluster:
        crew = DaskWorkers(cluster.scheduler_address, "spi")
        cluster.scale(0)
        while crew._cluster.client.nthreads():
            time.sleep(0.1)
        assert crew.map(lambda a, b: a + b, (1,), [1, 2]) == [2, 3]
        assert "has lost all its workers); going on here" in capsys.readouterr().err
        assert crew.size == 1  # solvers divide by it
        crew.close()


def held_by_workers(crew):
    def names():
        from bench.run import dask_workers

        return list(dask_workers._kept)

    return crew._cluster.client.run(names)


def test_every_worker_holds_what_is_shared_once_and_forgets_it_in_the_end(cluster):
    """Also after some seconds, when Dask would have let copies of its own go, and beside others."""
    one, other = (DaskWorkers(cluster.scheduler_address, "spi") for _ in range(2))
    model, theirs = np.arange(4.0), np.arange(5.0)
    other.map(lambda shared, item: shared[item], (theirs,), [0])
    for _ in range(2):
        assert one.map(lambda shared, item: shared[item], (model,), [1, 2, 3]) == [1, 2, 3]
        time.sleep(3)
    mine = [
        [name for name in names if name[0] == one._me] for names in held_by_workers(one).values()
    ]
    assert [len(names) for names in mine] == [1, 1]
    one.close()
    left = held_by_workers(other).values()
    assert all({name[0] for name in names} == {other._me} for names in left)
    other.close()


def test_what_a_worker_raises_is_raised_here(crew):
    def refuses(item):
        raise SolverError(f"item {item} is too large")

    with pytest.raises(SolverError, match="item 7 is too large"):
        crew.map(refuses, (), [7])


def test_another_version_of_the_code_is_refused(crew):
    crew._code = "another"
    with pytest.raises(ValueError, match="another version"):
        crew.map(lambda item: item, (), [1])


def test_the_command_line_splits_one_problem(cluster, capsys):
    def solved(*extra):
        assert main(["solve", "taxi", "spi", "-k", "1", "--json", *extra]) == 0
        return json.loads(capsys.readouterr().out)

    here = solved()
    there = solved("--executor", "dask", "--scheduler", cluster.scheduler_address)
    for name in ("value", "plans", "iterations", "sensing_rate"):
        assert there[name] == here[name]


@pytest.mark.parametrize(
    ("solver", "arguments", "expected"),
    [
        ("atm", ["--executor", "dask", "--scheduler", "tcp://127.0.0.1:1"], "atm does not split"),
        ("spi", ["--executor", "dask"], "--executor dask needs --scheduler"),
        ("spi", ["--scheduler", "tcp://127.0.0.1:1"], "--scheduler needs --executor dask"),
    ],
)
def test_what_cannot_be_split_is_said_in_one_line(solver, arguments, expected, capsys):
    assert main(["solve", "two-state", solver, *arguments]) == 2
    said = capsys.readouterr().err.strip().splitlines()
    assert len(said) == 1
    assert expected in said[0]
