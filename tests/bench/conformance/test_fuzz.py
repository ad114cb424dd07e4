"""The fuzz campaign: its referee is right, it catches liars, and the checker passes it."""

import json
import os
import time
from collections import Counter
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from numba import njit

from bench.cli import main
from bench.conformance import fuzz, fuzz_checks, fuzz_watch
from bench.conformance.fuzz_problems import draw
from bench.conformance.fuzz_referee import bracket, cost_of_plans
from bench.conformance.fuzz_shrink import shrink
from solvers import evaluate, solve
from tests.solvers import brute_force

SAMPLE = 25


def cases(seed, n, alpha=None):
    """Cases with something to plan, at a given discount if any."""
    chance = np.random.default_rng(seed)
    drawn = (draw(chance) for _ in range(10 * n))
    live = [case for case in drawn if not case.terminal.all()][:n]
    return live if alpha is None else [replace(case, alpha=alpha) for case in live]


def test_the_referee_agrees_with_another_way_of_writing_out_plans():
    judged = 0
    for case in cases(3, 40, alpha=0.2):
        if len(case.T) > 2 or len(case.C) > 3 or np.abs(case.C).max() > 1e2:
            continue
        judged += 1
        lower, upper, size = bracket(case)
        other = brute_force.bracket(case.problem(), N=5)
        slack = 1e-9 * (size + 1)
        assert (lower <= other[1] + slack).all()
        assert (other[0] <= upper + slack).all()
        assert (lower <= upper + slack).all()
    assert judged > 5


def test_the_referee_and_the_evaluator_agree_on_plans():
    judged = Counter()
    for case in cases(4, 60):
        if np.abs(case.C).max() > 1e2 or case.k.max() > 1e2:
            continue
        judged[case.shape] += 1
        problem = case.problem()
        policy = solve(problem, "spi", budget=1).policy
        plans = [(plan.actions or (0,), plan.senses) for plan in policy.plans]
        values = evaluate(problem, policy)
        assert cost_of_plans(case, plans) == pytest.approx(values, rel=1e-9, abs=1e-9)
    assert len(judged) >= 3  # functions of the belief, too


def test_the_checker_passes_a_fixed_sample():
    for i in range(SAMPLE):
        case, _, chance = fuzz.case_number(11, i)
        assert fuzz_checks.judge_checker(case, bracket(case), chance) == [], (i, case.script())


@pytest.mark.parametrize("name", list(fuzz_checks.SOLVERS))
def test_solvers_pass_a_fixed_sample(name):
    for i in range(SAMPLE):
        case, _, _ = fuzz.case_number(12, i)
        found = fuzz_checks.judge_solver(case, name, bracket(case))
        assert [f for f in found if f.kind != "overrun"] == [], (i, case.script())


@pytest.mark.parametrize("by", [1e-6, 1.0])
def test_a_bound_too_high_and_an_upper_bound_too_low_are_caught(by, monkeypatch):
    case = cases(6, 1, alpha=0.1)[0]
    truth = bracket(case)
    honest = solve(case.problem(), "always-sense", budget=1)

    def lying(side):
        away = by * truth.size if side == "lower_bound" else -by * truth.size
        limit = truth.upper if side == "lower_bound" else truth.lower
        return lambda *_, **__: replace(honest, **{side: limit + away})

    for side in ("lower_bound", "upper_bound"):
        monkeypatch.setattr(fuzz_checks, "solve", lying(side))
        found = fuzz_checks.judge_solver(case, "always-sense", truth)
        assert "wrong bound" in {f.kind for f in found}


def test_shrinking_keeps_the_failure_and_drops_the_rest():
    case = next(c for c in cases(8, 50) if len(c.T) == 3 and len(c.C) >= 3)
    small = shrink(case, lambda other: other.C.max() >= 0 or len(other.C) == 1)
    assert small.T.shape == (1, 1, 1)
    assert "SensingMDP.from_arrays" in small.script()
    exec(small.script(), {})


def run(path, *arguments):
    return main(["fuzz", *map(str, arguments), "-o", str(path)])


def lie_about_dips(monkeypatch):
    lie = fuzz_checks.Failure("wrong bound", "dips", "made up")
    monkeypatch.setattr(fuzz, "judge", lambda case, turn, *_: [lie] if "dips" in turn else [])
    monkeypatch.setattr(fuzz, "warm_up", lambda: None)


