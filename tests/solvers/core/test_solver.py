import re
from dataclasses import dataclass, replace

import numpy as np
import pytest

from bench.problems import load_problem
from solvers import (
    SOLVED,
    Budget,
    Plan,
    PlanPolicy,
    SensingMDP,
    Solution,
    Solver,
    SolverError,
    load_solver_file,
    make_solver,
    solve,
    solver_classes,
)

OURS = {
    "always-sense",
    "atm",
    "spi",
    "truncation",
    "fib",
    "qmdp",
    "hold",
    "pbvi",
    "delayed-information",
    "dips",
    "pomcp",
}


@dataclass
class LooksAlways(Solver):
    name = "looks-always"
    action: int = 0

    def supports(self, problem):
        return "it has too many states" if problem.num_states > 10 else None

    def solve(self, problem, budget):
        plans = [Plan((self.action,), True)] * problem.num_states
        return Solution(policy=PlanPolicy(problem, plans))


def test_every_solver_of_the_list_is_found():
    assert set(solver_classes()) >= OURS


def test_every_option_has_a_default_and_is_listed():
    for name in OURS:
        assert isinstance(make_solver(name), solver_classes()[name])
    assert "tree_queries" in solver_classes()["pomcp"].options()
    assert make_solver("pomcp", tree_queries=7).tree_queries == 7


def test_an_unknown_solver_is_answered_with_the_list():
    with pytest.raises(SolverError, match=r"unknown solver 'spy'; the solvers are: .*spi"):
        make_solver("spy")


def test_an_unknown_option_is_answered_with_the_options():
    with pytest.raises(SolverError, match="pbvi has no option 'depth'; its options are: points"):
        make_solver("pbvi", depth=3)
    with pytest.raises(SolverError, match="qmdp has no option 'depth'; its options are: none"):
        make_solver("qmdp", depth=3)


def test_a_solver_that_cannot_take_a_problem_says_why():
    with pytest.raises(SolverError, match=r"looks-always cannot take taxi: it has too many states"):
        solve(load_problem("taxi", 1.0), LooksAlways())


@pytest.mark.parametrize("budget", [0, -1.0, float("nan"), "5", True, [1]])
def test_a_budget_must_be_time(budget):
    with pytest.raises(SolverError, match="expected a number of seconds above 0"):
        solve(load_problem("two-state", 0.25), LooksAlways(), budget=budget)


def test_a_budget_is_spent():
    budget = Budget(1e-9)
    assert budget.over() and budget.left() < 0 < budget.spent()
    assert not Budget().over()


def test_what_a_solver_leaves_out_is_added():
    problem = load_problem("two-state", 0.25).with_start(1)
    solution = solve(problem, LooksAlways(), action=1)
    assert solution.solver == "looks-always" and solution.status == SOLVED
    assert solution.value == pytest.approx(solution.values[1])
    assert solution.sensing_rate == pytest.approx(1.0)
    assert solution.seconds > 0 and solution.standard_error is None
    assert solution.lower is None and solution.gap is None


def test_a_bound_from_elsewhere_gives_a_gap_and_the_better_one_counts():
    problem = load_problem("two-state", 0.25)
    solution = solve(problem, "always-sense")
    weak, strong = solution.values - 0.5, solution.values - 0.1
    assert solution.with_lower_bound(weak).gap == pytest.approx(0.5 / solution.value)
    for both in ([weak, strong], [strong, weak]):
        done = solution
        for bound in both:
            done = done.with_lower_bound(bound)
        assert done.gap == pytest.approx(0.1 / solution.value)


FILE = """
from dataclasses import dataclass
from solvers import Plan, PlanPolicy, Solution, Solver

@dataclass
class Mine(Solver):
    name = "mine"
    def solve(self, problem, budget):
        return Solution(policy=PlanPolicy(problem, [Plan((0,), True)] * problem.num_states))
"""


def test_a_solver_in_a_file_joins(tmp_path):
    path = tmp_path / "my_solver.py"
    path.write_text(FILE)
    (found,) = load_solver_file(path)
    assert found.name == "mine" and "mine" in solver_classes()
    assert np.isfinite(solve(load_problem("two-state", 0.25), "mine").value)


def test_files_that_hold_no_solver(tmp_path):
    with pytest.raises(SolverError, match="no such solver file"):
        load_solver_file(tmp_path / "absent.py")
    empty = tmp_path / "empty.py"
    empty.write_text("from solvers import Solver\n")
    with pytest.raises(SolverError, match="defines no solver"):
        load_solver_file(empty)
    (tmp_path / "notes.txt").write_text("spi")
    with pytest.raises(SolverError, match="not a Python file"):
        load_solver_file(tmp_path / "notes.txt")


