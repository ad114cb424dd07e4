"""Sepsis of Nam et al. (NeurIPS 2021): 720 patients' states, 8 treatments, 5 steps, discount 0.7.

A state is heart rate and blood pressure (low, normal, high), oxygen (low, normal), glucose (five
levels, the third is normal), and which of three treatments runs: antibiotics, vasopressors,
ventilation.  An action says which of them run next.  Three or more abnormal signs are death (the
episode ends, pay 0); no abnormal sign and no treatment is discharge (ends, pay 1); every other step
pays 0.25, and after five steps it is over.  What a treatment does:

* antibiotics on: high heart rate, high pressure → normal, each with 0.5; taken off: normal → high,
  0.1;
* ventilation on: low oxygen → normal with 0.7; taken off: normal → low with 0.1;
* vasopressors on: pressure rises by one with 0.7; taken off: falls by one with 0.1;
* a sign that no treatment touched this step drifts by one up or down, with 0.1 each.

Source: repository nam630/acno_mdp, ``locf/env/sepsisSimDiabetes`` (``MDP_pos_reward.py``), with the
patient never diabetic and start 256 (low pressure, low oxygen); c = 0.1.  The simulator of Oberst
and Sontag (2019) is behind it.  The repository's ``transitions.npy`` is learned from samples and
covers a part of the states, so the tables here come from the rules themselves.

Decided here, after the code.  Glucose that drifts up is cut to the *second* level (``min(1, …)``,
where 4 is meant): from normal it then falls, and it never becomes normal again.  All published
numbers were made with it.  Death by drift counts at the step it happens.  The agent is told when
the episode ends, as in the source, where the loop stops.
"""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
from scipy import sparse

from bench.problems.conventions import Conventions, counted
from bench.problems.problem import Problem
from solvers import SensingMDP

DISCOUNT = 0.7
HORIZON = 5
START = 256
SIZES = (3, 3, 2, 5, 2, 2, 2)
ALIVE, CURED = 0.25, 1.0
LEVELS = ("low", "normal", "high")
GLUCOSE = ("very low", "low", "normal", "high", "very high")
TREATMENTS = ("antibiotics", "ventilation", "vasopressors")

Chances = dict[tuple[int, ...], float]


def decode(state: int) -> tuple[int, ...]:
    """(heart rate, pressure, oxygen, glucose, antibiotics, vasopressors, ventilation)."""
    return tuple(int(i) for i in np.unravel_index(state, SIZES))


def encode(signs: tuple[int, ...]) -> int:
    return int(np.ravel_multi_index(signs, SIZES))


def abnormal_signs(signs: tuple[int, ...]) -> int:
    heart, pressure, oxygen, glucose = signs[:4]
    return (heart != 1) + (pressure != 1) + (oxygen != 1) + (glucose != 2)


def pay(signs: tuple[int, ...]) -> float:
    """What a step that leads to this state pays; all but 0.25 ends the episode."""
    if abnormal_signs(signs) >= 3:
        return 0.0
    return CURED if abnormal_signs(signs) == 0 and not any(signs[4:]) else ALIVE


def _drift(level: int, cut: int) -> dict[int, float]:
    """A sign that drifts: down or up by one with 0.1 each; up is cut to ``cut``."""
    found: dict[int, float] = {}
    for there, chance in ((max(0, level - 1), 0.1), (min(cut, level + 1), 0.1), (level, 0.8)):
        found[there] = found.get(there, 0.0) + chance
    return found


def _maybe(level: int, there: int, chance: float) -> dict[int, float]:
    return {level: 1.0} if there == level else {there: chance, level: 1 - chance}


