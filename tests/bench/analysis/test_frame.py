"""The frame: which row counts, what is proven, what is shown, how it compares with the paper."""

import math
import warnings
from pathlib import Path

import pytest

from bench.analysis.frame import AS_PUBLISHED, BETTER, WORSE, tidy
from bench.analysis.results import Results
from bench.cli import main
from bench.store.store import Store, StoreError
from tests.bench.made_rows import row, store


def only(frame):
    assert len(frame) == 1
    return frame.iloc[0]


def test_the_last_row_of_a_cell_counts_whatever_its_key():
    frame = tidy([row(value=-0.01), row(value=-0.02), row(k=0.05, value=-0.03)])
    assert list(frame["value"]) == [-0.02, -0.03]


def test_lakes_are_shown_as_rewards_in_thousandths():
    assert only(tidy([row(value=-0.0209918)]))["shown"] == pytest.approx(20.9918)
    assert only(tidy([row("inventory", 0.2, value=-1.5)]))["shown"] == -1.5


def test_gap_is_to_the_best_bound_any_row_proves():
    frame = tidy(
        [
            row(solver="spi", value=-0.020, lower=-0.040),
            row(solver="delayed-information", lower=-0.025),
            row(k=0.05, solver="spi", value=-0.020, lower=-0.030),
        ]
    )
    spi = frame[frame["solver"] == "spi"].set_index("k")
    assert spi.loc[0.01, "gap"] == pytest.approx(0.25)
    assert spi.loc[0.05, "gap"] == pytest.approx(0.5)


def test_a_bound_above_an_exact_value_is_not_used():
    frame = tidy(
        [
            row(solver="spi", value=-0.020, lower=-0.030),
            row(solver="julia-sarsop", value=-0.019, lower=-0.0195),
        ]
    ).set_index("solver")
    assert frame["wrong_bound"].to_dict() == {"spi": False, "julia-sarsop": True}
    assert (frame["best_lower"] == -0.030).all()


def test_a_bound_its_own_row_doubts_is_not_used():
    frame = tidy(
        [
            row(solver="spi", value=-0.020, lower=-0.030),
            row(solver="fib", value=-0.01, lower=-0.025, note="bounds cross: not trusted"),
        ]
    )
    assert (frame["best_lower"] == -0.030).all()


def test_a_simulated_value_proves_no_bound_wrong_and_has_no_gap():
    frame = tidy(
        [
            row(solver="pomcp", value=-0.040, standard_error=0.01),
            row(solver="spi", value=-0.020, lower=-0.030),
        ]
    )
    assert not frame["wrong_bound"].any()
    gaps = frame.set_index("solver")["gap"]
    assert math.isnan(gaps["pomcp"]) and gaps["spi"] == pytest.approx(0.5)


def test_value_zero_has_no_gap_only_if_proven_optimal():
    at_bound = only(tidy([row(value=0.0, lower=0.0)]))
    assert at_bound["gap"] == 0
    for zero in (0.0, 1.7e-25):
        assert math.isinf(only(tidy([row(value=zero, lower=-0.1)]))["gap"])


@pytest.mark.parametrize(
    ("cost", "flag"),
    [
        (-0.0209918, AS_PUBLISHED),  # 20.99 in the paper
        (-0.020995, AS_PUBLISHED),  # cut to 20.99
        (-0.02308, BETTER),
        (-0.0209, WORSE),
    ],
)
def test_flags_follow_what_the_paper_printed(cost, flag):
    assert only(tidy([row(value=cost)]))["flag"] == flag


def test_a_simulated_value_is_flagged_beyond_two_standard_errors_only():
    near = row("frozen-lake-4x4-hard-near", 0.01, "pomcp", value=-0.022, standard_error=0.002)
    far = row("frozen-lake-4x4-hard-near", 0.01, "pomcp", value=-0.022, standard_error=0.0001)
    assert only(tidy([near]))["flag"] == AS_PUBLISHED
    assert only(tidy([far]))["flag"] == BETTER


def test_failures_are_words_and_have_no_value():
    line = only(tidy([row(status="timeout", reason="timeout 600 s")]))
    assert line["failure"] == "timeout 600 s"
    assert math.isnan(line["shown"])
    assert not line["best"]


def test_best_is_best_as_printed():
    frame = tidy(
        [
            row(solver="atm", value=-0.0209901),
            row(solver="spi", value=-0.0209930),
            row(solver="dips", value=-0.0207),
            row(solver="fib", value=-0.9, status="invalid", reason="not a policy"),
        ]
    ).set_index("solver")
    assert frame["best"].to_dict() == {"atm": True, "spi": True, "dips": False, "fib": False}


def test_a_simulated_value_must_be_best_for_sure():
    frame = tidy(
        [row(solver="pomcp", value=-0.022, standard_error=0.003), row(solver="spi", value=-0.021)]
    ).set_index("solver")
    assert frame["best"].to_dict() == {"pomcp": False, "spi": True}


def test_one_label_is_one_method_and_options_are_told_in_the_title():
    frame = tidy(
        [
            row("icu-sepsis", 0.1, value=-0.7, options={"max_iterations": 2, "max_steps": 500}),
            row("taxi", 5, value=9.8),
        ]
    )
    assert list(frame["method"]) == ["SPI", "SPI"]
    assert list(frame["title"]) == ["SPI (max iterations 2)", "SPI"]


