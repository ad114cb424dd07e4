"""A table in LaTeX: floats that need booktabs and graphicx, each short enough for a page.

A value and what stands beside it (published value, standard error, mark of a note) are two columns
of the tabular, so that values line up whether or not there is something beside them.  Written by
hand: the writer of pandas knows neither such pairs nor a float per page with its own notes.
"""

from __future__ import annotations

import re

from bench.analysis.frame import AS_PUBLISHED, BETTER, WORSE
from bench.tables.formats import FAILURE, Block, Entry, Table, placed

SIGNS = {AS_PUBLISHED: "$=$", BETTER: r"$\uparrow$", WORSE: r"$\downarrow$"}
LEGEND = {"best": "in bold", "better": "↑", "worse": "↓"}
PAGE_LINES = 50
"""Most lines of a float."""
FIT = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"
"""Shrinks what is wider than the page, and nothing else."""
PARTS = re.compile(r"(.*?)(?: (±\S+))?(?: \[(\d+)\])?")
"""A cell's text: value, standard error, number of its note."""


def to_latex(table: Table) -> str:
    """``table*`` floats; best in bold, published values small in brackets beside ours.

    Legend and settings stand in the first caption, notes below the float that refers to them.
    """
    out = [r"% needs \usepackage{booktabs,graphicx}"]
    legend = table.legend.format(**LEGEND)
    caption = f"{table.caption}. {legend} {table.settings}"
    name = "tab:" + re.sub(r"[^A-Za-z0-9]+", "-", table.name)
    for number, blocks in enumerate(_floats(table.blocks), 1):
        label = name if number == 1 else f"{name}-{number}"
        out += [r"\begin{table*}[t]", r"\centering\small\setlength{\tabcolsep}{4pt}"]
        out += [rf"\caption{{{escape_latex(caption)}}}", rf"\label{{{label}}}", r"\medskip"]
        out += [FIT, *_tabular(blocks), "}", *_notes(table, blocks), r"\end{table*}"]
        caption = f"{table.caption} (continued)."
    return "\n".join(out) + "\n"


def _notes(table: Table, blocks: list[Block]) -> list[str]:
    texts = [e.text for block in blocks for _, entries in block.lines for e in entries]
    used = [i for i in range(1, len(table.notes) + 1) if any(t.endswith(f"[{i}]") for t in texts)]
    notes = [f"$^{{{i}}}$ {escape_latex(table.notes[i - 1])}" for i in used]
    return [rf"\par\smallskip{{\footnotesize {note}\par}}" for note in notes]


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


def _tabular(blocks: list[Block]) -> list[str]:
    widths = _widths(blocks)
    left = blocks[0].words
    kinds = ["r@{\\,}l" if w == 2 else "l" if c in left else "r" for c, w in enumerate(widths)]
    columns = 1 + sum(widths)
    rule = rf"\cmidrule(l){{2-{columns}}}"
    room = _characters(blocks)
    out = [rf"\begin{{tabular}}{{@{{}}l{''.join(kinds)}@{{}}}}", r"\toprule"]
    for i, block in enumerate(blocks):
        out += [r"\midrule"] if i else []
        for text in _titles(block, room):
            out.append(rf"\multicolumn{{{columns}}}{{@{{}}l@{{}}}}{{{text}}} \\")
        heads = [escape_latex(h) for h in block.header]
        for c, width in enumerate(widths, 1):
            heads[c] = rf"\multicolumn{{2}}{{c}}{{{heads[c]}}}" if width == 2 else heads[c]
        out += [_line(heads), rule]
        for j, (name, entries) in enumerate(block.lines + block.summary):
            out += [rule] if j == len(block.lines) else []
            out.append(_line([escape_latex(name), *_cells(entries, widths)]))
    return [*out, r"\bottomrule", r"\end{tabular}"]


def _titles(block: Block, room: int) -> list[str]:
    """Title and unit on one line, or on two where the table is too narrow for both."""
    title = rf"\textbf{{{escape_latex(block.title)}}}"
    if not block.unit:
        return [title]
    if len(block.title) + len(block.unit) < room:
        return [f"{title} ({escape_latex(block.unit)})"]
    return [title, rf"\footnotesize {escape_latex(block.unit)}"]


