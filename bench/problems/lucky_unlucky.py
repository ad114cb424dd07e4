"""Lucky or unlucky: a bet that is nearly always good.  (Krale et al., AAAI 2024)

Any action leads from ``start`` to ``unlucky`` with probability p = 0.05, else to ``lucky``.  There
the agent plays *safe*, which pays 0, or *bets*, which pays 1 if lucky and −1 if unlucky; then the
episode ends.  Betting blind earns (1 − p) − p = 1 − 2p; a look first, at c, earns 1 − p − c:

    optimum, undiscounted  =  max(1 - 2p, 1 - p - c)  =  0.90 for p = 0.05, c = 0.2.

Source: repository LAVA-LAB/RATM, ``AM_Gyms/uMV.py``, c = 0.2.  No horizon is needed: every action
string ends after two steps.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from bench.problems.conventions import Conventions, counted
from bench.problems.problem import Problem
from solvers import SensingMDP

UNLUCKY_CHANCE = 0.05
STATES = ("start", "lucky", "unlucky", "end")
START, LUCKY, UNLUCKY, END = range(4)
ACTIONS = ("safe", "bet")


def lucky_unlucky(sensing_cost: float, *, unlucky: float = UNLUCKY_CHANCE) -> SensingMDP:
    T, R = np.zeros((2, 4, 4)), np.zeros((4, 2))
    T[:, START, LUCKY], T[:, START, UNLUCKY] = 1 - unlucky, unlucky
    T[:, [LUCKY, UNLUCKY, END], END] = 1.0
    R[[LUCKY, UNLUCKY], 1] = 1.0, -1.0
    return SensingMDP.from_rewards(
        T,
        R,
        0.95,
        sensing_cost,
        start=np.eye(4)[START],
        terminal=[END],
        name="lucky-unlucky",
        state_names=STATES,
        action_names=ACTIONS,
    )


def _family(unlucky: float = UNLUCKY_CHANCE) -> Problem:
    return counted(
        Problem(
            id="lucky-unlucky",
            title="Lucky or unlucky",
            build=partial(lucky_unlucky, unlucky=unlucky),
            sensing_costs=(0.2,),
            source="LAVA-LAB/RATM uMV; Krale et al. 2024",
            size=(4, 2),
            family=_family,
            digits=4,
        ),
        Conventions(discount=1.0, end_is_seen=True),
    )


PROBLEMS = [_family()]
