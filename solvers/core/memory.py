"""How much memory may be taken; asked before it is."""

from __future__ import annotations

import psutil

from solvers.core.budget import SolverError

MEMORY_SHARE = 0.6
"""Share of the free memory that may be taken."""
MEMORY_UNNOTICED = 1e7
"""A need of fewer bytes is granted without asking how much memory is free."""


def memory_to_take(need: float) -> float:
    """Bytes that may be taken; a small need is granted without asking the system."""
    if need <= MEMORY_UNNOTICED:
        return need
    return MEMORY_SHARE * psutil.virtual_memory().available


def refuse_beyond_memory(need: float, what: str, instead: str = "free some memory") -> None:
    """Raise if something needs more bytes than may be taken; nothing is taken yet."""
    free = memory_to_take(need)
    if need > free:
        raise SolverError(
            f"{what} needs {need / 1e9:.3g} GB and {free / 1e9:.3g} GB may be taken; {instead}"
        )