def _widths(blocks: list[Block]) -> list[int]:
    """How many columns of the tabular each column after the first takes: 2 with things beside."""
    widths = [1] * (len(blocks[0].header) - 1)
    for block in blocks:
        for _, entries in block.lines + block.summary:
            for at, e in placed(entries):
                if e.span == 1 and e.kind != FAILURE and (e.beside or " ±" in e.text):
                    widths[at] = 2
    return widths


def _characters(blocks: list[Block]) -> int:
    """About how many characters wide the table is."""
    lines = [line for block in blocks for line in block.lines + block.summary]
    longest = [0] * (len(blocks[0].header) - 1)
    for _, entries in lines:
        for at, e in placed(entries):
            size = 2 + len(e.text) + len(e.beside)
            longest[at] = max(longest[at], size if e.span == 1 else 0)
    return max(len(name) for name, _ in lines) + sum(longest)


def _line(cells: list[str]) -> str:
    return " & ".join(cells).rstrip() + r" \\"


def _cells(entries: list[Entry], widths: list[int]) -> list[str]:
    return [_cell(e, sum(widths[at : at + e.span])) for at, e in placed(entries)]


def _cell(e: Entry, width: int) -> str:
    """An entry as ``width`` columns of the tabular."""
    main, error, note = PARTS.fullmatch(e.text).groups()
    text, mark = escape_latex(main), f"$^{{{note}}}$" if note else ""
    if e.kind == FAILURE:
        text = rf"\emph{{{text}}}{mark}"
        return text if width == 1 else rf"\multicolumn{{{width}}}{{c}}{{{text}}}"
    text = rf"\textbf{{{text}}}" if e.best else text
    if width == 1:
        return text + (rf"\rlap{{{mark}}}" if mark else "")
    beside = [mark, rf"$\pm\,${error[1:]}" if error else ""]
    if e.beside:
        sign = f" {SIGNS[e.flag]}" if e.flag else ""
        beside.append(rf"{{\scriptsize ({escape_latex(e.beside)}{sign})}}")
    return f"{text} & {' '.join(part for part in beside if part)}"


NUMBER = r"\d+(?:\.\d+)?"
POWER = re.compile(rf"({NUMBER})e([-+]\d+)")
MATHS = re.compile(
    rf"(?<!\w)[kNn] ?= ?{NUMBER}(?:e[-+]\d+)?|ε_N|V\(\d+\)"  # what the tables call things
    rf"|(?<![\w.]){NUMBER}e[-+]\d+|(?<![\w-])-(?=\d)"  # powers of ten, and a minus
)
LATEX = {
    **{c: "\\" + c for c in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": "$<$",
    ">": "$>$",
    "|": "$|$",
    "×": r"$\times$",
    "≤": r"$\le$",
    "≥": r"$\ge$",
    "±": r"$\pm$",
    "α": r"$\alpha$",
    "ε": r"$\varepsilon$",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    "→": r"$\to$",
    "∞": r"$\infty$",
    "−": "$-$",
    "–": "--",
    "‘": "`",
    "’": "'",
    "“": "``",
    "”": "''",
    "³": "$^3$",
    "…": r"\dots{}",
}


def escape_latex(text: str) -> str:
    """Text that LaTeX prints as it stands; numbers and symbols that are mathematics set as such."""
    out, end = "", 0
    for found in MATHS.finditer(text):
        out += _plain(text[end : found.start()]) + f"${_formula(found.group())}$"
        end = found.end()
    return out + _plain(text[end:])


def _formula(text: str) -> str:
    text = POWER.sub(lambda m: rf"{m[1]}\times10^{{{int(m[2])}}}", text)
    return text.replace("ε", r"\varepsilon")


def _plain(text: str) -> str:
    # Latin letters are set up in every LaTeX; an unknown sign would stop it.
    return "".join(LATEX.get(c, c if c < "\u0180" else "?") for c in text)
