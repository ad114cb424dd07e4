"""How deep the tables of the delayed-information bound may be: by their memory, by the discount."""

from __future__ import annotations

import psutil

from solvers.core.budget import SolverError
from solvers.core.model import SensingMDP

FADED = 1e-200
"""No depth is taken after which the discount leaves less than this: its inverse is a factor."""
MEMORY_SHARE = 0.6
"""Share of the free memory that may be taken."""
MEMORY_UNASKED = 2.5e9
"""Bytes that may be taken by deepening on and on, when nobody asked for a certain depth."""
BLOCKS_HELD = 5
"""Arrays of the deepest level's size that are alive at once."""
MEMORY_UNNOTICED = 1e7
"""A need of fewer bytes is granted without asking how much memory is free."""


def memory_needed(actions: int, depth: int, rows: int) -> float:
    """Bytes that this depth takes, with that many distinct rows."""
    return BLOCKS_HELD * 8.0 * rows * float(actions) ** (depth - 1)


def within_memory(need: float) -> bool:
    """Whether so many bytes may be taken unasked."""
    return need <= MEMORY_UNASKED and need <= memory_to_take(need)


def memory_to_take(need: float) -> float:
    """Bytes that may be taken; a small need is granted without asking the system."""
    if need <= MEMORY_UNNOTICED:
        return need
    return MEMORY_SHARE * psutil.virtual_memory().available


def refuse_beyond_memory(problem: SensingMDP, depth: int, rows: int) -> None:
    """Raise if this depth needs more memory than may be taken; nothing is taken yet."""
    need = memory_needed(problem.num_actions, depth, rows)
    free = memory_to_take(need)
    if need > free:
        raise SolverError(
            f"delayed information of depth {depth} on {problem.name} needs {need / 1e9:.3g} GB and "
            f"{free / 1e9:.3g} GB may be taken; ask for a depth below {depth}"
        )


def faded(problem: SensingMDP, depth: int) -> bool:
    """Whether the discount leaves next to nothing after so many steps."""
    return bool(problem.discount**depth < FADED)


def refuse_faded(problem: SensingMDP, depth: int) -> None:
    """Raise if it does."""
    if faded(problem, depth):
        raise SolverError(
            f"delayed information of depth {depth} on {problem.name}: a discount of "
            f"{problem.discount:g} leaves less than {FADED:g} after so many steps; ask for less"
        )
