"""Model hashes: the same numbers, the same hash; a problem that varies is refused."""

import numpy as np
import pytest

from bench.cli import main
from bench.problems import Problem, load_problem, problems
from bench.problems.registry import join_problems
from bench.run.keys import keyed
from bench.run.model_hash import model_hash, steady_hash
from bench.suites.cell import Cell
from solvers.core.validation import ModelError

VARYING = """
import numpy as np
from bench.problems import Problem
from solvers import SensingMDP

def build(k):
    T = np.random.default_rng({seed}).dirichlet(np.ones(3), (2, 3))
    return SensingMDP.from_arrays(T, np.ones((3, 2)), 0.9, k)

PROBLEMS = [Problem("varying", "Varying", build, (0.1,))]
"""
SUITE = """
files = ["varying.py"]
[[problem]]
id = "varying"
[[solver]]
id = "atm"
"""


def test_every_number_counts_and_names_do_not():
    base = load_problem("inventory", 0.2)
    assert model_hash(base) == model_hash(load_problem("inventory", 0.2))
    others = [
        base.with_sensing_cost(0.2 + 1e-15),
        base.with_start(0),
        load_problem("two-state", 0.2),
        base.with_sensing_cost(np.array([0.2, 0.2, 0.2, 0.3])),
    ]
    hashes = {model_hash(model) for model in (base, *others)}
    assert len(hashes) == 5
    assert model_hash(base.with_sensing_cost(np.full(4, 0.2))) == model_hash(base)


def test_a_cost_that_is_a_function_is_known_by_its_values():
    base = load_problem("two-state", 0.2)
    flat = base.with_sensing_cost(lambda belief, action: 0.2)
    doubt = base.with_sensing_cost(lambda belief, action: 0.2 + belief[0] * belief[1])
    assert model_hash(flat) != model_hash(doubt) == model_hash(doubt)


@pytest.mark.parametrize("name", [*problems()])
def test_our_problems_are_the_same_each_time(name):
    """What is built after all that was remembered of it is forgotten has the same hash."""
    before = model_hash(load_problem(name))
    build = problems()[name].build
    function = getattr(build, "func", build)
    for value in function.__globals__.values():
        if hasattr(value, "cache_clear"):
            value.cache_clear()
    assert model_hash(load_problem(name)) == before


def test_a_problem_built_differently_each_time_is_refused_before_anything_runs(tmp_path, capsys):
    (tmp_path / "varying.py").write_text(VARYING.replace("{seed}", ""))
    suite = tmp_path / "mine.toml"
    suite.write_text(SUITE)
    assert main(["run", str(suite), "--results", str(tmp_path / "out")]) == 2
    assert "'varying' is built differently each time" in capsys.readouterr().err
    assert not (tmp_path / "out" / "mine" / "rows.csv").exists()
    (tmp_path / "varying.py").write_text(VARYING.replace("{seed}", "3"))
    assert main(["run", str(suite), "--results", str(tmp_path / "out"), "--jobs", "1"]) == 0


def test_a_problem_that_varies_between_processes_is_refused_by_the_cell(tmp_path, capsys):
    steady_here = VARYING.replace("{seed}", "__import__('os').getpid()")
    (tmp_path / "varying.py").write_text(steady_here)
    suite = tmp_path / "mine.toml"
    suite.write_text(SUITE)
    assert main(["run", str(suite), "--results", str(tmp_path / "out"), "--jobs", "1"]) == 2
    assert "is not the one the run began with" in capsys.readouterr().err
    assert not (tmp_path / "out" / "mine" / "rows.csv").exists()


def test_the_key_follows_the_model():
    join_problems([Problem("one", "One", lambda k: load_problem("two-state", k), (0.1,))])
    cell = Cell("s", "one", "0.1", "atm", {}, "atm", 0, 5.0, 1, 500)
    (before,) = keyed([cell])
    join_problems([Problem("one", "One", lambda k: load_problem("inventory", k), (0.1,))])
    (after,) = keyed([cell])
    assert before.code == after.code and before.model != after.model and before.key != after.key
    with pytest.raises(ModelError):
        steady_hash("nothing", 0.1)
