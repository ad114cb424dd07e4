"""The drone's tables against a flight that is simulated cell by cell."""

import numpy as np
import pytest

from bench import load_problem
from bench.problems.drone import (
    FIELD,
    START,
    accelerations,
    corridor,
    state_number,
    variables,
)


def flown(x, y, vx, vy, ax, ay):
    """One step under these accelerations, after the source's rules: (state or None, arrived)."""
    wx, wy = max(-5, min(5, vx + ax)), max(-5, min(5, vy + ay))
    nx, ny = x + round((vx + wx) / 2), y + round((vy + wy) / 2)
    if not (0 <= nx <= 30 and 0 <= ny <= 30):
        return None, False
    for cx in range(min(x, nx), max(x, nx) + 1):
        for cy in range(min(y, ny), max(y, ny) + 1):
            if cx >= 6 and cy >= 6:
                return None, False
    if 0 < nx < 5 and ny > 27:
        return None, True
    return int(state_number(*map(np.array, (nx, ny, wx, wy)))), False


@pytest.mark.parametrize("problem_id", ["drone", "drone-symmetric"])
def test_rows_are_what_a_flight_makes_of_them(problem_id):
    model = load_problem(problem_id)
    end = model.num_states - 1
    here = np.column_stack(variables())
    assert model.start[int(state_number(*map(np.array, START)))] == 1
    rng = np.random.default_rng(0)
    for s in rng.choice(end, 40, replace=False):
        a = int(rng.integers(25))
        ay, ax = a // 5 - 2, a % 5 - 2
        row, reward = np.zeros(end + 1), 0.0
        for ox, px in accelerations(ax, problem_id == "drone").items():
            for oy, py in accelerations(ay, problem_id == "drone").items():
                there, arrived = flown(*map(int, here[s]), ox, oy)
                row[end if there is None else there] += px * py
                reward += px * py * arrived
        assert np.allclose(model.transitions[a][[s]].toarray()[0], row, atol=1e-12)
        assert -model.costs[s, a] == pytest.approx(reward)


def test_the_wind_of_both_variants():
    assert accelerations(0, False) == pytest.approx({0: 0.68, 1: 0.14, -1: 0.14, 2: 0.02, -2: 0.02})
    assert accelerations(0, True) == pytest.approx({0: 0.68, 1: 0.14, -1: 0.14, 2: 0.04})
    assert accelerations(1, True) == pytest.approx({1: 0.68, 2: 0.14, 0: 0.14, -1: 0.04})
    assert accelerations(2, False) == pytest.approx({2: 0.84, 1: 0.14, 0: 0.02})


def test_the_map_has_the_cells_of_the_states():
    x, y, _, _ = variables()
    rows = corridor().cells
    letters = {(i, FIELD - j): c for j, row in enumerate(rows) for i, c in enumerate(row)}
    free = {place for place, letter in letters.items() if letter != "W"}
    assert free == set(zip(x.tolist(), y.tolist(), strict=True))
    assert [place for place, letter in letters.items() if letter == "S"] == [(29, 2)]
    goal = {place for place, letter in letters.items() if letter == "G"}
    assert goal == {(i, j) for i in range(1, 5) for j in range(28, 31)}
