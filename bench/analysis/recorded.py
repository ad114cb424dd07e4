"""What all suites at hand have recorded about one problem: the rows behind scores and optima."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from bench.problems import load_problem
from bench.run.model_hash import model_hash
from bench.store import costs
from bench.store.result import Result
from bench.store.store import Store


def recorded(results: Path, problem: str, sensing_cost: float) -> Iterator[tuple[Path, Result]]:
    """Rows that came to a result, with the folder they lie in.

    A row about another model under the same name, by an earlier version for instance, is left out.
    """
    cost = costs.to_text(sensing_cost)
    model = model_hash(load_problem(problem, sensing_cost))
    for path in sorted(results.glob("**/rows.csv")):
        for row in Store(path.parent.parent, path.parent.name).read():
            same = (row.problem, row.sensing_cost) == (problem, cost)
            if same and row.ok and row.model in ("", model):
                yield path.parent, row
