"""A run against the reference: what agrees, what differs and why, what is missing."""

import json

import numpy as np
import pytest

from bench.analysis.compare import (
    IN_PART,
    NOT_REPRODUCED,
    REPRODUCED,
    compare,
    describe,
    shared_digits,
)
from bench.analysis.frame import tidy
from bench.cli import main
from bench.store import status
from tests.bench.made_rows import row, store


def held(mine, reference):
    return compare("made", tidy(mine), tidy(reference))


def test_a_run_of_the_same_values_is_reproduced():
    both = [row(value=-0.02099), row(solver="atm", value=-0.006, k=0.005)]
    found = held(both, both)
    assert found.verdict == REPRODUCED and found.agree == found.compared == 2
    assert found.identical_digits == {"15+": 2} and found.time_ratio == (1.0, 1.0, 1.0)
    assert describe(found).splitlines()[-1] == ("verdict: made is reproduced: 2 of 2 values agree")


def test_last_bits_agree_and_are_counted_by_digits():
    found = held([row(value=-0.02099 * (1 + 3e-11))], [row(value=-0.02099)])
    assert found.verdict == REPRODUCED and found.identical_digits == {"9+": 1}


def test_another_value_of_a_finished_method_is_not_reproduced():
    found = held(
        [row(value=-0.0205, solver_status="solved")], [row(value=-0.02099, solver_status="solved")]
    )
    assert found.verdict == NOT_REPRODUCED
    (difference,) = found.differences
    assert (difference.mine, difference.reference, difference.better) == (
        "20.5000",
        "20.9900",
        False,
    )


def test_a_value_cut_by_the_budget_speaks_of_the_machine():
    found = held([row(value=-0.0205, solver_status="budget")], [row(value=-0.02099)])
    assert found.verdict == IN_PART
    assert "20.5000, reference 20.9900, worse (stopped by its budget)" in describe(found)


def test_simulated_values_agree_within_their_errors():
    near = held(
        [row(value=-0.0205, standard_error=2e-4)], [row(value=-0.02099, standard_error=2e-4)]
    )
    assert near.agree == 1 and near.verdict == REPRODUCED
    far = held(
        [row(value=-0.0105, standard_error=2e-4)], [row(value=-0.02099, standard_error=2e-4)]
    )
    assert far.agree == 0 and far.differences[0].why == "simulated"


def test_what_is_skipped_failed_or_not_run_is_counted_with_its_reason():
    reference = [row(solver=s, value=-0.02) for s in ("spi", "atm", "fib", "qmdp")]
    mine = [
        row(solver="spi", value=-0.02),
        row(solver="atm", status=status.SKIPPED, reason="skipped: no Julia"),
        row(solver="fib", status=status.TIMEOUT, reason="timeout 60 s"),
        row(solver="pbvi", value=-0.02),
    ]
    found = held(mine, reference)
    assert (found.skipped, found.failed) == ({"skipped: no Julia": 1}, {"timeout 60 s": 1})
    assert (found.not_run, found.new, found.verdict) == (1, 1, IN_PART)
    assert "3 of 4 cells have no value here" in describe(found)


def test_times_are_ratios_of_cells_that_came_to_their_end():
    reference = [row(solver=s, value=-0.02, solve_seconds=0.5) for s in ("spi", "atm", "fib")]
    mine = [
        row(solver="spi", value=-0.02, solve_seconds=1.0),
        row(solver="atm", value=-0.02, solve_seconds=1.0),
        row(solver="fib", value=-0.02, solve_seconds=60.0, solver_status="budget"),
    ]
    assert held(mine, reference).time_ratio == pytest.approx((2.0, 2.0, 2.0))


def test_shared_digits_count_what_two_numbers_have_in_common():
    rng = np.random.default_rng(3)
    for digits in range(1, 14):
        b = rng.uniform(1, 9)
        assert shared_digits(b * (1 + 0.9 * 10.0**-digits), b) == digits
    assert shared_digits(0.0, 0.0) == 15 and shared_digits(1.0, -1.0) == 0


def test_the_command_prints_the_verdict_or_json_and_says_what_is_missing(tmp_path, capsys):
    made = row(value=-0.02099, solver_status="solved")
    store(tmp_path, made)
    assert main(["compare", "made", "--results", str(tmp_path)]) == 2
    assert "no reference results of made" in capsys.readouterr().err
    store(tmp_path / "reference", made)
    assert main(["compare", "made", "--results", str(tmp_path)]) == 0
    assert "verdict: made is reproduced" in capsys.readouterr().out
    store(tmp_path, row(value=-0.0205, solver_status="solved"))
    assert main(["compare", "made", "--json", "--results", str(tmp_path)]) == 1
    assert json.loads(capsys.readouterr().out)["verdict"] == NOT_REPRODUCED
