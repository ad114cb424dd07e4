"""Policies as files on the command line: saved, scored, ranked, refused."""

import json

import pytest

from bench.cli import main
from bench.problems import load_problem
from bench.run.model_hash import model_hash
from bench.store.result import Result
from bench.store.store import Store
from solvers import save_policy, solve


@pytest.fixture
def folder(tmp_path):
    for solver in ("spi", "always-sense"):
        policy = solve(load_problem("two-state", 0.25), solver).policy
        about = {"problem": "two-state", "sensing_cost": 0.25, "solver": solver}
        save_policy(tmp_path / f"{solver}.npz", policy, **about)
    return tmp_path


def score(capsys, *arguments):
    code = main(["score", *map(str, arguments), "--bound-seconds", "1"])
    out, err = capsys.readouterr()
    return code, out, err


def test_a_saved_policy_scores_what_its_solver_reached(tmp_path, capsys):
    path = tmp_path / "p.npz"
    assert main(["solve", "inventory", "spi", "-k", "0.2", "--save", str(path)]) == 0
    capsys.readouterr()
    code, out, _ = score(capsys, path, "--json")
    found = json.loads(out)
    exact = solve(load_problem("inventory", 0.2), "spi")
    assert code == 0 and found["value"] == exact.value
    assert found["lower"] <= found["value"] and found["solver"] == "spi"
    code, out, _ = score(capsys, path)
    assert code == 0 and "(exact)" in out and "of optimal (proven)" in out


def test_a_folder_is_a_leaderboard_and_what_lies_is_refused(folder, capsys):
    code, out, _ = score(capsys, folder, "--results", folder)
    assert code == 0 and out.index("spi.npz") < out.index("always-sense.npz")
    # A policy of another sensing cost that claims to be of this one.
    other = solve(load_problem("two-state", 0.01), "spi").policy
    save_policy(folder / "liar.npz", other, problem="two-state", sensing_cost=0.25, value=-99)
    code, out, _ = score(capsys, folder, "--results", folder)
    assert code == 1 and "refused: " in out and "liar.npz is a policy of another model" in out


def record(results, *rows):
    """Rows of (problem, sensing cost, solver, lower bound, model) in a store."""
    store = Store(results, "mine")
    store.create()
    for i, (problem, k, solver, lower, model) in enumerate(rows):
        what = {"key": str(i), "problem": problem, "sensing_cost": k, "solver": solver}
        store.append(Result(**what, lower=lower, model=model, status="ok"))


def test_the_best_recorded_bound_counts(folder, capsys):
    weak = ("two-state", "0.25", "weak", -99.0, "")
    others = (("inventory", "0.25", "wrong", 9.0, ""), ("two-state", "0.5", "wrong", 9.0, ""))
    earlier = ("two-state", "0.25", "of-another-model", 9.0, "0123456789")
    record(folder / "a", weak, *others, earlier)
    _, out, _ = score(capsys, folder / "spi.npz", "--results", folder / "a", "--json")
    assert json.loads(out)["bound_by"] == "dips, here"
    model = model_hash(load_problem("two-state", 0.25))
    record(folder / "b", ("two-state", "0.25", "false", 99.0, model))
    code, _, err = score(capsys, folder / "spi.npz", "--results", folder / "b")
    assert code == 2 and "one of the two is wrong" in err


def test_mistakes_are_one_line(folder, capsys):
    save_policy(folder / "bare.npz", solve(load_problem("two-state", 0.25), "spi").policy)
    for arguments, message in (
        ((folder / "bare.npz",), "does not say whose policy it is"),
        ((folder / "spi.npz", "-k", "0.3"), "of another model"),
        ((folder / "spi.npz", "--problem", "nowhere"), "unknown problem"),
        ((folder / "absent.npz",), "no such file"),
    ):
        code, _, err = score(capsys, *arguments)
        assert code == 2 and message in err and len(err.splitlines()) == 1
    assert main(["solve", "two-state", "delayed-information", "--save", "x.npz"]) == 2
    assert "no policy to save" in capsys.readouterr().err
