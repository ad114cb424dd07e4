import pytest

from pomdp_bridge.files import formats as files
from solvers import ModelError, SensingMDP
from tests.pomdp_bridge.random_problems import random_problem, same_model


@pytest.mark.parametrize("suffix", ["npz", "pomdp"])
def test_the_suffix_chooses_the_format(tmp_path, suffix):
    problem = random_problem(4)
    path = files.write(problem, tmp_path / f"p.{suffix}")
    same_model(problem, files.read(path))


def test_a_format_can_be_named(tmp_path):
    path = files.write(random_problem(4), tmp_path / "p.xml", "pomdpx")
    assert path.read_text().startswith("<?xml")


def test_what_cannot_be_done_is_said(tmp_path):
    problem = random_problem(4)
    with pytest.raises(ModelError, match="the formats are: npz, pomdp, pomdpx"):
        files.write(problem, tmp_path / "p.csv")
    with pytest.raises(ModelError, match="there is no folder"):
        files.write(problem, tmp_path / "no" / "p.npz")
    with pytest.raises(ModelError, match=r"ending in \.npz or \.pomdp"):
        files.read(tmp_path / "p.pomdpx")


@pytest.mark.parametrize("suffix", ["npz", "pomdp", "pomdpx"])
def test_a_belief_dependent_sensing_cost_is_refused(tmp_path, suffix):
    curved = SensingMDP.from_arrays([[[1.0]]], [[1.0]], 0.5, lambda b, a: 0.1)
    with pytest.raises(ModelError, match="function of the belief"):
        files.write(curved, tmp_path / f"p.{suffix}")
