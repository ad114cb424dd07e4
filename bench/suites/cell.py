"""A cell of a suite: one solver with its options on one problem at one sensing cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from bench.store import costs
from bench.store.result import identity_of


@dataclass(frozen=True)
class Cell:
    """What a single process does.

    sensing_cost : as text (:mod:`bench.store.costs`)
    budget : planning seconds; threads : of every numerical library; memory_mb : hard limit
    files : of solvers or problems to join; code, model, key : see :mod:`bench.run.keys`, empty
    until they are worked out
    """

    suite: str
    problem: str
    sensing_cost: str
    solver: str
    options: Mapping[str, Any]
    label: str
    seed: int
    budget: float
    threads: int
    memory_mb: int
    files: tuple[str, ...] = ()
    code: str = ""
    model: str = ""
    key: str = ""

    @property
    def identity(self) -> tuple[str, ...]:
        """What the cell is, whatever its code and settings: that of its result."""
        return identity_of(self.problem, self.sensing_cost, self.solver, self.options, self.seed)

    def title(self) -> str:
        """``spi / taxi, k = 0.5``, for people."""
        return f"{self.label} / {self.problem}, k = {self.sensing_cost}"

    def cost(self) -> Any:
        """The sensing cost as a problem's ``build`` takes it."""
        return costs.from_text(self.sensing_cost)

    def columns(self) -> dict[str, Any]:
        """The columns of a result that the cell itself fills."""
        same = ("key", "suite", "problem", "sensing_cost", "solver", "label", "options", "seed")
        found = {name: getattr(self, name) for name in (*same, "threads", "code", "model")}
        return {**found, "budget_seconds": self.budget}

    def with_hashes(self, code: str, model: str, key: str) -> Cell:
        """This cell with the hashes of its code and model, and its key."""
        return replace(self, code=code, model=model, key=key)

    def as_json(self) -> dict[str, Any]:
        """Plain values, for the process that runs it."""
        return asdict(self)

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Cell:
        """What :meth:`as_json` gave."""
        return cls(**{**values, "files": tuple(values["files"])})
