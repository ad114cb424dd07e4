"""The result store of one suite: rows, details, environment, locks.

``rows.csv`` is append-only and one process writes at a time (a lock on ``rows.lock``).  A line is
written in one piece and flushed to disk; should a machine die in the middle of it, the torn end is
cut off before the next line is written, so nothing that was whole is ever lost.  Details of a cell
go to ``cells/<key>.json``, its policy, if it can be a file, to ``policies/<key>.npz``: both are
written whole and renamed into place before the row.

A cell being worked on is *claimed*: a lock on ``claims/<key>.lock`` that the system itself lets go
when the process ends, however it ends.  Two runs at once share the work.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

import psutil
from filelock import FileLock, Timeout

from bench.store import result
from bench.store.files import write_json, write_text, written_beside
from bench.store.result import Result, StoreError

BUILT_IN = Path(__file__).resolve().parents[1] / "suites"
"""Where the suites are that come with the project."""


class Store:
    """Results of one suite, given by name or by the path of its file, in ``<results>/<name>/``."""

    def __init__(self, results: str | Path, suite: str) -> None:
        self.results = Path(results)
        self.name = suite_name(suite)
        self.directory = self.results / self.name
        self.rows_path = self.directory / "rows.csv"
        self._claimed: dict[str, FileLock] = {}
        self.torn = False
        """Whether the last line of the rows was unfinished when they were read last."""
        self._read_to = 0
        self._columns: list[str] = []

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
            writer = path.name.split(".")[-2]
            if writer.isdecimal() and not psutil.pid_exists(int(writer)):
                path.unlink(missing_ok=True)

    # ------------------------------------------------------------------ rows
    def read(self) -> list[Result]:
        """All whole rows, in the order written; ``torn`` tells of an unfinished last line."""
        self._read_to, self._columns = 0, []
        return self.read_new()

    def read_new(self) -> list[Result]:
        """The rows written since the last reading, by whomever."""
        if not self.rows_path.exists():
            return []
        with self._named(self.rows_path), open(self.rows_path, "rb") as file:
            if os.fstat(file.fileno()).st_size < self._read_to:  # replaced by another file
                self._read_to, self._columns = 0, []
            file.seek(self._read_to)
            data = file.read()
        whole = data[: data.rfind(b"\n") + 1]
        self.torn = len(whole) < len(data)
        if not whole:
            return []
        self._read_to += len(whole)
        text = whole.decode("utf-8", "replace")
        if not self._columns:
            self._columns = result.columns_of(text, self.rows_path)
            text = text[text.find("\n") + 1 :]
        return result.parse_lines(text, self._columns, self.rows_path)

    def append(self, row: Result) -> None:
        """Add one row; cut off a torn last line first, and bring an old file up to date."""
        line = row.line()
        with self._locked(), self._named(self.rows_path):
            self._update_columns()
            with open(self.rows_path, "a+b") as file:
                _cut_torn_end(file)
                if file.tell() == 0:
                    line = result.HEADER + line
                file.write(line.encode("utf-8"))
                file.flush()
                os.fsync(file.fileno())

    def _update_columns(self) -> None:
        """Give a file of an earlier version the columns it lacks."""
        if not self.rows_path.exists():
            return
        with open(self.rows_path, encoding="utf-8", errors="replace", newline="") as file:
            first = file.readline()
        if first == result.HEADER or not first.endswith("\n"):
            return
        known = result.parse(self.rows_path.read_text(encoding="utf-8"), self.rows_path)
        write_text(self.rows_path, result.HEADER + "".join(row.line() for row in known))
        self._read_to, self._columns = self.rows_path.stat().st_size, list(result.COLUMNS)

    # ------------------------------------------------------------------ details
    def details_path(self, key: str) -> Path:
        """Where the details of a cell are."""
        return self.directory / "cells" / f"{key}.json"

    def write_details(self, key: str, details: Mapping[str, Any]) -> None:
        """Write ``cells/<key>.json`` whole or not at all."""
        write_json(self.details_path(key), details, indent=None)

    def read_details(self, key: str) -> dict[str, Any] | None:
        """The details of a cell, or None if there are none."""
        path = self.details_path(key)
        return _read_object(path) if path.exists() else None

    def policy_path(self, key: str) -> Path:
        """Where the policy of a cell is, if it was kept."""
        return self.directory / "policies" / f"{key}.npz"

    def write_policy(self, key: str, content: bytes) -> None:
        """Write ``policies/<key>.npz`` whole or not at all."""
        path = self.policy_path(key)
        path.parent.mkdir(exist_ok=True)
        with written_beside(path) as temporary:
            temporary.write_bytes(content)

    def write_log(self, key: str, text: str) -> None:
        """Keep what a failed cell printed in ``logs/<key>.log``."""
        path = self.directory / "logs" / f"{key}.log"
        path.parent.mkdir(exist_ok=True)
        write_text(path, text)

    def environments(self) -> dict[str, dict[str, Any]]:
        """The machines that made the rows, by the id of their clone."""
        path = self.directory / "environment.json"
        found = _read_object(path) if path.exists() else {}
        if not all(isinstance(record, dict) for record in found.values()):
            raise StoreError(f"{path} is damaged: expected a record per clone; move it away")
        return found

    def record_environment(self, record: Mapping[str, Any]) -> None:
        """Put this clone's record into ``environment.json``, beside those of other clones."""
        with self._locked():
            known = {**self.environments(), self.clone: dict(record)}
            write_json(self.directory / "environment.json", known, indent=1)

    def record_suite(self, path: Path) -> None:
        """Remember where a suite's file is, so that later its name alone will do."""
        if path.resolve().parent != BUILT_IN:
            write_text(self.directory / "suite.txt", f"{path.resolve()}\n")

    def recorded_suite(self) -> str | None:
        """Where the suite's file was when it ran last; None for one that comes with the project."""
        path = self.directory / "suite.txt"
        return path.read_text(encoding="utf-8").strip() if path.is_file() else None

    # ------------------------------------------------------------------ locks
    def claim(self, key: str) -> bool:
        """Take a cell to work on; False if another run has it."""
        path = self.directory / "claims" / f"{key}.lock"
        path.parent.mkdir(exist_ok=True)
        lock = FileLock(path, thread_local=False)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            return False
        self._claimed[key] = lock
        return True

    def release(self, key: str) -> None:
        """Let a claimed cell go."""
        self._claimed.pop(key).release()

    def _locked(self) -> FileLock:
        return FileLock(self.directory / "rows.lock", thread_local=False)

    @contextlib.contextmanager
    def _named(self, path: Path) -> Iterator[None]:
        """An error of the system tells which file it is about."""
        try:
            yield
        except OSError as error:
            raise StoreError(f"{path}: {error.strerror or error}") from None


def suite_name(suite: str) -> str:
    """The name under which the results of a suite lie, given that name or the suite's file."""
    return Path(suite).stem if suite.endswith(".toml") else suite


def clone_id(results: Path) -> str:
    """The random id of this clone's results, made on first use and never committed."""
    path = results / ".clone"
    with FileLock(results / ".clone.lock"):
        if not path.exists() or not path.read_text().strip():
            write_text(path, secrets.token_hex(4) + "\n")
        return path.read_text().strip()


def _read_object(path: Path) -> dict[str, Any]:
    """A JSON object, or an error that names its file."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror or error}") from None
    except ValueError as error:
        raise StoreError(f"{path} is damaged ({error}); move it away and run again") from None
    if not isinstance(found, dict):
        kind = type(found).__name__
        raise StoreError(f"{path} is damaged: expected an object, found a {kind}; move it away")
    return found


def _cut_torn_end(file: IO[bytes]) -> None:
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