def test_a_campaign_counts_and_goes_on_where_it_stopped(tmp_path, monkeypatch):
    lie_about_dips(monkeypatch)
    path = tmp_path / "counts.json"
    assert run(path, "--cases", 10, "--seed", 5) == 1
    assert run(path, "--cases", 26, "--seed", 5) == 1
    stored = json.loads(path.read_text())
    assert stored["done"] == 26
    assert stored["counts"] == {"wrong bound: dips": 6}
    assert stored["runs"]["dips"] + stored["refused"].get("dips", 0) == 6
    assert sum(stored["labels"].values()) == 4 * 26
    assert stored["failures"][0]["script"].endswith('print(solve(problem, "dips", budget=1))\n')
    assert run(path, "--seed", 6) == 2
    assert run(path, "--seed", 5, "--from", 3) == 2


def test_shards_merge_into_what_one_campaign_gives(tmp_path, monkeypatch):
    lie_about_dips(monkeypatch)
    one, two, whole = (tmp_path / f"{name}.json" for name in ("one", "two", "whole"))
    run(one, "--cases", 11)
    run(two, "--cases", 15, "--from", 11)
    run(whole, "--cases", 26)
    assert run(tmp_path / "both.json", "--merge", one, two) == 1
    both, all_at_once = (json.loads(p.read_text()) for p in (tmp_path / "both.json", whole))
    assert both["cases"] == all_at_once["done"] == 26
    for name in ("runs", "refused", "labels", "counts"):
        assert both[name] == all_at_once[name]
    assert [part["first"] for part in both["parts"]] == [0, 11]
    assert run(tmp_path / "no.json", "--merge", one, whole) == 2  # cases in common
    assert not (tmp_path / "no.json").exists()
    assert run(tmp_path / "no.json", "--merge", tmp_path / "both.json") == 2


def hang_at(which):
    def judge(case, turn, chance, begins=None):
        begins(turn[0])
        if case.script() == which.script():
            spin(np.zeros(1))
        return []

    return judge


@njit
def spin(flag):
    """Compiled code that never comes back, nor lets the interpreter in."""
    while flag[0] == 0:
        pass


def test_a_solver_that_hangs_in_compiled_code_is_counted_and_left_behind(tmp_path, monkeypatch):
    spin(np.ones(1))
    monkeypatch.setattr(fuzz, "judge", hang_at(fuzz.case_number(1, 3)[0]))
    monkeypatch.setattr(fuzz, "warm_up", lambda: None)
    short = partial(fuzz_watch.watched, most_cpu=0.5)
    monkeypatch.setattr(fuzz, "watched", short)
    assert run(tmp_path / "counts.json", "--cases", 6) == 1
    stored = json.loads((tmp_path / "counts.json").read_text())
    where = fuzz.case_number(1, 3)[1][0]
    assert stored["done"] == 6 and stored["counts"] == {f"hang: {where}": 1}
    assert stored["failures"][0]["case"] == "3"


@pytest.mark.parametrize(
    ("work", "how"),
    [
        (lambda say: say("hello"), fuzz_watch.ENDED),
        (lambda say: os._exit(3), fuzz_watch.CRASH),
        (lambda say: time.sleep(60), fuzz_watch.HANG),
    ],
)
def test_the_watch_says_how_the_child_ended(work, how):
    heard = []
    assert fuzz_watch.watched(work, heard.append, most_wait=1.5)[0] == how
    assert heard == (["hello"] if how == fuzz_watch.ENDED else [])


def test_an_absurd_simulated_value_is_caught(monkeypatch):
    case = next(
        c
        for c in cases(9, 400, alpha=0.6)
        if c.kind == "periodic" and c.start.max() == 1 and not c.shape
    )
    truth = bracket(case)
    honest = solve(case.problem(), "pomcp", tree_queries=5, episodes=2)
    assert fuzz_checks._absurd(case, "pomcp", honest, truth) == []
    for value in (1e12, np.nan, float(case.start @ (truth.lower - truth.size) - 1)):
        lying = replace(honest, value=value)
        assert fuzz_checks._absurd(case, "pomcp", lying, truth)[0].kind == "absurd"
