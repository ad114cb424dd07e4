"""What ``sensebench solve`` says about what it found."""

import pytest

from bench import load_problem
from bench.cli.solution_words import _print_plans
from solvers.core.solution import Solution


@pytest.mark.parametrize(
    ("error", "said"), [(0.1, "plans anew, with chance"), (None, "only proves a bound")]
)
def test_what_has_no_policy_is_told_apart(error, said, capsys):
    found = Solution(policy=None, value=1.0, standard_error=error)
    _print_plans(load_problem("two-state"), found)
    assert said in capsys.readouterr().out
