"""Measuring value: is it worth a look before the last step?  (Krale et al., ICAPS 2023)

From ``start`` the action *forward* leads to ``good`` with probability 0.8, else to ``bad``; a
second *forward* ends the episode and pays 1 from ``good`` and nothing from ``bad``.  *Back* leads
to ``start`` from anywhere, free of charge.  So there are two reasonable policies: go forward twice
without looking, which earns p, or look after every first step and go back from ``bad``, which earns
the 1 for sure and needs 1/p looks on average:

    optimum, undiscounted  =  max(p, 1 - c/p)  =  max(0.8, 1 - 1.25 c),  equal at c = 0.16.

Source: repository LAVA-LAB/ATM, ``AM_Gyms/Loss_Env.py`` ("Loss"), c = 0.05 … 0.2.

Decided here.  The source sums rewards without discount and cuts an episode after 10,000 steps; an
agent that goes back for ever never ends.  We cut after 40 steps, nineteen tries: a twentieth would
be needed with probability 0.2^19 = 5e-14.  The end is noticed, as in the source, where the loop
stops there; a look taken on the last step is paid.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from bench.problems.conventions import Conventions, counted
from bench.problems.problem import Problem
from solvers import SensingMDP

SUCCESS = 0.8
STATES = ("start", "good", "bad", "end")
START, GOOD, BAD, END = range(4)
ACTIONS = ("forward", "back")
HORIZON = 40


def measuring_value(sensing_cost: float, *, success: float = SUCCESS) -> SensingMDP:
    """The four states, without a horizon; discount 1 needs one, because *back* never ends."""
    T, R = np.zeros((2, 4, 4)), np.zeros((4, 2))
    T[0, START, [GOOD, BAD]] = success, 1 - success
    T[0, [GOOD, BAD], END] = 1.0
    T[1, [START, GOOD, BAD], START] = 1.0
    T[:, END, END] = 1.0
    R[GOOD, 0] = 1.0
    return SensingMDP.from_rewards(
        T,
        R,
        0.95,
        sensing_cost,
        start=np.eye(4)[START],
        terminal=[END],
        name="measuring-value",
        state_names=STATES,
        action_names=ACTIONS,
    )


def _family(success: float = SUCCESS) -> Problem:
    return counted(
        Problem(
            id="measuring-value",
            title="Measuring value",
            build=partial(measuring_value, success=success),
            sensing_costs=(0.05, 0.1, 0.2),
            source="LAVA-LAB/ATM Loss_Env; Krale et al. 2023",
            size=(120, 2),
            family=_family,
            digits=4,
        ),
        Conventions(discount=1.0, horizon=HORIZON, end_is_seen=True),
    )


PROBLEMS = [_family()]