def after(signs: tuple[int, ...], action: int) -> Chances:
    """The distribution of the signs one step later."""
    heart, pressure, oxygen, glucose, was_anti, was_vaso, was_vent = signs
    anti, vent, vaso = action >> 2 & 1, action >> 1 & 1, action & 1
    hearts, pressures = {heart: 1.0}, {pressure: 1.0}
    if anti:
        hearts = _maybe(heart, 1 if heart == 2 else heart, 0.5)
        pressures = _maybe(pressure, 1 if pressure == 2 else pressure, 0.5)
    elif was_anti:
        hearts = _maybe(heart, 2 if heart == 1 else heart, 0.1)
        pressures = _maybe(pressure, 2 if pressure == 1 else pressure, 0.1)
    else:
        hearts = _drift(heart, 2)
    if vaso:
        pressures = _mixed(pressures, lambda p: _maybe(p, min(2, p + 1), 0.7))
    elif was_vaso:
        pressures = _mixed(pressures, lambda p: _maybe(p, max(0, p - 1), 0.1))
    elif not (anti or was_anti):
        pressures = _drift(pressure, 2)
    if vent:
        oxygens = _maybe(oxygen, 1, 0.7)
    elif was_vent:
        oxygens = _maybe(oxygen, 0, 0.1)
    else:
        oxygens = _drift(oxygen, 1)
    glucoses = {glucose: 1.0} if vaso else _drift(glucose, 1)  # the source's min(1, …)
    return {
        (h, p, o, g, anti, vaso, vent): ph * pp * po * pg
        for (h, ph), (p, pp), (o, po), (g, pg) in product(
            hearts.items(), pressures.items(), oxygens.items(), glucoses.items()
        )
    }


def _mixed(chances: dict[int, float], step) -> dict[int, float]:
    """One more random step of a sign."""
    found: dict[int, float] = {}
    for level, p in chances.items():
        for there, q in step(level).items():
            found[there] = found.get(there, 0.0) + p * q
    return found


@cache
def _sepsis() -> SensingMDP:
    S, A = int(np.prod(SIZES)), 8
    signs = [decode(s) for s in range(S)]
    pays = np.array([pay(x) for x in signs])
    terminal = pays != ALIVE
    transitions = []
    for a in range(A):
        rows, columns, chances = [], [], []
        for s in range(S):
            found = {signs[s]: 1.0} if terminal[s] else after(signs[s], a)
            for there, chance in found.items():
                rows.append(s)
                columns.append(encode(there))
                chances.append(chance)
        transitions.append(sparse.csr_array((chances, (rows, columns)), shape=(S, S)))
    rewards = np.stack([np.where(terminal, 0.0, T @ pays) for T in transitions], axis=1)
    return SensingMDP.from_rewards(
        transitions,
        rewards,
        DISCOUNT,
        0.0,
        start=np.eye(1, S, START).ravel(),
        terminal=terminal,
        name="sepsis-nam",
        state_names=[_name(x) for x in signs],
        action_names=[_treatment(a) for a in range(A)],
    )


def _name(signs: tuple[int, ...]) -> str:
    heart, pressure, oxygen, glucose, anti, vaso, vent = signs
    given = [t for t, on in zip(TREATMENTS, (anti, vent, vaso), strict=True) if on]
    return (
        f"heart {LEVELS[heart]}, pressure {LEVELS[pressure]}, oxygen {LEVELS[oxygen]}, "
        f"glucose {GLUCOSE[glucose]}" + (f", on {' + '.join(given)}" if given else "")
    )


def _treatment(action: int) -> str:
    on = [t for t, bit in zip(TREATMENTS, (4, 2, 1), strict=True) if action & bit]
    return " + ".join(on) or "nothing"


def _build(sensing_cost: float) -> SensingMDP:
    return _sepsis().with_sensing_cost(sensing_cost)


PROBLEMS = [
    counted(
        Problem(
            id="sepsis-nam",
            title="Sepsis (Nam et al.)",
            build=_build,
            sensing_costs=(0.1,),
            size=(1067, 8),
            source="nam630/acno_mdp; Nam et al. 2021",
            digits=4,
        ),
        Conventions(horizon=HORIZON, end_is_seen=True),
    )
]
