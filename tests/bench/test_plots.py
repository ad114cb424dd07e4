"""Figures: what is drawn and how it is labelled, that files are small and the same every time."""

import numpy as np
import pytest
from made_rows import row, solved, store
from matplotlib.figure import Figure

from bench import load_problem
from bench.frame import tidy
from bench.plots import figures, write_plots
from bench.plots.gap_over_time import CEILING, FLOOR, MOST_POINTS, gap_curve
from bench.plots.grid_sheet import on_grid
from bench.plots.policy_picture import STEPS, beliefs, ending, shown_steps
from bench.plots.profile import distances
from bench.plots.results import load_results
from bench.plots.style import FILE_TYPES, method_styles, save, styled
from bench.plots.time_and_value import value_window
from bench.problems import find_problem

MOST_BYTES = 150_000
COSTS = (0.001, 0.005, 0.01, 0.05)


@pytest.fixture(scope="module")
def lake(tmp_path_factory):
    """Real runs on a lake at four sensing costs, one failure, and traces."""
    made, details = [], {}
    for k in COSTS:
        for solver in ("always-sense", "atm", "spi"):
            line, content = solved("frozen-lake-4x4", k, solver)
            made.append(line)
            details |= content
        trace = [[0.01 * 2**i, -0.08 + 0.001 * i, -0.01 - 0.001 * i] for i in range(8)]
        bounds = row(k=k, solver="sarsop", value=-0.02, lower=-0.07)
        made.append(bounds)
        details[bounds["key"]] = {"trace": trace, "plans": {}}
    made.append(row(k=0.01, solver="julia-fib", status="crashed", reason="segmentation fault"))
    return store(tmp_path_factory.mktemp("lake"), *made, details=details)


@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    """Made-up certificates of the two-state problem, settled from N = 2."""
    made, details = [], {}
    for N in range(5):
        line = row("two-state", 0.25, "truncation", value=1.0, options={"depth": N})
        made.append(line)
        details[line["key"]] = {
            "values": [0.5 - 0.05 * min(N, 2), 0.9 - 0.05 * min(N, 2)],
            "plans": {str(j): {"actions": [j] * (N + 1), "senses": True} for j in (0, 1)},
            "info": {
                "one_step": [N >= 1, N >= 2],
                "settled": [N >= 2, N >= 3],
                "epsilon": max(0.0, 0.3 - 0.1 * N),
                "depth_bound": 0.5 * 0.5**N,
                "lower_bound": [0.3 + 0.05 * min(N, 2), 0.7 + 0.05 * min(N, 2)],
            },
        }
    line, content = solved("two-state", 0.25, "spi")
    return store(
        tmp_path_factory.mktemp("two"), *made, line, details=details | content, suite="certificates"
    )


def drawn(results, suite="made") -> dict[str, Figure]:
    with styled():
        return dict(figures(load_results(suite, results)))


def texts(figure: Figure) -> set[str]:
    figure.draw_without_rendering()
    return {t.get_text() for t in figure.findobj(lambda x: hasattr(x, "get_text")) if t.get_text()}


def test_a_suite_gets_every_figure_it_has_data_for(lake):
    assert set(drawn(lake)) == {
        *("value-over-cost", "sensing-rate"),
        *("time-and-value-frozen-lake-4x4", "gap-over-time-frozen-lake-4x4"),
        "policy-frozen-lake-4x4",
    }


def test_axes_name_what_they_show_and_legends_every_method(lake):
    found = drawn(lake)
    for name, figure in found.items():
        words = texts(figure)
        if name.startswith("policy"):
            continue
        for ax in figure.axes:
            assert not ax.axison or ax.get_xlabel(), name
        labels = {line.get_text() for legend in figure.legends for line in legend.get_texts()}
        labels |= {
            t.get_text() for a in figure.axes if a.get_legend() for t in a.get_legend().texts
        }
        expected = {"SARSOP"} if name.startswith("gap") else {"ATM", "SPI", "Always sense"}
        assert expected <= labels, name
        assert any("(s)" in w or "sensing cost" in w or "share" in w for w in words), name


def test_the_band_lies_between_the_best_value_and_the_bound(lake):
    ax = drawn(lake)["value-over-cost"].axes[0]
    (band,) = ax.collections
    frame = load_results("made", lake).frame
    heights = band.get_paths()[0].vertices[:, 1]
    assert heights.max() == pytest.approx(frame["shown_bound"].max())
    assert heights.min() == pytest.approx(frame.groupby("k")["shown"].max().min())


def test_sensing_rates_are_shares(lake):
    ax = drawn(lake)["sensing-rate"].axes[0]
    for line in ax.lines:
        y = np.asarray(line.get_ydata(), float)
        assert ((y >= 0) & (y <= 1)).all()
    always = next(line for line in ax.lines if line.get_label() == "Always sense")
    assert np.allclose(always.get_ydata(), 1.0)


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


def test_gap_curve_only_falls_and_stays_short():
    trace = [[0.1 * i, -5 + min(i, 300) * 0.01, -1 - 0.001 * i] for i in range(400)]
    t, gap = gap_curve([*trace, [50.0, -7.0, -1.0], [60.0, None, -1.0]], -9.0, 0.0)
    assert len(t) <= MOST_POINTS + 2
    assert (np.diff(t) > 0).all()
    assert (np.diff(gap) <= 0).all()
    assert gap[0] == pytest.approx(4.0)
    assert ((gap >= FLOOR) & (gap <= CEILING)).all()
    assert len(gap_curve([], -1.0, 0.0)[0]) == 0


