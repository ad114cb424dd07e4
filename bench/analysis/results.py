"""The results of a suite, loaded once: what tables, figures, the report and compare all read."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from bench.analysis.current import current_rows
from bench.analysis.frame import tidy
from bench.store.result import Result, StoreError, latest
from bench.store.store import Store
from bench.suites.suite import Suite, SuiteError, load_suite, suite_path


@dataclass(frozen=True)
class Results:
    """A suite's rows as a frame (:func:`bench.analysis.frame.tidy`), and what lies beside them.

    suite : None where the suite's file is not at hand any more, or cannot be read
    """

    name: str
    suite: Suite | None
    store: Store
    frame: pd.DataFrame
    environments: dict[str, dict[str, Any]]

    @classmethod
    def load(cls, suite: str, results_dir: str | Path, details: bool = True) -> Results:
        """The rows of cells that a suite still has; an error says what to run if there are none.

        suite : its name, or the path of its file, without which a suite of one's own shows all rows
        details : whether they will be read: then a warning tells how many are lost
        """
        store = Store(results_dir, suite)
        if not store.rows_path.is_file():
            suite_path(suite)  # says so if there is no such suite at all
        found = _suite(suite, store)
        stored = current_rows(found, store.read())
        if store.torn:
            told = f"{store.rows_path}: an unfinished last line was left out"
            warnings.warn(f"{told}; run its suite again", stacklevel=2)
        if details:
            _tell_lost(store, stored, suite)
        if not stored:
            raise StoreError(f"no rows in {store.rows_path}; run `sensebench run {suite}` first")
        return cls(store.name, found, store, tidy(stored), store.environments())

    @property
    def title(self) -> str:
        """The suite's title; its name where its file is not at hand."""
        return self.suite.title if self.suite is not None else self.name

    @property
    def folder(self) -> Path:
        """Where rows lie and tables, figures and the report go."""
        return self.store.directory

    def details(self, key: str) -> dict[str, Any]:
        """What a cell left beside its row: values per root, trace, plans, info; {} if nothing."""
        return self.store.read_details(key) or {}


def _tell_lost(store: Store, stored: list[Result], suite: str) -> None:
    """Warn of rows whose details were deleted: figures and pages leave them out."""
    lost = [
        row.key for row in latest(stored) if row.ok and not store.details_path(row.key).exists()
    ]
    if lost:
        warnings.warn(
            f"{len(lost)} of the rows in {store.rows_path} have lost their details, as "
            f"cells/{lost[0]}.json; sensebench run {suite} --rerun damaged makes them again",
            stacklevel=3,
        )


def _suite(suite: str, store: Store) -> Suite | None:
    """The suite of some results; where only its name is given, the file that its run recorded."""
    for place in (suite, store.recorded_suite()):
        if place is not None:
            try:
                return load_suite(place)
            except SuiteError:
                continue
    return None
