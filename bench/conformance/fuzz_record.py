"""The counts of a fuzz campaign, as a JSON file; the files of shards merge into one record."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.run import environment
from bench.store.files import write_json

KEPT = 40
"""Failures kept with a script, at most; all of them are counted."""
COUNTERS = ("runs", "refused", "labels", "counts")
PART = ("seed", "first", "done", "seconds", "counts", "code")


@dataclass
class Campaign:
    """Cases ``first`` … ``first + done - 1`` of a seed, and what came of them.

    seconds : of CPU time; runs : by solver; refused : problems a solver said it cannot take;
    labels : cases by kind; counts : failures by kind and solver; failures : with scripts;
    code : version, commit and machine
    """

    seed: int
    first: int = 0
    done: int = 0
    seconds: float = 0.0
    runs: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    labels: Counter[str] = field(default_factory=Counter)
    counts: Counter[str] = field(default_factory=Counter)
    failures: list[dict[str, str]] = field(default_factory=list)
    code: dict[str, Any] = field(default_factory=dict)

    def save(self, path: Path) -> None:
        """Write everything as JSON, whole or not at all."""
        write_json(path, vars(self), indent=1)

    @classmethod
    def resume(cls, path: Path, seed: int, first: int = 0) -> Campaign:
        """The campaign of a file if it has this seed and first case, else a new one."""
        if not path.exists():
            return cls(seed, first, code=this_code())
        found = cls.read(path)
        if (found.seed, found.first) != (seed, first):
            held = f"seed {found.seed} from case {found.first}"
            raise ValueError(f"{path} holds the campaign of {held}; use another file")
        if found.code != this_code():
            raise ValueError(f"{path} was made with other code or elsewhere; use another file")
        return found

    @classmethod
    def read(cls, path: Path) -> Campaign:
        """The campaign in a file."""
        stored = _read(path)
        counters = {name: Counter(stored.pop(name, {})) for name in COUNTERS}
        try:
            return cls(**stored, **counters)
        except TypeError as error:
            raise ValueError(f"{path} is no file of one fuzz campaign: {error}") from error


def merge(paths: Sequence[Path], path: Path) -> dict[str, Any]:
    """One record of several campaigns, also written to ``path``; no case may be in it twice."""
    parts = [Campaign.read(p) for p in paths]
    for i, one in enumerate(parts):
        for p, other in zip(paths[:i], parts, strict=False):
            apart = one.first >= other.first + other.done or other.first >= one.first + one.done
            if one.seed == other.seed and one.code == other.code and not apart:
                raise ValueError(f"{paths[i]} and {p} have cases in common")
    totals: dict[str, Counter[str]] = {name: Counter() for name in COUNTERS}
    for part in parts:
        for name in COUNTERS:
            totals[name].update(getattr(part, name))
    record = {
        "cases": sum(part.done for part in parts),
        "seconds": round(sum(part.seconds for part in parts), 1),
        **{name: dict(sorted(totals[name].items())) for name in COUNTERS},
        "failures": [failure for part in parts for failure in part.failures][:KEPT],
        "parts": [{name: getattr(part, name) for name in PART} for part in parts],
    }
    write_json(path, record, indent=1)
    return record


def this_code() -> dict[str, Any]:
    """What code this is and where it runs."""
    global _code
    if _code is None:
        _code = environment.describe(1)
    return _code


_code: dict[str, Any] | None = None


def _read(path: Path) -> dict[str, Any]:
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ValueError(f"{path} cannot be read: {error}") from error
    if not isinstance(stored, dict):
        raise ValueError(f"{path} is no file of a fuzz campaign")
    return stored
