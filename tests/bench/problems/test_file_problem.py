import math

import numpy as np
import pytest

from bench import load_problem
from bench.problems import find_problem
from pomdp_bridge.files import formats as files
from solvers import ModelError, SensingMDP, solve


@pytest.mark.parametrize("suffix", ["npz", "pomdp"])
def test_a_file_is_a_problem_with_its_own_sensing_cost(tmp_path, suffix):
    problem = load_problem("frozen-lake-4x4", 0.005)
    path = files.write(problem, tmp_path / f"lake.{suffix}")
    again = load_problem(str(path))
    assert again.sensing_cost == 0.005
    np.testing.assert_allclose(
        solve(again, "always-sense").values, solve(problem, "always-sense").values, atol=1e-12
    )
    assert load_problem(str(path), 0.5).sensing_cost == 0.5


def test_a_varying_sensing_cost_is_kept_unless_another_is_asked_for(tmp_path):
    problem = load_problem("two-state", 0.25).with_sensing_cost([0.1, 0.2])
    path = files.write(problem, tmp_path / "p.npz")
    assert math.isnan(find_problem(str(path)).sensing_costs[0])
    np.testing.assert_array_equal(load_problem(str(path)).sensing_cost, [0.1, 0.2])
    assert load_problem(str(path), 0.3).sensing_cost == 0.3


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(ModelError, match="no such file"):
        load_problem(str(tmp_path / "absent.npz"))


def test_a_model_without_a_name_is_called_by_its_file(tmp_path):
    nameless = SensingMDP.from_arrays([np.eye(2)], np.ones((2, 1)), 0.5, 1.0)
    files.write(nameless, tmp_path / "pump.npz")
    assert find_problem(str(tmp_path / "pump.npz")).title == "pump"
