"""Proof files written by hand to deceive the checker: each claims what is false, or would stop it.

The first two were accepted once.
"""

import time
from fractions import Fraction

import numpy as np
import pytest

from solvers import verify
from solvers.bounds import proof_file


def file_of(rows, costs, discount, claims, plans, witnesses, **rest):
    """The arrays of a proof; ``rows[a][s]`` lists (state, chance), k is 1 and the start state 0.

    claims : lower, upper (S,); plans : actions and whether they end in a look, per root
    witnesses : potential, steps (S,) and tails (S, A)
    """
    (lower, upper), (potential, steps, tails) = claims, witnesses
    S = len(costs)
    entries = [entry for action in rows for row in action for entry in row]
    stored = {
        "indptr": np.array([np.cumsum([0] + [len(row) for row in action]) for action in rows]),
        "indices": np.array([state for state, _ in entries]),
        "data": np.array([chance for _, chance in entries], float),
        "costs": np.array(costs, float),
        "discount": np.array(discount, float),
        "sensing_cost": np.array(1.0),
        "start": np.eye(S)[0],
        "terminal": np.zeros(S, bool),
        "names": np.frombuffer(b"{}", np.uint8),
        "lower": np.array(lower, float),
        "upper": np.array(upper, float),
        "claim": np.array([lower[0], upper[0]], float),
        "plan_actions": np.array([a for actions, _ in plans for a in actions], np.int64),
        "plan_ends": np.cumsum([0] + [len(actions) for actions, _ in plans]),
        "plan_senses": np.array([senses for _, senses in plans], bool),
        "potential": np.array(potential, float),
        "steps": np.array(steps, float),
        "tails": np.array(tails, float),
        "sweeps": np.array([1]),
    } | rest
    return stored | {"digest": proof_file.digest(stored)}


def one_state(actions=2, **rest):
    """The truth about one state that costs 1 a step, at discount 1/2: 2."""
    rows, costs = [[[(0, 1.0)]]] * actions, np.ones((1, actions))
    claims, witnesses = ([1.95], [2.2]), ([1.9], [4.0], 2.1 * np.ones((1, actions)))
    return file_of(rows, costs, 0.5, claims, [((0,), False)], witnesses, **rest)


def verdict_of(stored, tmp_path, seconds=20.0):
    proof_file.save(tmp_path / "proof.npz", stored)
    return verify(tmp_path / "proof.npz", seconds)


def test_what_is_true_is_accepted(tmp_path):
    assert verdict_of(one_state(), tmp_path).ok


def test_steps_below_0_bound_nothing(tmp_path):
    """Rows that sum to 1 + 10⁻⁸ without discount: earning 1 a step for ever is worth infinity."""
    chances = 0.5, 0.5 + 9e-9
    on, off = [list(zip(states, chances, strict=True)) for states in ((0, 1), (2, 3))]
    claims = [2e8, 2e8, 0, 0], [2.2e8, 2.2e8, 0, 0]
    stored = file_of(
        [[on, on, off, off], [off] * 4],
        [[-1, 2.1e8], [-1, 2.1e8], [0, 0], [0, 0]],
        1.0,
        claims,
        [((1,), True)] * 2 + [((), False)] * 2,
        (claims[0], [-1e9] * 4, np.zeros((4, 2))),
        terminal=np.array([False, False, True, True]),
    )
    verdict = verdict_of(stored, tmp_path)
    assert not verdict.ok
    assert "steps" in verdict.reason


def test_a_row_in_many_pieces_is_refused(tmp_path):
    """A sum of more terms than there are states rounds by more than the checker allows for."""
    pieces, discount, v = 100_000, 1 - 2.0**-30, 2.0**29
    ulp = Fraction(1, 2**53)
    chance = float(int(1 / (pieces * ulp)) * ulp + ulp * Fraction(51, 100))  # rounds upwards
    total = float(np.cumsum(np.full(pieces, chance))[-1])  # one after the other
    cost = v * (1 - discount * total) + v * 2.0**-45
    optimum = Fraction(cost) / (1 - Fraction(discount) * pieces * Fraction(chance))
    assert v > optimum * Fraction(1001, 1000)  # the claim is false
    claims, witnesses = ([v], [2.1 * v]), ([v], [2.0**33], [[2 * v]])
    row = [(0, chance)] * pieces
    stored = file_of([[row]], [[cost]], discount, claims, [((0,), False)], witnesses)
    verdict = verdict_of(stored, tmp_path)
    assert not verdict.ok
    assert "twice" in verdict.reason


def test_lengths_of_rows_that_wrap_around_are_refused(tmp_path):
    quarter = 2**62
    stored = one_state(4, indptr=np.array([[0, quarter]] * 3 + [[0, quarter + 4]]))
    verdict = verdict_of(stored, tmp_path)
    assert not verdict.ok
    assert "transitions" in verdict.reason


@pytest.mark.parametrize(("actions", "depths"), [(2, 2_000), (1, 300_000), (2_000, 60)])
def test_a_depth_beyond_all_bounds_is_refused(actions, depths, tmp_path):
    stored = one_state(actions, sweeps=np.zeros(depths, np.int64))
    began = time.process_time()
    assert not verdict_of(stored, tmp_path).ok
    assert time.process_time() - began < 5


def test_a_plan_of_a_million_actions_ends_with_the_limit(tmp_path):
    n = 1_000_000
    stored = one_state(plan_actions=np.zeros(n, np.int64), plan_ends=np.array([0, n]))
    began = time.process_time()
    assert not verdict_of(stored, tmp_path, 0.5).ok
    assert time.process_time() - began < 5
