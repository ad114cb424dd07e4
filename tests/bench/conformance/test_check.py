"""Conformance: a good solver passes, and each fault is found and named."""

import numpy as np
import pytest

from bench.conformance.cases import cases, small_problems
from bench.conformance.check import examine
from solvers import evaluate, solve

HEAD = """
import time
from dataclasses import dataclass
import numpy as np
from solvers import Solution, Solver
from solvers.planners.always_sense import AlwaysSensePolicy

def answer(problem, **claims):
    return Solution(policy=AlwaysSensePolicy(problem), **claims)
"""
GOOD = """
@dataclass
class Good(Solver):
    name = "good"
    depth: int = 3

    def solve(self, problem, budget):
        return answer(problem)
"""
FAULTS = {
    "name, Good One,": GOOD.replace('"good"', '"Good One"'),
    "class Good is 3; expected text": GOOD.replace('"good"', "3"),
    "class Good is ''; expected text": GOOD.replace('"good"', "''"),
    "the name of another solver": GOOD.replace('"good"', '"spi"'),
    "no default for: depth": GOOD.replace("depth: int = 3", "depth: int"),
    "the class lacks @dataclass": GOOD.replace("@dataclass", ""),
    "it has several: good, better": GOOD
    + GOOD.replace('"good"', '"better"').replace("Good", "Better"),
    "defines no solver": "",
    "invalid syntax": "def",
    "ZeroDivisionError": GOOD.replace("answer(problem)", "1 / 0"),
    "lower_bound at state 0 is 1000": GOOD.replace(
        "answer(problem)",
        "answer(problem, lower_bound=np.where(np.arange(problem.num_states) == 0, 1e3, -1e3))",
    ),
    "bounds cross": GOOD.replace(
        "answer(problem)", "answer(problem, lower_bound=np.full(problem.num_states, 1e3))"
    ),
    "upper_bound at state 0 is -1000": GOOD.replace(
        "answer(problem)", "answer(problem, upper_bound=np.full(problem.num_states, -1e3))"
    ),
    "no policy has less than": GOOD.replace(
        "answer(problem)", "Solution(policy=None, values=np.full(problem.num_states, -1e3))"
    ),
    "it refused them all": GOOD + "\n    def supports(self, problem):\n        return 'never'\n",
    "use a seed option": GOOD.replace(
        "answer(problem)",
        "answer(problem, lower_bound=np.full(problem.num_states, -1e3 * (1 + time.time() % 1)))",
    ),
    "it took 3": GOOD.replace("return", "time.sleep(3.2); return"),
}


@pytest.fixture(autouse=True)
def one_case(monkeypatch):
    """One problem is enough to find a fault; the example of docs/extending.md runs them all."""
    monkeypatch.setattr("bench.conformance.check.cases", lambda folder: cases(folder)[:1])


def faults(tmp_path, text):
    file = tmp_path / "my_solver.py"
    file.write_text(HEAD + text)
    return [finding for finding in examine(file) if finding.wrong is not None]


def test_a_good_solver_conforms(tmp_path):
    assert faults(tmp_path, GOOD) == []


@pytest.mark.parametrize("told", FAULTS)
def test_a_fault_is_found_and_named(tmp_path, told):
    found = faults(tmp_path, FAULTS[told])
    assert any(told in f"{finding.what}: {finding.wrong}" for finding in found), found


def test_what_is_known_of_the_problems_is_true(tmp_path):
    for case, problem in zip(cases(tmp_path), small_problems().values(), strict=True):
        assert (case.lower <= case.upper + 1e-9).all()
        for solver in ("atm", "spi", "always-sense"):
            value = evaluate(problem, solve(problem, solver).policy)
            assert (value >= case.lower - 1e-9).all()
        assert np.isclose(case.start.sum(), 1)
