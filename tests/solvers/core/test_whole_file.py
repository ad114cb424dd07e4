"""Files written whole: what is there already is replaced only if it is a regular file."""

import os

import numpy as np
import pytest

from solvers.core.array_file import write_arrays
from solvers.core.validation import ModelError
from solvers.core.whole_file import written_whole


def fill(path, text):
    with written_whole(path) as beside:
        beside.write_text(text)


def test_a_file_is_replaced_and_nothing_is_left_beside_it(tmp_path):
    for text in ("one", "two"):
        fill(tmp_path / "file", text)
    assert (tmp_path / "file").read_text() == "two"
    with pytest.raises(ZeroDivisionError), written_whole(tmp_path / "file") as beside:
        beside.write_text("half")
        1 / 0  # noqa: B018
    assert (tmp_path / "file").read_text() == "two"
    assert os.listdir(tmp_path) == ["file"]


@pytest.mark.parametrize("there", [True, False])
def test_a_link_stays_and_the_file_it_leads_to_is_written(there, tmp_path):
    (tmp_path / "far").mkdir()
    target, link = tmp_path / "far" / "target.npz", tmp_path / "link.npz"
    if there:
        target.write_text("old")
    link.symlink_to(os.path.join("far", "target.npz"))
    write_arrays(link, x=np.arange(3))
    assert link.is_symlink() and not target.is_symlink()
    with np.load(target) as found:
        assert found["x"].tolist() == [0, 1, 2]
    assert sorted(os.listdir(tmp_path)) == ["far", "link.npz"]
    assert os.listdir(tmp_path / "far") == ["target.npz"]


@pytest.mark.parametrize("kind", ["pipe", "folder", "link to a pipe", "link to itself"])
def test_what_is_no_regular_file_is_refused_and_left_alone(kind, tmp_path):
    path = other = tmp_path / "x.npz"
    if "link" in kind:
        other = path if kind == "link to itself" else tmp_path / "pipe"
        path.symlink_to(other)
    if kind == "folder":
        path.mkdir()
    elif "pipe" in kind:
        os.mkfifo(other)
    before = os.lstat(path), os.lstat(other), os.listdir(tmp_path)
    with pytest.raises(ModelError, match=r"cannot write .*x\.npz: it is not a regular file"):
        write_arrays(path, x=np.arange(3))
    after = os.lstat(path), os.lstat(other), os.listdir(tmp_path)
    for one, two in zip(before[:2], after[:2], strict=True):
        assert (one.st_ino, one.st_mode) == (two.st_ino, two.st_mode)
    assert before[2] == after[2]
