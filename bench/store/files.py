"""Files written whole or not at all: beside their place first, then renamed into it."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.store.result import StoreError
from solvers.core.whole_file import written_whole


@contextlib.contextmanager
def written_beside(path: Path) -> Iterator[Path]:
    """A temporary path to write to, renamed to ``path`` if all goes well, removed if not."""
    try:
        with written_whole(path) as temporary:
            yield temporary
    except OSError as error:
        raise StoreError(f"cannot write {path}: {error.strerror or error}") from None


def write_text(path: Path, text: str) -> None:
    """Write a text whole or not at all."""
    with written_beside(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="")


def write_json(path: Path, content: Any, indent: int | None) -> None:
    """Write JSON whole or not at all."""
    separators = (",", ":") if indent is None else None
    text = json.dumps(content, indent=indent, separators=separators, allow_nan=False)
    write_text(path, text + "\n")
