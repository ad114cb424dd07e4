"""Text from outside, made safe to print: a solver's reason, a file's names, an error's message."""

from __future__ import annotations

import unicodedata

LINE_BREAKS = "\n\r\t\v\f\x85\u2028\u2029"
UNSEEN = {"Cc", "Cf", "Cs", "Co"}
"""Unicode categories that print as nothing or act on the terminal: controls, direction marks."""


def printable(text: str) -> str:
    """The text with every character that could act on a terminal written out: ``\\x1b``."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_safe(c) for c in text)


def one_line(text: str) -> str:
    """The same on one line, spaces and line breaks run together."""
    for c in LINE_BREAKS:
        text = text.replace(c, " ")
    return " ".join(printable(text).split())


def _safe(c: str) -> str:
    if c == "\n" or unicodedata.category(c) not in UNSEEN:
        return c
    code = ord(c)
    return (
        f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 65536 else f"\\U{code:08x}"
    )
