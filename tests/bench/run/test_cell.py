"""What a cell makes of a solution; the cell runs here, in the tests' own process."""

import json
import sys
import time
from dataclasses import dataclass, replace

import numpy as np
import pytest

from bench.problems import load_problem
from bench.run.cell import run_cell
from bench.run.cell_result import MOST_ACTIONS, plain
from bench.run.code_hash import code_hash
from bench.run.model_hash import model_hash
from bench.run.outcome import StaleCode
from bench.run.supervise import EVALUATING, PLANNING
from bench.store import status
from bench.suites.cell import Cell
from solvers import Plan, PlanPolicy, Policy, PolicyError, Solution, Solver
from solvers.core import solver
from solvers.planners.always_sense import AlwaysSensePolicy


class Blind(Policy):
    """The first action for ever, blind."""

    def act_batch(self, beliefs):
        return np.zeros(len(beliefs), int), np.zeros(len(beliefs), bool)


@dataclass
class Answers(Solver):
    """Returns what the test puts into ``answer``, a function of the problem."""

    name = "answers"
    answer = None

    @classmethod
    def warm_up(cls):
        time.sleep(0.05)

    def solve(self, problem, budget):
        return type(self).answer(problem)


@pytest.fixture
def outcome(monkeypatch):
    """The outcome of a cell whose solver gives an answer."""
    solver.register_solvers(__import__(__name__, fromlist=["Answers"]))

    def run(answer, problem="inventory", sensing_cost="0.2", enter=lambda **phase: None, **more):
        monkeypatch.setattr(Answers, "answer", staticmethod(answer))
        cell = Cell("s", problem, sensing_cost, "answers", {}, "a", 0, 5.0, 1, 500)
        return run_cell(replace(cell, **more), time.monotonic(), enter)

    return run


def looking(problem, **claims):
    return Solution(policy=AlwaysSensePolicy(problem), **claims)


def test_times_are_kept_apart(outcome):
    def slow(problem):
        time.sleep(0.1)
        return looking(problem, info={"export_seconds": 2.0, "julia": "1.11.4", "log": "x"})

    found = outcome(slow)
    row = found.row
    assert row["status"] == status.OK
    assert row["compile_seconds"] >= 0.05 and row["solve_seconds"] >= 0.1
    assert row["export_seconds"] > 2.0
    assert row["versions"]["julia"] == "1.11.4" and "numpy" in row["versions"]
    assert "log" not in found.details["info"]


def test_phases_are_announced_in_order(outcome, monkeypatch):
    phases = []
    monkeypatch.setattr(Answers, "overhead_seconds", 7.0, raising=False)
    outcome(looking, enter=lambda **phase: phases.append(phase))
    assert phases == [{"phase": PLANNING, "overhead": 7.0}, {"phase": EVALUATING}]


NONSENSE = {
    "solve returned nothing (None)": lambda p: None,
    "neither a policy nor a bound": lambda p: Solution(policy=None),
    "the policy is a str": lambda p: Solution(policy="look!"),
    "lower_bound is not a number (NaN)": lambda p: looking(p, lower_bound=np.full(4, np.nan)),
    "upper_bound has shape (3,)": lambda p: looking(p, upper_bound=np.zeros(3)),
    "the value is inf": lambda p: Solution(policy=None, values=np.full(4, np.inf)),
}


@pytest.mark.parametrize("told", NONSENSE)
def test_what_is_no_result_is_invalid_and_told(outcome, told):
    found = outcome(NONSENSE[told])
    assert found.row["status"] == status.INVALID and told in found.row["reason"]
    assert found.details is None


def test_a_policy_that_leaves_the_actions_is_invalid(outcome):
    class Wild(Blind):
        def act_batch(self, beliefs):
            return np.full(len(beliefs), 99), np.ones(len(beliefs), bool)

    found = outcome(lambda p: Solution(policy=Wild(p)))
    assert found.row["status"] == status.INVALID and "action" in found.row["reason"]
    with pytest.raises(PolicyError):
        from bench import load_problem
        from solvers import evaluate

        problem = load_problem("inventory", 0.2)
        evaluate(problem, Wild(problem))


def test_bounds_that_cross_make_the_row_invalid_with_both_numbers(outcome):
    row = outcome(lambda p: looking(p, lower_bound=np.full(4, 9.0))).row
    assert row["status"] == status.INVALID
    assert "bounds cross" in row["reason"] and "lower bound of 9" in row["reason"]
    value = outcome(looking).row["value"]
    assert f"its value is {value:.10g}" in row["reason"]
    above = np.full(4, value * (1 + np.sign(value) * 1e-9))
    assert outcome(lambda p: looking(p, lower_bound=above)).row["status"] == status.INVALID
    fine = outcome(lambda p: looking(p, lower_bound=np.full(4, -99.0))).row
    assert fine["lower"] == pytest.approx(-99.0) and fine["note"] == ""


def test_a_long_plan_is_kept_cut_and_an_endless_one_short(outcome):
    def long(problem):
        plan = Plan((0, 1) * MOST_ACTIONS, False)
        return Solution(policy=PlanPolicy(problem, [plan] * problem.num_states))

    plans = outcome(long, problem="frozen-lake-8x8").details["plans"]
    assert 0 < len(plans) <= 300
    assert {len(p["actions"]) for p in plans.values()} == {MOST_ACTIONS}
    assert all(p["length"] == MOST_ACTIONS + 1 and not p["senses"] for p in plans.values())
    blind = outcome(lambda p: Solution(policy=Blind(p)), problem="frozen-lake-8x8").details
    assert all(p == {"actions": [0], "senses": False} for p in blind["plans"].values())


def test_memory_errors_are_told_as_memory(outcome):
    def greedy(problem):
        return np.ones((10**7, 10**7))

    row = outcome(greedy).row
    assert row["status"] == status.MEMORY and row["reason"].startswith("out of memory")


def test_other_code_than_the_runs_is_refused(outcome):
    assert outcome(looking, code=code_hash("answers")).row["status"] == status.OK
    with pytest.raises(StaleCode, match="is not what the run began with"):
        outcome(looking, code="0" * 10)


def test_another_model_than_the_runs_is_refused(outcome):
    model = model_hash(load_problem("inventory", 0.2))
    assert outcome(looking, model=model).row["status"] == status.OK
    with pytest.raises(StaleCode, match="the model of inventory is not the one the run began with"):
        outcome(looking, model=model, sensing_cost="0.3")


def test_a_solver_that_writes_into_the_problem_is_invalid(outcome):
    def cheat(problem):
        problem.costs.setflags(write=True)
        problem.costs[:] = -1000.0
        return looking(problem)

    row = outcome(cheat).row
    assert row["status"] == status.INVALID and "changed the problem" in row["reason"]
    assert load_problem("inventory", 0.2).costs.min() > -1000

    def cheat_more(problem):
        problem.transitions[0].data[:] = 0.0
        return looking(problem)

    assert outcome(cheat_more).row["status"] == status.INVALID
    assert outcome(looking).row["status"] == status.OK


def test_a_solver_that_ends_python_is_a_failed_row(outcome):
    row = outcome(lambda problem: sys.exit(0)).row
    assert row["status"] == status.FAILED and "SystemExit" in row["reason"]


def test_details_are_plain_json():
    messy = {"a": np.float64(1 / 3), "b": np.array([1, np.nan]), "c": (np.int64(3), {"d": np.inf})}
    assert json.loads(json.dumps(plain(messy), allow_nan=False)) == {
        "a": 0.3333333333,
        "b": [1.0, None],
        "c": [3, {"d": None}],
    }
