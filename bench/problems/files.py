"""The problem in a file: ``.npz`` or ``.pomdp``, by its path."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from bench.problems.problem import Problem
from pomdp_bridge.files import formats as files
from solvers.core.model import SensingMDP
from solvers.core.sensing_cost import SensingCost


def file_problem(path: str | Path) -> Problem:
    """A file as a problem; its own sensing cost is the default.

    A sensing cost that varies stays as it is unless another one is asked for; the number listed
    for it is then NaN.  Values are printed as the format has them: costs for ``.npz``, rewards for
    ``.pomdp``.
    """
    model = files.read(path)
    uniform = isinstance(model.sensing_cost, float)

    def build(sensing_cost: SensingCost) -> SensingMDP:
        if isinstance(sensing_cost, float) and np.isnan(sensing_cost):
            return model
        return model.with_sensing_cost(sensing_cost)

    return Problem(
        id=str(path),
        title=Path(path).stem if model.name == "unnamed" else model.name,
        build=build,
        sensing_costs=(model.sensing_cost if uniform else float("nan"),),
        rewards=Path(path).suffix != ".npz",
        digits=6,
    )
