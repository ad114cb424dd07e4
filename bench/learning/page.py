"""A learning suite's page: table and figures in one file that needs nothing else."""

from __future__ import annotations

import html
from pathlib import Path

from bench.learning.figures import draw_figures
from bench.learning.suite import LearningSuite
from bench.learning.table import learning_table
from bench.store.files import write_text
from bench.tables.formats import Block, Entry, Table

CAPTIONS = {
    "regret": "Regret against the proven optimum (median over seeds, band 10 to 90 %)",
    "training-return": "Return of the training episodes; dotted: published",
    "looks": "Looks per step while learning",
}
STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem;
  color: #222; background: #fff }
.wide { overflow-x: auto }
table { border-collapse: collapse; margin: .5rem 0 1.5rem; white-space: nowrap }
th, td { padding: .2rem .8rem .2rem 0; text-align: right; border-bottom: 1px solid #ddd }
th:first-child, td:first-child { text-align: left }
small { color: #666 } svg { max-width: 100%; height: auto }
"""


def write_page(suite: LearningSuite, results: Path) -> Path:
    """Draw the figures and write ``report.html``; returns its path."""
    drawn = {path.stem: path for path in draw_figures(suite, results) if path.suffix == ".svg"}
    path = Path(results) / suite.name / "report.html"
    write_text(path, _page(learning_table(suite, results), suite, drawn))
    return path


def _page(table: Table, suite: LearningSuite, drawn: dict[str, Path]) -> str:
    figures = [
        f"<h2>{html.escape(words)}</h2>\n{_inline(drawn[name])}" for name, words in CAPTIONS.items()
    ]
    notes = [f"<p><small>{html.escape(text)}</small></p>" for text in table.notes]
    legend = html.escape(table.legend.format(best="in bold", better="+", worse="-"))
    return "\n".join(
        [
            f'<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
            f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>{html.escape(table.caption)}</title>\n<style>{STYLE}</style>",
            f"<h1>{html.escape(table.caption)}</h1>\n<p>{html.escape(suite.description)}</p>",
            *figures,
            "<h2>Table</h2>",
            *(_block(block) for block in table.blocks),
            *notes,
            f"<p><small>{legend} {html.escape(table.settings)}</small></p>\n</html>\n",
        ]
    )


def _inline(path: Path) -> str:
    """The drawing without the XML head, which does not belong inside a page."""
    text = path.read_text(encoding="utf-8")
    return text[text.index("<svg") :]


def _block(block: Block) -> str:
    head = "".join(f"<th>{html.escape(name)}</th>" for name in block.header)
    rows = [
        f"<tr><td>{html.escape(name)}</td>{''.join(_cell(e) for e in entries)}</tr>"
        for name, entries in block.lines
    ]
    title = f"<h3>{html.escape(block.title)}</h3>\n<p>{html.escape(block.unit)}</p>"
    return f'{title}\n<div class="wide"><table><tr>{head}</tr>\n{chr(10).join(rows)}</table></div>'


def _cell(entry: Entry) -> str:
    text = html.escape(entry.text)
    text = f"<b>{text}</b>" if entry.best else text
    beside = f" <small>({html.escape(entry.beside)})</small>" if entry.beside else ""
    return f'<td colspan="{entry.span}">{text}{beside}</td>'
