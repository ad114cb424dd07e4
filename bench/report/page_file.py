"""One HTML file out of the pieces in ``page/``: template, styles, scripts and data.

The scripts are ES modules that import one another by name.  A page opened from disk cannot import,
so each becomes a function whose result is its exports, in an order in which every module comes
after those it needs.  Data goes in as JSON in which ``<`` is written ``\\u003c``: no name can end
the script element it stands in.  Joined by hand: a bundler would bring Node and a build step.
"""

from __future__ import annotations

import html
import json
import re
from importlib.resources import files
from typing import Any

IMPORT = re.compile(r'^import (\{[^}]*\}) from "\./(\w+)\.js";\n', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:function|class|const) (\w+))", re.MULTILINE)
PLACE = re.compile(r"\{\{(\w+)\}\}")
STYLES = ("style.css", "table.css", "details.css", "explorer.css", "print.css")


def page_file(title: str, suite_data: Any, policy_data: Any) -> str:
    """The page as one text: no network, no build step, opens from disk."""
    parts = {
        "title": html.escape(title),
        "style": "\n".join(_piece(name) for name in STYLES),
        "script": bundle("main"),
        "suite_data": embedded(suite_data),
        "policy_data": embedded(policy_data),
    }
    # One pass, so that a name like "{{script}}" in the data stays what it is.
    return PLACE.sub(lambda place: parts[place[1]], _piece("template.html"))


def embedded(data: Any) -> str:
    """JSON that may stand inside a script element, whatever the names in it."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c")


def bundle(entry: str) -> str:
    """The script of a module and of all it imports."""
    sources: dict[str, str] = {}
    _collect(entry, sources, ())
    return "\n".join(_as_function(name, text) for name, text in sources.items())


def _collect(name: str, sources: dict[str, str], above: tuple[str, ...]) -> None:
    if name in above:
        raise ValueError(f"scripts import one another in a circle: {' → '.join((*above, name))}")
    if name in sources:
        return
    text = _piece(f"{name}.js")
    for needed in IMPORT.finditer(text):
        _collect(needed[2], sources, (*above, name))
    sources[name] = text


def _as_function(name: str, text: str) -> str:
    exports = ", ".join(EXPORT.findall(text))
    body = EXPORT.sub("", IMPORT.sub(lambda m: f"const {m[1]} = ${m[2]};\n", text))
    return f"const ${name} = (() => {{\n{body}\nreturn {{ {exports} }};\n}})();"


def _piece(name: str) -> str:
    return files("bench.report").joinpath("page", name).read_text(encoding="utf-8")
