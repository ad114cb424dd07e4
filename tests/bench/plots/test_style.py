"""Each method of a suite has a look of its own."""

import numpy as np
import pandas as pd
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from bench.analysis.frame import tidy
from bench.plots.style import method_styles
from bench.suites.suite import load_suite
from tests.bench.made_rows import row


def test_no_two_families_of_a_shipped_suite_share_colour_and_marker():
    for name in ("pomdps-jl", "table1", "active-measuring"):
        chosen = load_suite(name).solvers
        frame = pd.DataFrame(
            [{"solver": s.id, "options": dict(s.options), "method": s.label} for s in chosen]
        )
        looks = {}
        for solver, method in zip(frame.solver, frame.method, strict=True):
            style = method_styles(frame)[method]
            family = solver.removeprefix("julia-").removesuffix("-structured")
            looks.setdefault((style.colour, style.marker), set()).add(family)
        assert {look: names for look, names in looks.items() if len(names) > 1} == {}, name


def _painted(*styles):
    """How many pixels the markers of these styles colour, drawn one over the other."""
    figure = Figure(figsize=(1, 1), dpi=200)
    canvas = FigureCanvasAgg(figure)
    ax = figure.add_axes((0, 0, 1, 1))
    ax.set_axis_off()
    for style in styles:
        ax.plot([0.5], [0.5], **style.of_point())
    canvas.draw()
    return int((np.asarray(canvas.buffer_rgba())[..., :3].min(axis=2) < 128).sum())


def test_two_variants_at_the_same_place_are_both_seen():
    """The ring of the second adds to the disc of the first, and does not cover it."""
    made = [row(value=1.0), row(value=1.0, label="spi-best", options={"init": "best"})]
    first, second = method_styles(tidy(made)).values()
    together = _painted(first, second)
    assert together > 1.2 * _painted(first)
    assert together > 1.2 * _painted(second)
