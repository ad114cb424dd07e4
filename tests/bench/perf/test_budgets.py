"""What ``perf budgets`` measures is judged as the bar says."""

from dataclasses import dataclass

from bench.perf import budgets
from bench.problems import load_problem
from solvers import Budget, Solution, Solver


@dataclass
class Late(Solver):
    """Uses CPU time until long after its budget."""

    name = "late"

    def solve(self, problem, budget):
        clock = Budget(10)
        while clock.spent() < budget.seconds + 0.5:
            sum(range(10_000))
        return Solution(policy=None)


def test_a_solver_that_is_late_is_over_and_one_in_time_is_not(monkeypatch):
    problem = load_problem("two-state", 0.25)
    assert not budgets.measure("always-sense", problem, 1.0)["over"]
    monkeypatch.setattr(budgets, "make_solver", lambda name: Late())
    monkeypatch.setattr(budgets, "allowed", lambda budget: 1e-3)
    assert budgets.measure("late", problem, 0.01)["over"]


def test_all_of_table_one_and_the_lake_are_run():
    found = budgets.instances()
    assert len(found) == 21 and found[-1][0] == budgets.LAKE
    assert budgets.load(*found[-1]).num_states == 1600
    assert {"dips", "spi", "pomcp"} <= set(budgets.solvers_here())


def test_a_run_has_its_own_process():
    row = budgets.run_alone("atm", "two-state", 0.25, 1.0)
    assert row["status"] == "solved" and not row["over"]
    assert budgets.run_alone("atm", "nowhere", 0.25, 1.0)["over"]