def test_a_bound_alone_is_measured_against_the_best_value():
    t, gap = gap_curve([[1.0, -4.0, None], [2.0, -3.0, None]], -9.0, -2.0)
    assert list(t) == [1.0, 2.0]
    assert list(gap) == [1.0, 0.5]


def test_far_off_values_stand_on_the_edge():
    frame = tidy(
        [
            *(row(solver=s, value=v) for s, v in (("spi", -0.020), ("atm", -0.019))),
            *(row(solver=s, value=v) for s, v in (("sarsop", -0.0195), ("always-sense", 0.4))),
        ]
    )
    low, high, outside = value_window(frame)
    assert list(frame["method"][outside]) == ["Always sense"]
    inside = frame["shown"][~outside]
    assert low < inside.min()
    assert inside.max() < high


def test_depth_figure_shows_values_bounds_and_where_theorems_hold(certificates):
    (name, figure), *rest = drawn(certificates, "certificates").items()
    assert (name, rest) == ("depth-two-state-k0.25", [])
    first = figure.axes[0]
    lines = {line.get_label(): line for line in first.lines}
    assert list(lines["optimum of $M_{k,N}$"].get_ydata()) == pytest.approx(
        [0.5, 0.45, 0.4, 0.4, 0.4]
    )
    assert list(lines["lower bound"].get_xdata()) == [0, 1, 2, 3, 4]
    assert lines["Lemma 4.3 holds from here"].get_xdata()[0] == 2
    assert lines["Theorem 4.4 holds from here"].get_xdata()[0] == 3
    assert "SPI" in lines
    assert first.get_xlabel() == "blind steps allowed, N"


def test_policy_picture_ends_where_the_plan_does(lake):
    figure = drawn(lake)["policy-frozen-lake-4x4"]
    words = texts(figure)
    assert {"looks here", "never looks", "1. left"} <= words
    assert "Frozen Lake 4x4: plans from state r0c0" in words


def test_beliefs_spread_as_the_model_says():
    model = load_problem("frozen-lake-4x4", 0.01)
    path = beliefs(model, 0, {"actions": [0, 1], "senses": True})
    assert path.sum(axis=1) == pytest.approx(1)
    assert path[2] == pytest.approx(path[1] @ model.transitions[1].toarray())
    cells = on_grid(find_problem("frozen-lake-4x4").grid(), path[1])
    assert cells[0, 0] == pytest.approx(2 / 3)
    assert cells[1, 0] == pytest.approx(1 / 3)


def test_a_plan_cut_short_does_not_claim_its_end():
    model = load_problem("frozen-lake-4x4", 0.01)
    cut = {"actions": [0] * 3, "senses": True, "length": 4}
    assert ending(cut, beliefs(model, 0, cut)) == "still blind"
    whole = {"actions": [0] * 3, "senses": True}
    assert ending(whole, beliefs(model, 0, whole)) == "looks here"
    lost = {"actions": [2] * 100, "senses": False, "length": 101}
    assert ending(lost, beliefs(model, 0, lost)) == "never looks"


def test_taxi_beliefs_add_up_over_passengers():
    grid = find_problem("taxi").grid()
    assert on_grid(grid, np.full(500, 1 / 500)) == pytest.approx(np.full((5, 5), 1 / 25))


@pytest.mark.parametrize("length", [1, 3, STEPS, STEPS + 1, 40, 300])
def test_shown_steps_fit_and_end_with_the_last(length):
    steps = shown_steps(np.zeros((length, 1)))
    assert len(steps) == min(length, STEPS)
    assert steps == sorted(set(steps))
    assert (steps[0], steps[-1]) == (0, length - 1)


def test_no_two_methods_look_the_same_even_in_grey():
    solvers = ["spi", "atm", "fib", "julia-fib", "sarsop", "julia-sarsop", "mine", "yours", "pbvi"]
    frame = tidy([row(solver=s, value=0.1) for s in solvers])
    looks = {(s.marker, str(s.line), s.hollow) for s in method_styles(frame).values()}
    assert len(looks) == len(solvers)


def test_files_are_small_and_old_ones_go(lake):
    stale = lake / "made" / "figures" / "old.png"
    stale.parent.mkdir(exist_ok=True)
    stale.write_bytes(b"")
    written = write_plots("made", lake)
    assert sorted(p.suffix for p in written) == sorted(FILE_TYPES * 5)
    assert max(p.stat().st_size for p in written if p.suffix == ".svg") < MOST_BYTES
    assert {p.name for p in stale.parent.iterdir()} == {p.name for p in written} | {"drawn.json"}


def test_what_is_drawn_already_is_not_drawn_again(certificates):
    written = write_plots("certificates", certificates)
    written[0].write_bytes(b"kept")
    assert write_plots("certificates", certificates) == written
    assert written[0].read_bytes() == b"kept"
    with open(certificates / "certificates" / "rows.csv", "a") as rows:
        rows.write("\n")
    write_plots("certificates", certificates)
    assert written[0].read_bytes() != b"kept"


def test_files_are_the_same_every_time(lake, tmp_path):
    saved = []
    for again in ("one", "two"):
        with styled():
            name, figure = next(iter(figures(load_results("made", lake))))
            (tmp_path / again).mkdir()
            saved.append([p.read_bytes() for p in save(figure, tmp_path / again / name)])
    assert saved[0] == saved[1]
