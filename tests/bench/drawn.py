"""Figures drawn for tests, and the words on them."""

from matplotlib.figure import Figure

from bench.analysis.results import Results
from bench.plots import figures
from bench.plots.drawing import Drawing
from bench.plots.style import styled


def drawn(results, suite="made") -> dict[str, Figure]:
    with styled():
        return dict(figures(Drawing.of(Results.load(suite, results))))


def texts(figure: Figure) -> set[str]:
    figure.draw_without_rendering()
    return {t.get_text() for t in figure.findobj(lambda x: hasattr(x, "get_text")) if t.get_text()}
