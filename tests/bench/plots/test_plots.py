"""Figures: what is drawn and how it is labelled, that files are small and the same every time."""

import numpy as np
import pytest

from bench.analysis.frame import tidy
from bench.analysis.results import Results
from bench.plots import figures, undrawn, write_plots
from bench.plots.drawing import Drawing
from bench.plots.gap_over_time import CEILING, FLOOR, MOST_POINTS, gap_curve
from bench.plots.over_cost import MOST_BRIGHT, _focused
from bench.plots.style import FILE_TYPES, PALE, method_styles, save, styled
from bench.plots.time_and_value import LABEL, label_levels, value_window, why_missing
from tests.bench.drawn import drawn, texts
from tests.bench.made_rows import row, solved, store

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
        bounds = row(k=k, solver="dips", value=-0.02, lower=-0.07)
        made.append(bounds)
        details[bounds.key] = {"trace": trace, "plans": {}}
    made.append(row(k=0.01, solver="julia-fib", status="crashed", reason="segmentation fault"))
    return store(tmp_path_factory.mktemp("lake"), *made, details=details)


@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    """Made-up certificates of the two-state problem, settled from N = 2."""
    made, details = [], {}
    for N in range(5):
        line = row("two-state", 0.25, "truncation", value=1.0, options={"depth": N})
        made.append(line)
        details[line.key] = {
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


def test_a_suite_gets_every_figure_it_has_data_for(lake):
    assert set(drawn(lake)) == {
        *("value-over-cost", "sensing-rate", "gap-over-cost"),
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
        expected = {"DIPS (ours)"} if name.startswith("gap") else {"ATM", "SPI", "Always sense"}
        assert expected <= labels, name
        assert any("(s)" in w or "sensing cost" in w or "share" in w for w in words), name


def test_the_band_lies_between_the_best_value_and_the_bound(lake):
    ax = drawn(lake)["value-over-cost"].axes[0]
    (band,) = ax.collections
    frame = Results.load("made", lake).frame
    heights = band.get_paths()[0].vertices[:, 1]
    assert heights.max() == pytest.approx(frame["shown_bound"].max())
    assert heights.min() == pytest.approx(frame.groupby("k")["shown"].max().min())


def test_without_a_bound_there_is_no_band_and_every_value_is_shown(tmp_path):
    made = [row(k=k, value=v) for k, v in zip(COSTS, (-0.06, -0.05, -0.02, 0.0), strict=True)]
    made += [
        row(k=k, value=v, solver="atm") for k, v in zip(COSTS[:2], (-0.07, -0.06), strict=True)
    ]
    figure = drawn(store(tmp_path, *made))["value-over-cost"]
    assert not any("proven" in words for words in texts(figure))
    low, high = figure.axes[0].get_ylim()
    for line in figure.axes[0].lines:
        assert low < min(line.get_ydata()) <= max(line.get_ydata()) < high


def test_sensing_rates_are_shares(lake):
    ax = drawn(lake)["sensing-rate"].axes[0]
    for line in ax.lines:
        y = np.asarray(line.get_ydata(), float)
        assert ((y >= 0) & (y <= 1)).all()
    always = next(line for line in ax.lines if line.get_label() == "Always sense")
    assert np.allclose(always.get_ydata(), 1.0)


def test_gaps_over_cost_stay_on_their_axis_and_are_the_frames(lake):
    ax = drawn(lake)["gap-over-cost"].axes[0]
    frame = Results.load("made", lake).frame
    for line in ax.lines:
        expected = frame[frame["method"] == line.get_label()].sort_values("k")["gap"]
        assert list(line.get_ydata()) == pytest.approx(list(expected.clip(FLOOR, CEILING)))
        assert ax.get_ylim()[0] < min(line.get_ydata()) <= max(line.get_ydata()) < ax.get_ylim()[1]


def test_the_legend_tells_which_methods_have_no_value_and_why(lake):
    assert "FIB (Julia): crashed" in texts(drawn(lake)["time-and-value-frozen-lake-4x4"])
    lines = [row(k=k, status="memory", reason="out of memory") for k in (0.01, 0.05)]
    some = tidy([row(k=0.001, value=-0.02), *lines])
    assert why_missing(some) == " (k = 0.01, 0.05: memory)"
    assert why_missing(some[some["failure"] == ""]) == ""


def test_gap_curve_only_falls_and_stays_short():
    trace = [[0.1 * i, -5 + min(i, 300) * 0.01, -1 - 0.001 * i] for i in range(400)]
    t, gap = gap_curve([*trace, [50.0, -7.0, -1.0], [60.0, None, -1.0]], -9.0, 0.0)
    assert len(t) <= MOST_POINTS + 2
    assert (np.diff(t) > 0).all()
    assert (np.diff(gap) <= 0).all()
    assert gap[0] == pytest.approx(4.0)
    assert ((gap >= FLOOR) & (gap <= CEILING)).all()
    assert len(gap_curve([], -1.0, 0.0)[0]) == 0


def test_a_method_with_one_bound_in_time_is_a_marker_beside_the_curves(tmp_path):
    many = row(solver="dips", value=-0.02, lower=-0.03)
    one = row(solver="pbvi", value=-0.02, lower=-0.03)
    alone = row(solver="pbvi", value=-0.02, lower=-0.03, k=0.05)
    traces = {many.key: [[0.1, -0.04, -0.01], [1.0, -0.03, -0.02]]}
    traces |= {only.key: [[2.0, -0.03, -0.02]] for only in (one, alone)}
    details = {key: {"trace": trace, "plans": {}} for key, trace in traces.items()}
    figure = drawn(store(tmp_path, many, one, alone, details=details))
    (ax,) = figure["gap-over-time-frozen-lake-4x4"].axes  # a panel needs a curve
    assert sorted(len(line.get_xdata()) for line in ax.lines) == [1, 2]


def test_a_bound_alone_is_measured_against_the_best_value():
    t, gap = gap_curve([[1.0, -4.0, None], [2.0, -3.0, None]], -9.0, -2.0)
    assert list(t) == [1.0, 2.0]
    assert list(gap) == [1.0, 0.5]


def test_far_off_values_stand_on_the_edge():
    frame = tidy(
        [
            *(row(solver=s, value=v) for s, v in (("spi", -0.020), ("atm", -0.019))),
            *(row(solver=s, value=v) for s, v in (("dips", -0.0195), ("always-sense", 0.4))),
        ]
    )
    low, high, outside = value_window(frame)
    assert list(frame["method"][outside]) == ["Always sense"]
    inside = frame["shown"][~outside]
    assert low < inside.min()
    assert inside.max() < high


def test_rounding_is_not_drawn_as_a_difference():
    values = (("spi", -0.02), ("atm", -0.02 - 1e-16), ("dips", -0.02 + 1e-16))
    low, high, outside = value_window(tidy([row(solver=s, value=v) for s, v in values]))
    assert not outside.any()
    assert low < 20 < high
    assert high - low > 0.02  # two units of the last digit that tables print


def test_values_on_the_edge_are_written_apart_and_no_line_crosses_one():
    chance = np.random.default_rng(0)
    for _ in range(300):
        places = sorted(chance.uniform(0, 1 - LABEL, chance.integers(1, 9)))
        written = list(zip(places, label_levels(places), strict=True))
        for left, (place, level) in enumerate(written):
            for other, its_level in written[left + 1 :]:
                if other < place + LABEL:
                    assert its_level < level


def test_a_simulated_value_is_never_moved_to_the_edge():
    frame = tidy(
        [
            *(row(solver=s, value=v) for s, v in (("spi", -0.020), ("atm", -0.019))),
            *(row(solver=s, value=v) for s, v in (("dips", -0.0195), ("always-sense", 0.4))),
            row(solver="pomcp", value=-0.002, standard_error=0.001),
        ]
    )
    _, _, outside = value_window(frame)
    assert list(frame["method"][outside]) == ["Always sense"]


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


def test_no_two_methods_look_the_same_even_in_grey():
    solvers = ["spi", "atm", "fib", "julia-fib", "dips", "julia-sarsop", "mine", "yours", "pbvi"]
    solvers += ["julia-sarsop-structured"]
    styles = method_styles(tidy([row(solver=s, value=0.1) for s in solvers])).values()
    assert len({(s.marker, str(s.line), s.fill) for s in styles}) == len(solvers)
    assert len({(s.marker, s.fill) for s in styles}) == len(solvers)  # points have no line


def test_files_are_small_and_old_ones_go(lake):
    stale = lake / "made" / "figures" / "old.png"
    stale.parent.mkdir(exist_ok=True)
    stale.write_bytes(b"")
    written = write_plots(Results.load("made", lake))
    assert sorted(p.suffix for p in written) == sorted(FILE_TYPES * 6)
    assert max(p.stat().st_size for p in written if p.suffix == ".svg") < MOST_BYTES
    assert {p.name for p in stale.parent.iterdir()} == {p.name for p in written} | {"drawn.json"}


def test_what_is_drawn_already_is_not_drawn_again(certificates):
    written = write_plots(Results.load("certificates", certificates))
    written[0].write_bytes(b"kept")
    assert write_plots(Results.load("certificates", certificates)) == written
    assert written[0].read_bytes() == b"kept"
    with open(certificates / "certificates" / "rows.csv", "a") as rows:
        rows.write("\n")
    write_plots(Results.load("certificates", certificates))
    assert written[0].read_bytes() != b"kept"


def test_files_are_the_same_every_time(lake, tmp_path):
    saved = []
    for again in ("one", "two"):
        with styled():
            name, figure = next(iter(figures(Drawing.of(Results.load("made", lake)))))
            (tmp_path / again).mkdir()
            saved.append([p.read_bytes() for p in save(figure, tmp_path / again / name)])
    assert saved[0] == saved[1]


def test_a_curve_of_gaps_ends_where_the_other_figures_have_the_gap():
    weak = [[1.0, -9.0, 3.0], [2.0, -8.0, 2.0]]
    _, gap = gap_curve(weak, lower_known=1.0, upper_known=2.0)
    assert gap[-1] == pytest.approx(0.5)  # (2 - 1) / 2, as the frame has it
    own = [[1.0, 0.5, 3.0], [2.0, 1.0, 2.0]]
    assert gap_curve(own, 1.0, 2.0)[1] == pytest.approx([2.5 / 3, 0.5])
    bounds = [[1.0, 0.5, None], [2.0, 0.8, None]]
    assert gap_curve(bounds, 1.0, 2.0)[1] == pytest.approx([0.75, 0.6])


def test_few_curves_of_gaps_keep_their_colour(lake):
    drawing = Drawing.of(Results.load("made", lake))
    bright = [s for s in _focused(drawing).styles.values() if s.colour != PALE]
    assert 0 < len(bright) <= MOST_BRIGHT


def test_pale_curves_lie_behind_the_others(tmp_path):
    solvers = ["spi", "atm", "fib", "dips", "pbvi", "qmdp", "hold", "always-sense"]
    made = [
        row(k=k, solver=s, value=-0.02 + 0.001 * i, lower=-0.03)
        for i, s in enumerate(solvers)
        for k in COSTS
    ]
    lines = drawn(store(tmp_path, *made))["gap-over-cost"].axes[0].lines
    pale = [line.zorder for line in lines if line.get_color() == PALE]
    bright = [line.zorder for line in lines if line.get_color() != PALE]
    assert len(pale) == len(solvers) - MOST_BRIGHT
    assert max(pale) < min(bright)


def test_what_is_not_drawn_says_what_it_needs(lake):
    written = write_plots(Results.load("made", lake))
    missing = [line.split(" ")[0] for line in undrawn(written)]
    drawn = {path.stem for path in written}
    assert all(not any(name.startswith(family) for name in drawn) for family in missing)
    assert undrawn([]) and all("it needs" in line for line in undrawn([]))
