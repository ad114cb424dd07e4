"""What a run has to do: which cells have a row that stands for them, and why others do not."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase

from bench.run.keys import keyed
from bench.store import status
from bench.store.result import Result
from bench.store.store import Store
from bench.suites.cell import Cell
from solvers import make_solver

RERUN_FAILED, RERUN_DAMAGED, RERUN_ALL = "failed", "damaged", "all"


def choose(cells: Iterable[Cell], only: Iterable[str]) -> list[Cell]:
    """The cells that match any ``SOLVER/PROBLEM`` pattern; a solver by id or label."""
    patterns = []
    for text in only:
        solver, slash, problem = text.partition("/")
        if not slash:
            raise ValueError(f"--only {text}: expected SOLVER/PROBLEM; * stands for any")
        patterns.append((solver, problem))
    cells = list(cells)
    if not patterns:
        return cells
    chosen = [
        cell
        for cell in cells
        if any(
            (fnmatchcase(cell.solver, s) or fnmatchcase(cell.label, s))
            and fnmatchcase(cell.problem, p)
            for s, p in patterns
        )
    ]
    if not chosen:
        solvers = ", ".join(dict.fromkeys(c.label for c in cells))
        problems = ", ".join(dict.fromkeys(c.problem for c in cells))
        raise ValueError(
            f"--only {' '.join(only)}: no cell of this suite; its solvers: {solvers}; "
            f"its problems: {problems}"
        )
    return chosen


def unavailable_here(cell: Cell) -> str | None:
    """Why a cell's solver cannot run on this machine, or None."""
    return _unavailable(cell.solver, json.dumps(dict(cell.options), sort_keys=True, default=str))


@functools.cache
def _unavailable(solver: str, options: str) -> str | None:
    return make_solver(solver, **json.loads(options)).available()


@dataclass(frozen=True)
class Plan:
    """Which cells are to do and why, and the rows of those done already.

    stored : every row of the store; borrowed : how many of ``done`` another clone made
    again, changed : how many of ``todo`` have a row already, or had one by other code or settings
    damaged : cells whose row stands but whose details file is missing
    """

    todo: list[Cell]
    done: list[Result]
    stored: list[Result]
    borrowed: int
    again: int
    changed: int
    damaged: list[Cell]
    rerun: str | None

    @classmethod
    def make(cls, store: Store, cells: Iterable[Cell], rerun: str | None, here: bool) -> Plan:
        """The plan of a run.

        rerun : one of RERUN_FAILED, RERUN_DAMAGED and RERUN_ALL, or None
        here : whether cells run on this machine, which may lack what a solver needs
        """
        store.create()
        cells, stored = keyed(cells), store.read()
        last = {row.key: row for row in stored}
        known = {row.identity for row in stored}

        def why_not(cell: Cell) -> str | None:
            return unavailable_here(cell) if here else None

        damaged = [
            cell
            for cell in cells
            if (row := last.get(cell.key)) and row.ok and not store.details_path(cell.key).exists()
        ]
        gone = {cell.key for cell in damaged} if rerun == RERUN_DAMAGED else set()
        todo = [
            cell
            for cell in cells
            if cell.key in gone
            or not _stands(last.get(cell.key), store.clone, why_not(cell), rerun)
        ]
        todo.sort(key=lambda cell: why_not(cell) is None)  # first those that are only skipped
        keys = {cell.key for cell in todo}
        done = [last[cell.key] for cell in cells if cell.key not in keys]
        return cls(
            todo=todo,
            done=done,
            stored=stored,
            borrowed=sum(row.clone != store.clone for row in done),
            again=sum(cell.key in last for cell in todo),
            changed=sum(cell.key not in last and cell.identity in known for cell in todo),
            damaged=[cell for cell in damaged if cell.key not in keys],
            rerun=rerun,
        )

    def account(self) -> str:
        """How many cells are done already and why the others are not, in a line or two."""
        total = len(self.todo) + len(self.done)
        text = f"{total} {'cell' if total == 1 else 'cells'}: {len(self.done)} done before"
        text += " with this code and these settings" if self.done else ""
        if self.borrowed:
            text += f" ({self.borrowed} of them on another machine; their solvers cannot run here)"
        new = len(self.todo) - self.again - self.changed
        parts = [f"{new} new"] if new else []
        if self.changed:
            parts.append(f"{self.changed} again because their code, model or settings changed")
        if self.again:
            why = f"--rerun {self.rerun}" if self.rerun else "they can run here now"
            parts.append(f"{self.again} again ({why})")
        text += f"; to do: {', '.join(parts)}" if parts else "; nothing to do"
        if self.damaged:
            text += (
                f"\n{len(self.damaged)} of those done: the details file is missing, for example "
                f"cells/{self.damaged[0].key}.json; --rerun {RERUN_DAMAGED} does them again"
            )
        return text


def _stands(row: Result | None, clone: str, unavailable: str | None, rerun: str | None) -> bool:
    """Whether a row still stands for its cell."""
    if row is None:
        return False
    if row.clone != clone:
        # Results of another clone are run again, unless this machine cannot.
        return unavailable is not None and row.ok
    if row.note == status.UNAVAILABLE:
        return unavailable is not None
    if rerun == RERUN_ALL:
        return False
    return rerun != RERUN_FAILED or row.ok
