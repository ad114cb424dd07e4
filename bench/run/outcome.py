"""What comes of running a cell, before it becomes a row."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass
class Outcome:
    """The columns of the row that were measured, the details beside it, what the cell printed."""

    row: dict[str, Any]
    details: dict[str, Any] | None = None
    log: str = ""

    @classmethod
    def failed(cls, status: str, reason: str, **more: Any) -> Outcome:
        """The outcome of a cell without a value."""
        return cls({"status": status, "reason": reason, **more})


class StaleCode(RuntimeError):
    """The cell's code or model is not the run's: it changed meanwhile, or a worker has another."""


@dataclass
class Times:
    """Where the seconds of a cell went; each is a column of its row."""

    seconds: dict[str, float] = field(default_factory=dict)

    def add(self, name: str, seconds: float) -> None:
        """Add to ``<name>_seconds``."""
        column = f"{name}_seconds"
        self.seconds[column] = self.seconds.get(column, 0.0) + seconds
