"""A table in LaTeX: floats that need only booktabs, each short enough for a page."""

from __future__ import annotations

from bench.frame import AS_PUBLISHED, BETTER, WORSE
from bench.table_formats import FAILURE, Block, Entry, Table

SIGNS = {AS_PUBLISHED: "$=$", BETTER: r"$\uparrow$", WORSE: r"$\downarrow$"}
PAGE_LINES = 50
"""Most lines of a float."""


def to_latex(table: Table) -> str:
    r"""``table*`` floats, each short enough for a page, that need only booktabs.

    Best in bold, published values small in brackets; legend and settings in the first caption.
    """
    out = [r"% needs \usepackage{booktabs}"]
    caption = " ".join([table.caption + ".", table.legend, table.settings])
    for blocks in _floats(table.blocks):
        out += [r"\begin{table*}[t]", r"\centering\small", *_latex_tabular(blocks)]
        for i, note in enumerate(table.notes, 1):
            if any(f"[{i}]" in e.text for b in blocks for _, es in b.lines for e in es):
                out.append(rf"\par\noindent{{\footnotesize [{i}] {escape_latex(note)}}}")
        out += [rf"\caption{{{escape_latex(caption)}}}", r"\end{table*}"]
        caption = f"{table.caption} (continued)."
    return "\n".join(out) + "\n"


def _floats(blocks: list[Block]) -> list[list[Block]]:
    """Blocks that go together: as many columns each, and no more lines than a page takes."""
    floats: list[list[Block]] = []
    lines = 0
    for block in blocks:
        size = len(block.lines) + len(block.summary) + 3
        same = floats and len(floats[-1][0].header) == len(block.header)
        if same and lines + size <= PAGE_LINES:
            floats[-1].append(block)
            lines += size
        else:
            floats.append([block])
            lines = size
    return floats


def _latex_tabular(blocks: list[Block]) -> list[str]:
    columns = len(blocks[0].header)
    under = rf"\cmidrule(l){{2-{columns}}}"
    out = [rf"\begin{{tabular}}{{@{{}}l{'r' * (columns - 1)}@{{}}}}", r"\toprule"]
    for i, block in enumerate(blocks):
        out += [r"\midrule"] if i else []
        unit = f" ({escape_latex(block.unit)})" if block.unit else ""
        title = rf"\textbf{{{escape_latex(block.title)}}}{unit}"
        out.append(rf"\multicolumn{{{columns}}}{{@{{}}l@{{}}}}{{{title}}} \\")
        out.append(_latex_line([escape_latex(h) for h in block.header], columns))
        out.append(under)
        for j, (name, entries) in enumerate(block.lines + block.summary):
            out += [under] if j == len(block.lines) else []
            used = 1 + sum(e.span for e in entries)
            cells = [escape_latex(name), *(_latex(e) for e in entries)]
            out.append(_latex_line(cells, columns - used + len(cells)))
    return [*out, r"\bottomrule", r"\end{tabular}"]


def _latex_line(cells: list[str], columns: int) -> str:
    return " & ".join(cells + [""] * (columns - len(cells))).rstrip() + r" \\"


def _latex(e: Entry) -> str:
    text = escape_latex(e.text)
    if e.best:
        text = rf"\textbf{{{text}}}"
    elif e.kind == FAILURE:
        text = rf"\emph{{{text}}}"
    if e.beside:
        sign = f" {SIGNS[e.flag]}" if e.flag else ""
        text += rf" {{\scriptsize ({escape_latex(e.beside)}{sign})}}"
    return text if e.span == 1 else rf"\multicolumn{{{e.span}}}{{l}}{{{text}}}"


LATEX = {
    **{c: "\\" + c for c in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": "$<$",
    ">": "$>$",
    "×": r"$\times$",
    "≤": r"$\le$",
    "≥": r"$\ge$",
    "±": r"$\pm$",
    "α": r"$\alpha$",
    "ε": r"$\varepsilon$",
    "−": "$-$",
    "³": "$^3$",
    "…": r"\dots{}",
}


def escape_latex(text: str) -> str:
    """Text that LaTeX prints as it stands; a minus before a digit is set as one."""
    escaped = "".join(LATEX.get(c, c) for c in text)
    return "$-$" + escaped[1:] if text.startswith("-") and text[1:2].isdigit() else escaped
