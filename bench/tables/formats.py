"""A table as blocks of cells, and its forms for a terminal and in Markdown.

A :class:`Table` knows nothing of results; a renderer nothing of methods.  What a name or a reason
contains is escaped in one place per format; LaTeX has a file of its own.

The terminal form is laid out by hand: the tables of rich have no cell that spans columns, which a
reason needs, and cannot line up numbers that have something beside them.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, field
from itertools import accumulate

from bench.analysis.frame import AS_PUBLISHED, BETTER, WORSE

WIDTH = 120
"""Most columns of the terminal form."""
FAILURE = "failure"
SIGNS = {AS_PUBLISHED: "=", BETTER: "+", WORSE: "-"}
LEGEND = {"best": "marked *", "better": "+", "worse": "-"}
COLOURS = {BETTER: "\033[32m", WORSE: "\033[33m", FAILURE: "\033[31m"}
BOLD, DIM, RESET = "\033[1m", "\033[2m", "\033[0m"


@dataclass(frozen=True)
class Entry:
    """One cell: ``text``, and in brackets what is ``beside`` it (the published value) with its
    ``flag``; a ``kind`` of FAILURE is words; an entry may span several columns."""

    text: str = ""
    beside: str = ""
    flag: str = ""
    best: bool = False
    kind: str = ""
    span: int = 1


@dataclass(frozen=True)
class Block:
    """A problem's part of a table; ``summary`` lines stand apart below the methods.

    words : columns, counted from 0 after the first, of words: they line up on their left
    """

    title: str
    unit: str
    header: tuple[str, ...]
    lines: list[tuple[str, list[Entry]]]
    summary: list[tuple[str, list[Entry]]] = field(default_factory=list)
    words: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Table:
    """Blocks with a caption above, and notes and settings below.

    legend : has ``{best}``, ``{better}`` and ``{worse}`` where it says how these are marked
    """

    name: str
    caption: str
    blocks: list[Block]
    notes: list[str]
    legend: str
    settings: str


def to_terminal(table: Table, colour: bool = False) -> str:
    """Aligned text of at most WIDTH columns; colour codes only when asked for."""
    out = [_paint(table.caption, BOLD, colour), ""]
    for block in table.blocks:
        out += [*_terminal_block(block, colour), ""]
    for i, note in enumerate(table.notes, 1):
        out += textwrap.wrap(f"[{i}] {note}", WIDTH, subsequent_indent="    ")
    for text in (table.legend.format(**LEGEND), table.settings):
        out += [_paint(line, DIM, colour) for line in textwrap.wrap(text, WIDTH)]
    return "\n".join(out).rstrip() + "\n"


def _terminal_block(block: Block, colour: bool) -> list[str]:
    lines = block.lines + block.summary
    columns = range(len(block.header) - 1)
    cells = [[e for _, entries in lines for c, e in placed(entries) if c == at] for at in columns]
    # Numbers line up on their right end, what is beside them follows; words stand by themselves.
    mains = [max([len(_main(e)) for e in of if _is_number(e)], default=0) for of in cells]
    besides = [max([len(_beside(e)) for e in of if _is_number(e)], default=0) for of in cells]
    words = [
        max([len(e.text) for e in of if e.kind == FAILURE and e.span == 1], default=0)
        for of in cells
    ]
    heads = [h.rjust(m) for h, m in zip(block.header[1:], mains, strict=True)]
    sizes = zip(mains, besides, words, heads, strict=True)
    widths = [max(m + b, w, len(h)) for m, b, w, h in sizes]
    label = max(len(name) for name in (block.header[0], *(name for name, _ in lines)))
    room = WIDTH - sum(widths)
    gap = " " * min(3, max(1, (room - label) // len(widths)))
    label = min(label, room - len(widths) * len(gap))
    names = [block.header[0], *(name for name, _ in lines)]
    names = [n if len(n) <= label else n[: label - 1] + "…" for n in names]
    header = gap.join(
        [names[0].ljust(label), *(h.ljust(w) for h, w in zip(heads, widths, strict=True))]
    )
    rule = "─" * (label + sum(widths) + len(widths) * len(gap))
    title = f"{block.title}: {block.unit}" if block.unit else block.title
    out = [_paint(title, BOLD, colour), header.rstrip(), rule]
    for i, (name, (_, entries)) in enumerate(zip(names[1:], lines, strict=True)):
        if i == len(block.lines):
            out.append(("─ " * (len(rule) // 2)).rstrip())
        parts = [name.ljust(label)]
        for at, e in placed(entries):
            text = _main(e).rjust(mains[at]) + _beside(e) if _is_number(e) else e.text
            width = sum(widths[at : at + e.span]) + (e.span - 1) * len(gap)
            codes = (BOLD if e.best else "") + COLOURS.get(e.kind or e.flag, "")
            parts.append(_paint(text, codes, colour) + " " * (width - len(text)))
        out.append(gap.join(parts).rstrip())
    return out


def placed(entries: list[Entry]) -> list[tuple[int, Entry]]:
    """Each entry with the column it starts in."""
    starts = accumulate([0, *(e.span for e in entries[:-1])])
    return list(zip(starts, entries, strict=True))


def _is_number(e: Entry) -> bool:
    return e.kind != FAILURE and e.span == 1


def _main(e: Entry) -> str:
    return f"*{e.text}" if e.best else e.text


def _beside(e: Entry) -> str:
    if not e.beside:
        return ""
    return f" ({e.beside} {SIGNS[e.flag]})" if e.flag else f" ({e.beside})"


def _paint(text: str, codes: str, colour: bool) -> str:
    return f"{codes}{text}{RESET}" if colour and codes and text else text


def to_markdown(table: Table) -> str:
    """GitHub-flavoured Markdown, a heading and a table per block."""
    out = [f"# {escape_markdown(table.caption)}", ""]
    for block in table.blocks:
        out += [f"## {escape_markdown(block.title)}", ""]
        out += [f"{escape_markdown(block.unit)}", ""] if block.unit else []
        out.append("| " + " | ".join(escape_markdown(h) for h in block.header) + " |")
        sides = [" :-- " if c in block.words else " --: " for c in range(len(block.header) - 1)]
        out.append("|" + "|".join([" :-- ", *sides]) + "|")
        for name, entries in block.lines + block.summary:
            cells = [escape_markdown(name)]
            for e in entries:
                cells += [_markdown(e)] + [""] * (e.span - 1)
            out.append("| " + " | ".join(cells) + " |")
        out.append("")
    out += [f"{i}. {escape_markdown(note)}" for i, note in enumerate(table.notes, 1)]
    legend = table.legend.format(**LEGEND | {"best": "in bold"})
    out += ["", escape_markdown(legend), "", escape_markdown(table.settings)]
    return "\n".join(out).rstrip() + "\n"


def _markdown(e: Entry) -> str:
    text = escape_markdown(e.text)
    if e.best:
        text = f"**{text}**"
    elif e.kind == FAILURE:
        text = f"*{text}*"
    return f"{text} {escape_markdown(_beside(e))}".strip()


def escape_markdown(text: str) -> str:
    """Text that Markdown prints as it stands, inside a table too."""
    text = " ".join(text.split()).replace("\\", "\\\\")
    for special in "|*_`<>[]#":
        text = text.replace(special, "\\" + special)
    return text
