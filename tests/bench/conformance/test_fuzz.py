"""The fuzz campaign: its referee is right, it catches liars, and the checker passes it."""

import json
from dataclasses import replace

import numpy as np
import pytest

from bench.cli import main
from bench.conformance import fuzz, fuzz_checks
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
    for case in cases(4, 12):
        if np.abs(case.C).max() > 1e2 or case.k.max() > 1e2:
            continue
        problem = case.problem()
        policy = solve(problem, "spi", budget=1).policy
        plans = [(plan.actions or (0,), plan.senses) for plan in policy.plans]
        values = evaluate(problem, policy)
        assert cost_of_plans(case, plans) == pytest.approx(values, rel=1e-9, abs=1e-9)


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


def test_a_campaign_counts_and_goes_on_where_it_stopped(tmp_path, monkeypatch):
    lie = fuzz_checks.Failure("wrong bound", "dips", "made up")
    monkeypatch.setattr(fuzz, "judge", lambda case, turn, chance: [lie] if "dips" in turn else [])
    monkeypatch.setattr(fuzz, "warm_up", lambda: None)
    path = tmp_path / "counts.json"
    assert main(["fuzz", "--cases", "10", "--seed", "5", "-o", str(path)]) == 1
    assert main(["fuzz", "--cases", "20", "--seed", "5", "-o", str(path)]) == 1
    stored = json.loads(path.read_text())
    assert stored["done"] == 20
    assert stored["counts"] == {"wrong bound: dips": 6}
    assert stored["runs"]["dips"] == 6
    assert stored["failures"][0]["script"].startswith("from solvers import")
    assert main(["fuzz", "--seed", "6", "-o", str(path)]) == 2
