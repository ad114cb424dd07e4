"""The key of a cell: a hash of what it is, of its model, and of the code that can change it.

A row stands for its cell as long as the key is the same.  Editing a comment, a docstring, a table
or another solver leaves it so; editing a line that the solver or the evaluator uses does not.
"""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Iterable

from bench.run.code_hash import code_hash
from bench.run.model_hash import steady_hash
from bench.store import costs
from bench.suites.cell import Cell

KEY_DIGITS = 16


def keyed(cells: Iterable[Cell]) -> list[Cell]:
    """Cells with the hashes of their code and model, and their keys."""

    @functools.cache
    def model(problem: str, sensing_cost: str) -> str:
        return steady_hash(problem, costs.from_text(sensing_cost))

    @functools.cache
    def code(solver: str) -> str:
        return code_hash(solver)

    return [
        with_key(cell, code(cell.solver), model(cell.problem, cell.sensing_cost)) for cell in cells
    ]


def with_key(cell: Cell, code: str, model: str) -> Cell:
    """A cell with these hashes and the key that follows from them: 16 hexadecimal digits."""
    identity = {
        "problem": cell.problem,
        "sensing_cost": cell.sensing_cost,
        "solver": cell.solver,
        "options": dict(cell.options),
        "seed": cell.seed,
        "budget": cell.budget,
        "threads": cell.threads,
        "memory_mb": cell.memory_mb,
        "code": code,
        "model": model,
    }
    text = json.dumps(identity, sort_keys=True)
    return cell.with_hashes(code, model, hashlib.sha256(text.encode()).hexdigest()[:KEY_DIGITS])
