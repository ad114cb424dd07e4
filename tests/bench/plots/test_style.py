"""Each method of a suite has a look of its own."""

import pandas as pd

from bench.plots.style import method_styles
from bench.suites.suite import load_suite


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
