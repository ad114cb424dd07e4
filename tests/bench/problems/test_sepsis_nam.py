"""The sepsis tables against a patient whose signs are drawn one after the other."""

import numpy as np
import pytest

from bench.problems import find_problem
from bench.problems.sepsis_nam import START, abnormal_signs, decode, encode, pay


def drawn(signs, action, rng):
    """One step of the patient, coin by coin, in the source's order."""
    heart, pressure, oxygen, glucose, anti, vaso, vent = signs
    gives = [action // 4, action // 2 % 2, action % 2]
    drifts = dict.fromkeys(("heart", "pressure", "oxygen", "glucose"), True)
    if gives[0] or anti:
        chance, level, to = (0.5, 2, 1) if gives[0] else (0.1, 1, 2)
        heart = to if heart == level and rng.random() < chance else heart
        pressure = to if pressure == level and rng.random() < chance else pressure
        drifts["heart"] = drifts["pressure"] = False
    if gives[1] or vent:
        chance, level, to = (0.7, 0, 1) if gives[1] else (0.1, 1, 0)
        oxygen = to if oxygen == level and rng.random() < chance else oxygen
        drifts["oxygen"] = False
    if gives[2]:
        pressure = min(2, pressure + 1) if rng.random() < 0.7 else pressure
        drifts["pressure"] = drifts["glucose"] = False
    elif vaso:
        pressure = max(0, pressure - 1) if rng.random() < 0.1 else pressure
        drifts["pressure"] = False

    def drift(level, top):
        coin = rng.random()
        return max(0, level - 1) if coin < 0.1 else min(top, level + 1) if coin < 0.2 else level

    heart = drift(heart, 2) if drifts["heart"] else heart
    pressure = drift(pressure, 2) if drifts["pressure"] else pressure
    oxygen = drift(oxygen, 1) if drifts["oxygen"] else oxygen
    glucose = drift(glucose, 1) if drifts["glucose"] else glucose
    return heart, pressure, oxygen, glucose, gives[0], gives[2], gives[1]


def test_rows_are_what_the_coins_make_of_them():
    model = find_problem("sepsis-nam").plain(0.0)
    rng = np.random.default_rng(7)
    live = np.flatnonzero(~model.terminal)
    n = 4000
    for s in [START, *rng.choice(live, 7, replace=False)]:
        for a in rng.choice(8, 2, replace=False):
            counts = np.zeros(720)
            for _ in range(n):
                counts[encode(drawn(decode(int(s)), int(a), rng))] += 1
            row = model.transitions[a][[s]].toarray()[0]
            assert (row[counts > 0] > 0).all()
            spread = np.sqrt(row * (1 - row) / n) + 1e-9
            assert (np.abs(counts / n - row) <= 5 * spread).all()


def test_pay_and_ends():
    model = find_problem("sepsis-nam").plain(0.0)
    assert decode(START) == (1, 0, 0, 2, 0, 0, 0) and model.start[START] == 1
    for s in range(720):
        signs = decode(s)
        dead = abnormal_signs(signs) >= 3
        cured = abnormal_signs(signs) == 0 and signs[4:] == (0, 0, 0)
        assert encode(signs) == s
        assert bool(model.terminal[s]) == (dead or cured)
        assert pay(signs) == pytest.approx(0.0 if dead else 1.0 if cured else 0.25)
