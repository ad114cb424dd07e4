"""No file makes the reader crash, hang, or read another model than the file's."""

import numpy as np
import pytest

from pomdp_bridge.files.npz import read_npz, write_npz
from solvers import ModelError
from tests.pomdp_bridge.files.npz_mutations import (
    damaged_arrays,
    damaged_bytes,
    lying_header,
    meaning,
)
from tests.pomdp_bridge.random_problems import SHAPES, random_problem, same_model

MANY = 400
"""Mutations tried here; the slow test tries 5,000."""


def agrees(problem, said):
    """Whether a model is what a file's arrays say, up to the rescaling of rows."""
    if said is None:
        return False
    for T, U in zip(problem.transitions, said["T"], strict=True):
        if np.abs(T.toarray() - U).max() > 1e-8:
            return False
    k = np.broadcast_to(np.asarray(said["sensing_cost"], float), problem.costs.shape)
    if said["end_is_seen"]:
        k = np.where(said["terminal"][:, None], 0.0, k)
    pairs = (
        (problem.costs, said["costs"]),
        (problem.sensing_costs(), k),
        (problem.discount, said["discount"]),
        (problem.start, said["start"]),
        (problem.terminal, said["terminal"]),
    )
    return all(np.shape(x) == np.shape(y) and np.allclose(x, y, rtol=1e-7) for x, y in pairs)


def mutate(path, seed):
    """Write one mutated file; returns its problem, and what it means (None: only as it was)."""
    rng = np.random.default_rng(seed)
    problem = random_problem(seed % 7, S=4, A=2, sensing=SHAPES[seed % 3])
    write_npz(problem, path)
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files}
    how = seed % 4
    if how == 0:
        path.write_bytes(damaged_bytes(path.read_bytes(), rng))
    elif how == 1:
        path.write_bytes(lying_header(arrays, rng))
        try:
            with np.load(path, allow_pickle=False) as file:
                said = meaning({name: file[name] for name in file.files})
        except Exception:  # numpy itself cannot read it
            said = None
        return problem, said or "nothing"
    else:
        changed = damaged_arrays(arrays, rng)
        np.savez(path, **changed)
        return problem, meaning(changed) or "nothing"
    return problem, None


def tally(path, seeds):
    """How many mutated files were read and how many refused; anything else is an error."""
    read = refused = 0
    for seed in seeds:
        problem, said = mutate(path, seed)
        try:
            found = read_npz(path)
        except ModelError as error:
            assert str(path) in str(error) and "\n" not in str(error)
            refused += 1
            continue
        read += 1
        if said is None:
            same_model(problem, found)
        elif isinstance(said, dict):
            assert agrees(found, said), f"seed {seed}: another model was read"
        else:
            raise AssertionError(f"seed {seed}: a file without meaning was read")
    return read, refused


def test_mutated_files_are_refused_or_read_as_they_are(tmp_path):
    read, refused = tally(tmp_path / "p.npz", range(MANY))
    assert read + refused == MANY and refused > MANY / 3


@pytest.mark.slow
def test_five_thousand_mutations(tmp_path):
    read, refused = tally(tmp_path / "p.npz", range(5000))
    print(f"{read} files read as they are, {refused} refused")
    assert read + refused == 5000


def test_the_crafted_file_that_corrupted_memory_is_refused(tmp_path):
    path = tmp_path / "p.npz"
    write_npz(random_problem(1), path)
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files}
    pointers, late, long = (arrays["indptr"].copy() for _ in range(3))
    pointers[:, 1] = 99
    late[1, 0] = 1
    long[:, -1] += [len(arrays["data"]), *([0] * (len(long) - 2)), -len(arrays["data"])]
    for name, wrong, message in (
        ("indptr", pointers, "indptr of action 0 falls from 99 to .* at state 1; it may only grow"),
        ("indptr", late, "indptr of action 1 begins with 1; expected 0"),
        ("indptr", long, "indptr of action 0 ends with .*, and data has only"),
        ("indices", arrays["indices"] * 0.7, "expected whole numbers"),
        ("discount", np.array([0.9, 0.9]), "expected a single number"),
        ("terminal", arrays["terminal"].astype(int), "expected true or false"),
        ("sensing_cost", np.array("x"), "expected real numbers"),
    ):
        np.savez(path, **{**arrays, name: wrong})
        with pytest.raises(ModelError, match=message):
            read_npz(path)
    path.write_bytes(b"")
    with pytest.raises(ModelError, match="is empty"):
        read_npz(path)
    with open(path, "wb") as file:
        np.save(file, np.eye(3))
    with pytest.raises(ModelError, match="single array"):
        read_npz(path)
