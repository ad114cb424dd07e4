"""The atlas of optima: lines that can be checked, better ones kept, contradictions refused."""

import csv
from dataclasses import replace

import pytest

from bench import load_problem
from bench.analysis import optima
from bench.analysis.optima import Instance, OptimaError, find_optimum, instances
from bench.cli import main
from bench.store.result import COLUMNS
from solvers import evaluate, load_policy, solve


def recorded_row(**given):
    row = dict.fromkeys(COLUMNS, "")
    row |= {
        "key": "1",
        "seed": "0",
        "status": "ok",
        "problem": "two-state",
        "sensing_cost": "0.25",
        "options": "{}",
    }
    return row | {name: str(value) for name, value in given.items()}


def put(results, *rows):
    folder = results / "some"
    folder.mkdir(parents=True)
    with open(folder / "rows.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)


def test_every_instance_of_every_suite_is_named_once():
    listed = instances()
    assert len(listed) == len(set(listed))
    assert Instance("taxi", 0.5) in listed and Instance("sepsis-nam", 0.1) in listed
    assert len({i.file_name for i in listed}) == len(listed)


def test_a_line_is_what_its_policy_file_is_worth(tmp_path, capsys):
    # Time enough for the checker of proofs to compile; the search itself ends at once.
    arguments = ["optima", "--only", "two-state-counterexample", "--budget", "60"]
    arguments += ["--results", str(tmp_path)]
    assert main(arguments) == 0
    lines = optima.known_lines(tmp_path / "reference")
    line = lines["two-state-counterexample", "0.005"]
    problem = load_problem("two-state-counterexample", 0.005)
    policy = load_policy(tmp_path / "reference" / line["policy"], problem)
    value = float(problem.start @ evaluate(problem, policy))
    assert float(line["value"]) == pytest.approx(value, abs=1e-11)
    assert value == pytest.approx(solve(problem, "dips").value, abs=1e-6)
    assert float(line["lower"]) <= value + 1e-9 and float(line["gap"]) < 1e-5
    assert 0 <= float(line["verified_gap"]) < 1e-4
    told = capsys.readouterr().out
    assert main(arguments) == 0 and "[1/" not in capsys.readouterr().out  # nothing is done twice
    assert "two-state-counterexample, k = 0.005" in told


def test_what_a_suite_recorded_is_taken_without_planning_again(tmp_path, monkeypatch):
    suite = tmp_path / "small.toml"
    suite.write_text(
        'budget = 20\n[[problem]]\nid = "two-state"\nsensing_costs = [0.25]\n'
        '[[solver]]\nid = "dips"\n[[solver]]\nid = "always-sense"\n'
    )
    results = tmp_path / "results"
    assert main(["run", str(suite), "--results", str(results), "--jobs", "1"]) == 0
    problem, instance = load_problem("two-state", 0.25), Instance("two-state", 0.25)
    best = solve(problem, "dips")
    monkeypatch.setattr(optima, "solve", None)  # may not be called
    line = find_optimum(instance, results, tmp_path, budget=2)
    assert line["by"] == line["bound_by"] == "dips"
    assert float(line["value"]) == pytest.approx(best.value, abs=1e-9)
    assert float(line["gap"]) <= 1e-6 and 0 <= float(line["verified_gap"]) <= 1e-5
    policy = load_policy(tmp_path / line["policy"], problem)
    value = float(problem.start @ evaluate(problem, policy))
    assert value == pytest.approx(float(line["value"]), abs=1e-11)


def test_a_better_file_is_kept_and_a_row_of_another_model_does_not_count(tmp_path, monkeypatch):
    problem, instance = load_problem("two-state", 0.25), Instance("two-state", 0.25)
    best, worse = solve(problem, "dips"), solve(problem, "always-sense")
    put(tmp_path, recorded_row(solver="other", lower=1e6, model="another"))
    first = find_optimum(instance, tmp_path, tmp_path, budget=2)
    assert first["by"] == "dips" and float(first["value"]) == pytest.approx(best.value, abs=1e-9)
    # A search that does worse does not spoil the file.
    monkeypatch.setattr(optima, "solve", lambda *given, **options: worse)
    again = find_optimum(instance, tmp_path, tmp_path, budget=2)
    assert again["by"] == "dips" and again["value"] == first["value"]
    assert float(again["gap"]) > float(first["gap"])


def test_a_line_asked_for_again_is_searched_only_while_it_is_open(tmp_path, monkeypatch):
    problem, instance = load_problem("two-state", 0.25), Instance("two-state", 0.25)
    closed = find_optimum(instance, tmp_path, tmp_path, budget=2)
    value = float(closed["value"])
    weak = closed | {"lower": str(value - 0.5), "bound_by": "old", "verified_gap": ""}
    better = find_optimum(instance, tmp_path, tmp_path, budget=2, line=weak)
    assert better["bound_by"] == "dips" and float(better["verified_gap"]) < 1e-5
    # A weaker search leaves what is known: the bound of the line, and the checker's word on it.
    found = solve(problem, "dips")
    worse = replace(found, lower_bound=found.lower_bound - 1.0)
    monkeypatch.setattr(optima, "solve", lambda *given, **options: worse)
    open_line = closed | {"verified_gap": "0.25", "bound_by": "old"}
    again = find_optimum(instance, tmp_path, tmp_path, budget=2, line=open_line)
    assert again["bound_by"] == "old" and again["lower"] == closed["lower"]
    assert 0 < float(again["verified_gap"]) <= 0.25 + 1e-9
    monkeypatch.setattr(optima, "solve", None)  # may not be called
    assert find_optimum(instance, tmp_path, tmp_path, 2, line=closed) == closed


def test_the_bound_of_a_line_about_another_model_does_not_count(tmp_path):
    instance, other = Instance("two-state", 0.25), Instance("two-state", 0.01)
    line = find_optimum(other, tmp_path, tmp_path, budget=2)
    (tmp_path / "policies" / other.file_name).rename(tmp_path / "policies" / instance.file_name)
    wrong = line | {"lower": "1000", "bound_by": "old"}
    again = find_optimum(instance, tmp_path, tmp_path, budget=2, line=wrong)
    assert again["bound_by"] == "dips" and float(again["gap"]) < 1e-5


def test_a_bound_above_a_value_is_refused(tmp_path):
    put(tmp_path, recorded_row(solver="wrong", lower=1e6))
    with pytest.raises(OptimaError, match="of wrong is above the value"):
        find_optimum(Instance("two-state", 0.25), tmp_path, tmp_path, budget=2)
