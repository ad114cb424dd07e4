"""The comments that only our own ``.pomdp`` files have: one with names, one at the end.

The first, ``# sensebench-names: {…}``, is JSON: ``name``, ``state_names`` and ``action_names``, the
number of ``entries`` of each kind, and ``last_line``, the comment that the file ends with.  The
format itself takes a missing reward for 0 and cannot tell -0.25 from -0.2 with its last digit lost;
with the counts and the last line a file that was cut is refused.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from solvers.core.validation import ModelError

NAMES_MARK = "# sensebench-names:"
LAST_LINE = "# sensebench-end"
HEAD = 100
"""Lines among which the names are looked for."""
TAIL = 1000
"""Bytes among which the last line is looked for; whitespace may follow it."""


def names_line(names: dict[str, Any], entries: dict[str, int]) -> str:
    """The comment with these names and counts, for a file that ends with ``LAST_LINE``."""
    said = {**names, "entries": entries, "last_line": LAST_LINE}
    return f"{NAMES_MARK} {json.dumps(said)}"


def read_comment(path: Path) -> dict[str, Any] | None:
    """What the comment with names says, without ``last_line``; None if there is no such comment.

    A file that lacks the last line it announces is refused.  One that cannot be read at all has no
    comment here: the parser says what is wrong with it.
    """
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            lines = [line for _, line in zip(range(HEAD), file, strict=False)]
    except OSError:
        return None
    found = [line for line in lines if line.startswith(NAMES_MARK)]
    if not found:
        return None
    try:
        said = json.loads(found[0][len(NAMES_MARK) :])
    except (ValueError, RecursionError) as error:
        raise ModelError(f"{path}: the line '{NAMES_MARK}' is not JSON: {error}") from None
    if not isinstance(said, dict) or len(found) > 1:
        raise ModelError(f"{path}: expected one line '{NAMES_MARK}' with a JSON object")
    if "last_line" in said and said.pop("last_line") != _last_line(path):
        raise ModelError(
            f"{path} does not end with its line '{LAST_LINE}': it was cut or changed; export it "
            f"again, or delete the line '{NAMES_MARK}' to have it read as it is"
        )
    return said


def names_in(
    path: Path, comment: dict[str, Any], counts: dict[str, int], states: int, actions: int
) -> dict[str, Any]:
    """The names of a comment, checked against the file: its entries, states and blind actions."""
    counted = comment.pop("entries", None)
    if counted is not None and counted != counts:
        raise ModelError(
            f"{path} has {_told(counts)}, and its line '{NAMES_MARK}' says "
            f"{_told(counted)}: it was cut or changed; delete that line to have it read as it is"
        )
    wanted = {"state_names": states, "action_names": actions}
    right = comment.keys() == {"name", *wanted} and isinstance(comment["name"], str)
    for key, size in wanted.items():
        listed = comment.get(key)
        right &= isinstance(listed, list) and len(listed) == size
        right = right and all(isinstance(x, str) for x in listed)
    if not right:
        raise ModelError(
            f"{path}: the line '{NAMES_MARK}' does not hold a name, {states} state_names and "
            f"{actions} action_names"
        )
    return comment


def _last_line(path: Path) -> str:
    with open(path, "rb") as file:
        file.seek(0, os.SEEK_END)
        file.seek(max(0, file.tell() - TAIL))
        return file.read().rstrip().rpartition(b"\n")[2].decode("utf-8", "replace")


def _told(counts: object) -> str:
    if not isinstance(counts, dict):
        return repr(counts)[:60]
    return ", ".join(f"{n} {word}: lines" for word, n in counts.items())
