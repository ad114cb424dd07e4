"""The planning time that a solver is given."""

from __future__ import annotations

import time
from dataclasses import dataclass


class SolverError(ValueError):
    """No such solver or option, or a problem this solver cannot take; the message says why."""


@dataclass
class Budget:
    """Planning time in seconds, counted from when the budget was made."""

    seconds: float = float("inf")

    def __post_init__(self) -> None:
        number = isinstance(self.seconds, int | float) and not isinstance(self.seconds, bool)
        if not number or not self.seconds > 0:
            raise SolverError(f"budget is {self.seconds!r}; expected a number of seconds above 0")
        self._started = time.perf_counter()

    def spent(self) -> float:
        return time.perf_counter() - self._started

    def left(self) -> float:
        return self.seconds - self.spent()

    def over(self) -> bool:
        return self.left() <= 0


def is_interrupt(error: BaseException) -> bool:
    """Whether this is Ctrl-C, which compiled code turns into a chain of SystemErrors."""
    link: BaseException | None = error
    while link is not None and not isinstance(link, KeyboardInterrupt):
        link = link.__cause__ or link.__context__
    return link is not None
