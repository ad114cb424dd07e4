"""The performance profile: what counts as equal, as never, and as one of the instances."""

import numpy as np
import pytest

from bench.analysis.frame import tidy
from bench.analysis.results import Results
from bench.plots.profile import distances
from tests.bench.drawn import drawn, texts
from tests.bench.made_rows import row, store


def test_profile_counts_failures_as_never():
    frame = tidy(
        [
            row(solver="spi", value=-0.02),
            row(solver="atm", value=-0.01),
            row(solver="fib", status="timeout", reason="timeout 60 s"),
            row(solver="delayed-information", lower=-0.03),
        ]
    )
    away = distances(frame).set_index("method")["distance"]
    assert away.to_dict() == {"ATM": 0.5, "FIB": np.inf, "SPI": 0.0}


def test_profile_curves_rise_to_at_most_all(tmp_path):
    made = [
        row(k=k, solver=solver, value=-0.02 + 0.001 * i * n, solve_seconds=0.1 * (i + 1))
        for n, solver in enumerate(("spi", "atm"))
        for i, k in enumerate((0.001, 0.002, 0.003, 0.004, 0.005, 0.006))
    ]
    quality, time = drawn(store(tmp_path, *made))["profile"].axes
    for line in (*quality.lines, *time.lines):
        assert (np.diff(line.get_ydata()) >= 0).all()
    assert {line.get_label(): line.get_ydata()[0] for line in quality.lines} == {
        "SPI": 1.0,
        "ATM": pytest.approx(1 / 6),
    }


COSTS = (0.001, 0.002, 0.003, 0.004, 0.005, 0.006)


def test_the_profile_starts_with_the_share_of_best_values_that_tables_and_page_tell(tmp_path):
    """Ties to the printed digits; a simulated value counts only if it is best for sure."""
    made = [row(k=k, solver="dips", value=-0.0209930) for k in COSTS]
    made += [row(k=k, solver="spi", value=-0.0209901) for k in COSTS]  # prints the same: 20.99
    made += [row(k=k, solver="atm", value=-0.0209) for k in COSTS]
    made += [row(k=k, solver="pomcp", value=-0.022, standard_error=0.003) for k in COSTS]
    figure = drawn(store(tmp_path, *made))["profile"]
    equal = {line.get_label(): line.get_ydata()[0] for line in figure.axes[0].lines}
    frame = Results.load("made", tmp_path).frame
    assert equal == frame.groupby("method")["best"].mean().to_dict()
    assert equal == {"DIPS (ours)": 1.0, "SPI": 1.0, "ATM": 0.0, "POMCP": 0.0}
    assert any("printed digits" in words for words in texts(figure))


def test_a_value_that_prints_differently_is_never_drawn_as_equal(tmp_path):
    values = (("spi", -5000.0), ("atm", -4999.99), ("dips", -4990.0))  # ATM is 0.0002 % away
    made = [row(k=k, solver=s, value=v) for k in COSTS for s, v in values]
    lines = drawn(store(tmp_path, *made))["profile"].axes[0].lines
    assert {line.get_label(): line.get_ydata()[0] for line in lines} == {
        "SPI": 1.0,
        "ATM": 0.0,
        "DIPS (ours)": 0.0,
    }
