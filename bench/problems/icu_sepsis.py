"""ICU-Sepsis: 716 states of a patient, 25 treatments, discount 0.99, reward 1 for survival.

Read straight from the data file of the ``icu-sepsis`` package: importing its environment would
pull in the old gym.
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import files

import numpy as np

from bench.problems.problem import Problem
from solvers.core.model import SensingMDP
from solvers.core.sensing_cost import SensingCost
from solvers.core.validation import ModelError

DISCOUNT = 0.99
TERMINAL = (713, 714, 715)
TERMINAL_NAMES = ("death", "survival", "end")


@cache
def _sepsis() -> SensingMDP:
    listed = [f for f in files("icu-sepsis") or () if f.name == "dynamics.npz"]
    if not listed:
        raise ModelError("the icu-sepsis package has no dynamics.npz; reinstall icu-sepsis>=2.0.1")
    with np.load(listed[0].locate()) as data:
        T = data["tx_mat"].transpose(1, 0, 2)
        R = np.einsum("ast,sat->sa", T, data["r_mat"])
        start = data["d_0"]
    T = T.copy()
    T[:, TERMINAL, :] = 0.0
    T[:, TERMINAL, TERMINAL] = 1.0
    R[list(TERMINAL)] = 0.0
    S, levels = T.shape[1], range(5)
    return SensingMDP.from_rewards(
        T,
        R,
        DISCOUNT,
        0.0,
        start=start,
        terminal=TERMINAL,
        name="icu-sepsis",
        state_names=[f"patient {s}" for s in range(S - len(TERMINAL))] + list(TERMINAL_NAMES),
        action_names=[f"fluids {i} vasopressors {j}" for i in levels for j in levels],
    )


def _build(sensing_cost: SensingCost) -> SensingMDP:
    return _sepsis().with_sensing_cost(sensing_cost)


PROBLEMS = [
    Problem(
        id="icu-sepsis",
        title="ICU-Sepsis",
        build=_build,
        sensing_costs=(0.005, 0.01, 0.05, 0.1),
        size=(716, 25),
    )
]
