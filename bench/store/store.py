"""The result store of one suite: rows, details, environment, locks.

``rows.csv`` is append-only and one process writes at a time (a lock on ``rows.lock``).  A line is
written in one piece and flushed to disk; should a machine die in the middle of it, the torn end is
cut off before the next line is written, so nothing that was whole is ever lost.  Details of a cell
go to ``cells/<key>.json``, written whole and renamed into place before the row.

A cell being worked on is *claimed*: a lock on one byte of ``claims.lock`` that the system itself
lets go when the process ends, however it ends.  Two runs at once share the work.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import secrets
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import psutil

from bench.store import rows

CLAIM_SPACE = 2**60


class StoreError(ValueError):
    """The result directory cannot be used; the message says why and what to do."""


class Store:
    """Results of one suite, given by name or by the path of its file, in ``<results>/<name>/``."""

    def __init__(self, results: Path, suite: str) -> None:
        self.results = Path(results)
        self.directory = self.results / suite_name(suite)
        self.rows_path = self.directory / "rows.csv"
        self._claims: int | None = None

    def create(self) -> None:
        """Make the directories, and the clone's id if it has none."""
        try:
            (self.directory / "cells").mkdir(parents=True, exist_ok=True)
            self.clone = clone_id(self.results)
            self._sweep()
        except OSError as error:
            raise StoreError(f"cannot write results to {self.directory}: {error}") from None

    def _sweep(self) -> None:
        """Remove the half-written files of runs that were killed."""
        for path in self.directory.glob("**/.*.tmp"):
            if not psutil.pid_exists(int(path.name.split(".")[-2])):
                path.unlink(missing_ok=True)

    # ------------------------------------------------------------------ rows
    def read(self) -> list[dict[str, str]]:
        """All whole rows, in the order written, fields as text."""
        if not self.rows_path.exists():
            return []
        return rows.parse(self.rows_path.read_text(encoding="utf-8"))

    def append(self, row: Mapping[str, Any]) -> None:
        """Add one row; cut off a torn last line first."""
        line = rows.to_line(row)
        with self._locked(), open(self.rows_path, "a+b") as file:
            _cut_torn_end(file)
            if file.tell() == 0:
                line = rows.header() + line
            else:
                self._check_header(file)
            file.write(line.encode("utf-8"))
            file.flush()
            os.fsync(file.fileno())

    def _check_header(self, file: Any) -> None:
        end = file.tell()
        file.seek(0)
        found = file.readline().decode("utf-8", "replace")
        file.seek(end)
        if found != rows.header():
            raise StoreError(
                f"{self.rows_path} has the columns of another version; move it away and run again"
            )

    # ------------------------------------------------------------------ details
    def write_details(self, key: str, details: Mapping[str, Any]) -> None:
        """Write ``cells/<key>.json`` whole or not at all."""
        write_json(self.directory / "cells" / f"{key}.json", details, indent=None)

    def read_details(self, key: str) -> dict[str, Any] | None:
        """The details of a cell, or None if there are none."""
        path = self.directory / "cells" / f"{key}.json"
        return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None

    def write_log(self, key: str, text: str) -> None:
        """Keep what a failed cell printed in ``logs/<key>.log``."""
        path = self.directory / "logs" / f"{key}.log"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def record_environment(self, record: Mapping[str, Any]) -> None:
        """Put this clone's record into ``environment.json``, beside those of other clones."""
        path = self.directory / "environment.json"
        with self._locked():
            known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
            known[self.clone] = dict(record)
            write_json(path, known, indent=1)

    # ------------------------------------------------------------------ locks
    def claim(self, key: str) -> bool:
        """Take a cell to work on; False if another run has it."""
        try:
            fcntl.lockf(self._claims_file(), fcntl.LOCK_EX | fcntl.LOCK_NB, 1, _place(key))
        except OSError:
            return False
        return True

    def release(self, key: str) -> None:
        """Let a claimed cell go."""
        fcntl.lockf(self._claims_file(), fcntl.LOCK_UN, 1, _place(key))

    def _claims_file(self) -> int:
        if self._claims is None:
            path = self.directory / "claims.lock"
            self._claims = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        return self._claims

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        with open(self.directory / "rows.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield


def suite_name(suite: str) -> str:
    """The name under which the results of a suite lie, given that name or the suite's file."""
    return Path(suite).stem if suite.endswith(".toml") else suite


def clone_id(results: Path) -> str:
    """The random id of this clone's results, made on first use and never committed."""
    path = results / ".clone"
    if not path.exists():
        temporary = path.with_name(f".clone.{os.getpid()}")
        temporary.write_text(secrets.token_hex(4) + "\n")
        with contextlib.suppress(FileExistsError):
            os.link(temporary, path)  # of two at once one wins
        temporary.unlink()
    return path.read_text().strip()


def write_json(path: Path, content: Any, indent: int | None) -> None:
    """Write JSON whole or not at all."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    separators = (",", ":") if indent is None else None
    text = json.dumps(content, indent=indent, separators=separators, allow_nan=False)
    with open(temporary, "w", encoding="utf-8") as file:
        file.write(text + "\n")
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)


def _cut_torn_end(file: Any) -> None:
    """Truncate after the last newline: what follows it was never finished."""
    end = file.seek(0, os.SEEK_END)
    at = end
    while at > 0:
        start = max(0, at - 4096)
        file.seek(start)
        newline = file.read(at - start).rfind(b"\n")
        if newline >= 0:
            at = start + newline + 1
            break
        at = start
    if at < end:
        file.truncate(at)
    file.seek(0, os.SEEK_END)


def _place(key: str) -> int:
    return int(key, 16) % CLAIM_SPACE