def test_names_are_unique_on_an_instance():
    frame = tidy(
        [
            row(solver="truncation", value=0.1, options={"depth": 2}),
            row(solver="truncation", value=0.1, options={"depth": 10}),
            row(solver="pomcp", value=0.1, seed=1),
            row(solver="pomcp", value=0.1, seed=2),
            row(solver="spi", label="spi-best", value=0.1, options={"init": "best"}),
            row(solver="mine", label="My method", value=0.1),
        ]
    )
    assert list(frame["method"]) == [
        *("SPI-best", "Truncation N=2", "Truncation N=10", "POMCP, seed 1", "POMCP, seed 2"),
        "My method",
    ]


def test_order_is_the_papers():
    frame = tidy([row("taxi", 1, value=1.0), row(value=0.1), row("icu-sepsis", 0.1, value=-0.7)])
    assert list(frame["problem"]) == ["icu-sepsis", "taxi", "frozen-lake-4x4"]


def test_a_problem_unknown_here_is_shown_in_costs():
    line = only(tidy([row("lost.npz", 0.3, value=1.25)]))
    assert (line["shown"], line["problem_title"]) == (1.25, "lost.npz")


def test_a_cost_that_is_not_uniform_stays_text():
    line = only(tidy([row("two-state", [0.1, 0.2], value=1.0)]))
    assert line["k"] == "[0.1, 0.2]"


def test_load_names_the_file_and_the_way_out(tmp_path):
    with pytest.raises(StoreError, match=r"rows\.csv; run `sensebench run quick`"):
        Results.load("quick", tmp_path)
    store(tmp_path, row(value=-0.02))
    assert len(Results.load("made", tmp_path).frame) == 1


def test_load_tells_of_lost_details_and_of_an_unfinished_line(tmp_path):
    first, second = row(value=-0.02), row(solver="atm", value=-0.01)
    kept = Store(store(tmp_path, first, second), "made")
    kept.details_path(second.key).unlink()
    with pytest.warns(UserWarning, match=rf"1 of the rows .*cells/{second.key}.json.*damaged"):
        Results.load("made", tmp_path)
    kept.write_details(second.key, {})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Results.load("made", tmp_path)
    kept.rows_path.write_text(kept.rows_path.read_text()[:-9])
    with pytest.warns(UserWarning, match=r"rows\.csv: an unfinished last line was left out"):
        assert len(Results.load("made", tmp_path).frame) == 1


SUITE = """
[[problem]]
id = "frozen-lake-4x4"
sensing_costs = [0.01]
[[solver]]
id = "spi"
options = { init = "best" }
[[solver]]
id = "atm"
"""


@pytest.fixture
def suite(tmp_path):
    path = tmp_path / "made.toml"
    path.write_text(SUITE)
    return str(path)


def shown(suite, results):
    return sorted(Results.load(suite, results).frame["value"])


def test_cells_the_suite_no_longer_has_are_left_out(tmp_path, suite):
    best = {"init": "best"}
    store(
        tmp_path,
        row(value=1.0),  # without the option
        row(value=2.0, options={"init": "blind"}),
        row(value=3.0, options=best, seed=7),
        row(value=4.0, options=best, k=0.05),
        row("taxi", value=5.0, options=best),
        row(value=6.0, solver="fib"),
        row(value=7.0, options=best),
    )
    before = (tmp_path / "made" / "rows.csv").read_bytes()
    assert shown(suite, tmp_path) == [7.0]
    assert (tmp_path / "made" / "rows.csv").read_bytes() == before


def test_a_cell_of_older_code_is_still_shown_by_its_newest_row(tmp_path, suite):
    old = row(value=1.0, solver="atm", key="0" * 16, code="older")
    new = row(value=2.0, solver="atm", key="1" * 16, code="old")
    store(tmp_path, old, new)
    assert shown(suite, tmp_path) == [2.0]


def test_all_rows_are_shown_where_the_suites_file_is_not_known(tmp_path, suite):
    store(tmp_path, row(value=1.0), row(value=2.0, solver="atm"))
    assert shown("made", tmp_path) == [1.0, 2.0]
    Path(suite).write_text("not a suite")
    assert shown(suite, tmp_path) == [1.0, 2.0]


def test_a_solver_joined_for_a_run_is_shown_on_the_suites_instances(tmp_path, suite):
    store(tmp_path, row(value=1.0, solver="mine"), row(value=2.0, solver="mine", k=0.05))
    assert shown(suite, tmp_path) == [1.0]


def test_a_suites_file_by_path_is_heeded_from_the_command_line(tmp_path, suite, capsys):
    store(tmp_path, row(value=-0.0365, solver="atm"), row(value=-0.0123))
    for command in ("table", "plot", "report"):
        assert main([command, suite, "--results", str(tmp_path)]) == 0
    assert "SPI" not in (tmp_path / "made" / "table.md").read_text()
    assert main(["table", "made", "--results", str(tmp_path)]) == 0
    assert "SPI" in capsys.readouterr().out


def test_nothing_but_stale_rows_is_an_error_that_says_what_to_run(tmp_path, suite):
    store(tmp_path, row(value=1.0))
    with pytest.raises(StoreError, match="sensebench run"):
        Results.load(suite, tmp_path)
