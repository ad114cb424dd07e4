import numpy as np
import pytest

from bench import load_problem
from pomdp_bridge.files.npz import read_npz, write_npz
from solvers import ModelError
from tests.pomdp_bridge.random_problems import SHAPES, random_problem, same_model


@pytest.mark.parametrize("sensing", SHAPES)
def test_round_trip(tmp_path, sensing):
    problem = random_problem(1, sensing=sensing)
    write_npz(problem, tmp_path / "p.npz")
    same_model(problem, read_npz(tmp_path / "p.npz"))


@pytest.mark.parametrize("name", ["frozen-lake-4x4", "taxi", "icu-sepsis"])
def test_round_trip_of_real_problems(tmp_path, name):
    problem = load_problem(name)
    write_npz(problem, tmp_path / "p.npz")
    same_model(problem, read_npz(tmp_path / "p.npz"))


def test_every_array_is_numeric(tmp_path):
    write_npz(random_problem(1), tmp_path / "p.npz")
    with np.load(tmp_path / "p.npz", allow_pickle=False) as file:
        assert all(file[key].dtype.kind in "fiub" for key in file.files)


def test_what_is_not_a_problem_is_refused(tmp_path):
    with pytest.raises(ModelError, match="no such file"):
        read_npz(tmp_path / "absent.npz")
    (tmp_path / "text.npz").write_text("hello")
    with pytest.raises(ModelError, match=r"not an \.npz file"):
        read_npz(tmp_path / "text.npz")
    np.savez(tmp_path / "other.npz", costs=np.ones(3))
    with pytest.raises(ModelError, match="no array indptr"):
        read_npz(tmp_path / "other.npz")


def _damage(path, **changes):
    with np.load(path) as file:
        stored = {key: file[key] for key in file.files}
    np.savez(path, **{**stored, **changes})


def test_damaged_files_are_refused(tmp_path):
    path = tmp_path / "p.npz"
    problem = random_problem(1)
    write_npz(problem, path)
    _damage(path, data=np.ones(3))
    with pytest.raises(ModelError, match="do not belong together"):
        read_npz(path)
    write_npz(problem, path)
    with np.load(path) as file:
        indices = file["indices"].copy()
    indices[0] = 99
    _damage(path, indices=indices)
    with pytest.raises(ModelError, match="outside 0 to 5"):
        read_npz(path)
    write_npz(problem, path)
    _damage(path, format=np.int64(7))
    with pytest.raises(ModelError, match="format 7"):
        read_npz(path)


@pytest.mark.parametrize("name", ["two-state", "inventory", "frozen-lake-8x8", "taxi"])
def test_a_model_read_back_is_the_same_to_the_last_bit(tmp_path, name):
    one = load_problem(name)
    for _ in range(2):
        write_npz(one, tmp_path / "p.npz")
        one, other = read_npz(tmp_path / "p.npz"), one
        for T, U in zip(one.transitions, other.transitions, strict=True):
            assert (T.data == U.data).all() and (T.indices == U.indices).all()
            assert (T.indptr == U.indptr).all()
        for key in ("costs", "start", "terminal", "sensing_cost"):
            assert np.array_equal(getattr(one, key), getattr(other, key))