@pytest.mark.parametrize("name", ["3", "''", "' '", "None", "['mine']"])
def test_the_name_of_a_solver_in_a_file_must_be_text(name, tmp_path):
    path = tmp_path / "nameless.py"
    path.write_text(FILE.replace('"mine"', name))
    told = re.escape(f"nameless.py: the name of class Mine is {name}; expected text")
    with pytest.raises(SolverError, match=told):
        load_solver_file(path)


def test_a_file_may_not_take_the_name_of_another_solver(tmp_path):
    path = tmp_path / "impostor.py"
    path.write_text(FILE.replace('"mine"', '"spi"'))
    with pytest.raises(SolverError, match="'spi' is the name of another solver"):
        load_solver_file(path)


@pytest.mark.parametrize(
    ("solver", "option", "value", "message"),
    [
        ("spi", "delta", -1.0, "spi: delta is -1.0; expected a number >= 0"),
        ("spi", "delta", float("nan"), "spi: delta is nan"),
        ("spi", "delta", "small", "spi: delta is 'small'; expected a number"),
        ("spi", "max_steps", 2.5, "spi: max_steps is 2.5; expected a whole number"),
        ("spi", "max_iterations", 0, "spi: max_iterations is 0; expected at least 1"),
        ("truncation", "depth", "3", "truncation: depth is '3'; expected a whole number"),
        ("pbvi", "points", None, "pbvi: points is None; expected a whole number"),
        ("pomcp", "seed", 1.5, "pomcp: seed is 1.5; expected a whole number"),
        ("dips", "target_gap", [1], r"dips: target_gap is \[1\]; expected a number"),
    ],
)
def test_an_option_of_the_wrong_kind_is_refused_before_any_work(solver, option, value, message):
    with pytest.raises(SolverError, match=message):
        make_solver(solver, **{option: value})


@pytest.mark.parametrize("solver", [s for s in solver_classes() if not s.startswith("julia")])
@pytest.mark.parametrize("all_over", [True, False])
def test_an_episode_that_is_over_before_it_begins_costs_nothing(solver, all_over):
    T = [np.eye(2), np.eye(2)] if all_over else [[[0, 1.0], [0, 1]], np.eye(2)]
    C = np.zeros((2, 2)) if all_over else [[1.0, 2], [0, 0]]
    problem = SensingMDP.from_arrays(T, C, 0.9, 0.1, start=1, terminal=[0, 1] if all_over else 1)
    found = solve(problem, solver, budget=1)
    assert found.value in (0, None)
    assert found.lower in (0, None) and found.gap in (0, None)


def test_a_gap_is_never_hidden():
    problem = load_problem("two-state", 0.25)
    solution = solve(problem, "always-sense")
    assert replace(solution, lower_bound=solution.values + 0.1).gap < 0
    free = SensingMDP.from_arrays([np.eye(2)] * 2, [[0, 1.0], [0, 2.0]], 0.9, 0.1)
    nothing = solve(free, "atm")
    assert nothing.value == 0 and nothing.gap == 0
    below = replace(nothing, lower_bound=np.full(2, -1e-16))
    assert 0 < below.gap < 1e-6  # a rounding error below an optimum of 0 is no infinite gap


class Interrupted(Solver):
    name = "interrupted"
    cause: type[BaseException] = KeyboardInterrupt

    def solve(self, problem, budget):
        inner = SystemError("returned a result with an exception set")  # as numba does, twice
        inner.__cause__ = self.cause()
        raise SystemError("returned a result with an exception set") from inner


def test_an_interrupt_of_compiled_code_is_an_interrupt():
    problem = load_problem("two-state", 0.25)
    with pytest.raises(KeyboardInterrupt):
        solve(problem, Interrupted())
    other = Interrupted()
    other.cause = ValueError
    with pytest.raises(SystemError):
        solve(problem, other)


@pytest.mark.parametrize("off", [0.0, 1e-11, 1e-3])
def test_an_upper_bound_that_is_nearly_solved_is_raised_to_a_proven_one(off):
    problem = load_problem("two-state", 0.25)
    cost = solve(problem, LooksAlways()).values

    class NearlySolved(LooksAlways):
        def solve(self, problem, budget):
            return replace(super().solve(problem, budget), upper_bound=(1 - off) * cost)

    found = solve(problem, NearlySolved())
    raised = (found.upper_bound >= found.values + found.error).all()
    assert raised == (off < 1e-3), "a bound that is far off is a mistake, and must be seen"


def test_an_upper_bound_is_infinite_where_the_policy_was_not_evaluated():
    problem = load_problem("frozen-lake-4x4", 0.01)
    found = solve(problem, make_solver("dips", roots="reachable"), budget=1.0)
    unknown = np.isnan(found.values)
    assert np.isinf(found.upper_bound[unknown]).all()
    assert found.lower <= found.upper < np.inf and found.upper >= found.value
