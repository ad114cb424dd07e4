"""The LaTeX table: columns that add up, names that cannot break it, and a page it fits on."""

import re
import shutil
import subprocess

import pytest

from bench.analysis.results import Results
from bench.tables.latex import escape_latex
from bench.tables.tables import render
from tests.bench.made_rows import row, solved, store

LATEX = shutil.which("pdflatex")
DOCUMENT = r"""
\documentclass{article}
\usepackage[margin=1in]{geometry}
%s
\begin{document}
\input{table}
\end{document}
"""
MOST_OVERFULL = 1.0
NASTY = r"my_50%|odd \name{x} #1 ~ ^ $ & <é> → 数"


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """A table wider than a page, with all that a cell can hold, and certificates by depth."""
    made = []
    for k, published in zip((0.001, 0.005, 0.01, 0.05), (62.42, 36.53, 23.08, 23.08), strict=True):
        value = -published / 1000
        made += [
            row(k=k, solver="spi", value=value, lower=value),
            row(k=k, solver="julia-sarsop", value=value, options={"reward_scale": 1000.0}),
            row(k=k, solver="pomcp", value=-0.0191, standard_error=0.0021, note="bounds cross"),
            row(k=k, solver="julia-fib", status="skipped", reason="skipped: Julia is not set up"),
            row(k=k, solver="delayed-information", lower=0.0012),
            row(k=k, solver="mine", label=NASTY + " and a long name besides", value=0.0),
        ]
    reason = NASTY + " that is told at length in a note"
    made.append(row(k=0.001, solver="fib", status="failed", reason=reason))
    details = {}
    for depth in range(4):
        line, content = solved("two-state", 0.25, "truncation", depth=depth)
        info = {"epsilon": 10.0**-depth / 3, "depth_bound": 0.5**depth}
        info |= {"one_step": [True, depth > 1], "settled": [False, depth > 2]}
        content[line.key]["info"] = info
        made.append(line)
        details |= content
    return store(tmp_path_factory.mktemp("latex"), *made, details=details)


def test_lines_have_equal_columns_and_braces_close(results):
    text = render(Results.load("made", results), "latex")
    bare = re.sub(r"\\[{}&%$#_]", "", text)
    assert bare.count("{") == bare.count("}")
    assert bare.count("$") % 2 == 0
    tables = re.findall(r"\\begin\{tabular\}(.*?)\n(.*?)\\end\{tabular\}", bare, re.DOTALL)
    assert len(tables) >= 2
    for specification, body in tables:
        columns = len(re.findall("[lr]", re.sub(r"@\{.*?\}", "", specification)))
        for line in body.splitlines():
            if line.endswith(r"\\"):
                spans = sum(int(n) - 1 for n in re.findall(r"\\multicolumn\{(\d+)\}", line))
                assert line.count("&") + spans + 1 == columns, line


def test_what_stands_beside_a_value_has_its_own_column(results):
    text = render(Results.load("made", results), "latex")
    assert r"\textbf{23.08} & {\scriptsize (20.99 $\uparrow$)}" in text
    assert r"19.10 & $^{1}$ $\pm\,$2.10" in text
    assert r"$\le$ $-$1.20 &" in text
    assert r"\multicolumn{8}{c}{\emph{skipped: Julia is not set up}}" in text
    assert r"\emph{failed}$^{2}$" in text


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("≤ -0.277", r"$\le$ $-$0.277"),
        ("k = 0.005", "$k = 0.005$"),
        ("k = 1e-05", r"$k = 1\times10^{-5}$"),
        ("Truncation N=3", "Truncation $N=3$"),
        ("SPI-2, link=3", "SPI-2, link=3"),
        ("ε_N", r"$\varepsilon_N$"),
        ("4.9e-04", r"$4.9\times10^{-4}$"),
        ("commit 1e4ea6e-523", "commit 1e4ea6e-523"),
    ],
)
def test_mathematics_is_set_as_such(text, latex):
    assert escape_latex(text) == latex


@pytest.mark.skipif(LATEX is None, reason="no pdflatex here: install texlive-latex-base")
def test_it_compiles_with_the_packages_it_names_and_fits_the_page(results, tmp_path):
    text = render(Results.load("made", results), "latex")
    packages = text.splitlines()[0].removeprefix("% needs ")
    (tmp_path / "table.tex").write_text(text, encoding="utf-8")
    (tmp_path / "paper.tex").write_text(DOCUMENT % packages, encoding="utf-8")
    command = [LATEX, "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace")
    assert done.returncode == 0, done.stdout[-2000:]
    assert (tmp_path / "paper.pdf").is_file()
    too_wide = re.findall(r"Overfull \\hbox \(([\d.]+)pt too wide\)", done.stdout)
    assert max(map(float, too_wide), default=0.0) <= MOST_OVERFULL, done.stdout[-2000:]
    assert "Float too large" not in done.stdout
