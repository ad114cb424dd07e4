"""A remembered policy is the policy at the centres of a mesh, planned for once."""

from dataclasses import replace

import numpy as np
import pytest

from bench.continuous.problems import load_continuous
from solvers.continuous import ContinuousPolicy, Plans, Remembered, remembered
from solvers.continuous.model import clouds_at
from solvers.continuous.phases import Phased, phase_starts
from solvers.continuous.remember import TILE


class Telling(ContinuousPolicy):
    """Its action says where it was asked, and it keeps what it was asked."""

    name = "telling"

    def __init__(self):
        self.asked = []

    def plans(self, roots, times):
        self.asked += roots[:, 0].tolist()
        strings = np.floor(roots * 8).astype(int)
        return Plans(strings, np.full(len(roots), 1), np.ones(len(roots), bool))


def test_states_of_one_cell_share_the_plan_of_its_centre():
    problem, told = load_continuous("walk-1d"), Telling()  # the box is [-3, 3]
    policy = Remembered(problem, told, 6)
    x, now = np.array([[-2.9], [0.2], [0.9], [0.5], [7.3]]), np.zeros(5, int)
    found = policy.plans(x, now).actions[:, 0]
    assert found.tolist() == [-20, 4, 4, 4, 20]  # the last is outside: the nearest cell's
    assert sorted(told.asked) == [-2.5, 0.5, 2.5]
    again = policy.plans(x[::-1] + 0.01, now).actions[:, 0]
    assert again.tolist() == found[::-1].tolist() and len(told.asked) == 3


def test_a_state_is_not_moved_across_the_end():
    problem, told = load_continuous("mountain-car"), Telling()  # ends at 0.5
    policy = Remembered(problem, told, 4)  # the last cell, [0.15, 0.6], has its centre at 0.375
    wide = Remembered(problem, told, 1)  # and the only one at -0.3
    seen = np.array([[0.49, 0.0]])
    assert problem.ended(np.array([[0.5, 0.0]])).all()
    policy.plans(seen, np.zeros(1, int))
    wide.plans(seen, np.zeros(1, int))
    narrow = Remembered(problem, told, 16)  # the centre of [0.4875, 0.6] has ended
    seen = np.array([[0.49, 0.0]])
    narrow.plans(seen, np.zeros(1, int))
    narrow.plans(seen, np.full(1, 3))
    assert told.asked[:2] == pytest.approx([0.375, -0.3])
    assert len(told.asked) == 3 and 0.4875 < told.asked[2] < 0.5


def test_plans_of_cells_are_made_for_all_of_their_states():
    """From the end of a cell the best push differs from that of its centre: the plan is of both."""
    problem, asked = load_continuous("walk-1d"), []

    class Spread(Telling):
        def spread_over(self, size):
            asked.append(size)
            return self

    remembered(problem, Spread())
    assert np.allclose(asked, 6 / 256)


def test_clouds_that_are_spread_stay_in_the_box_and_before_the_end():
    problem, rng = load_continuous("mountain-car"), np.random.default_rng(0)
    roots = np.array([[0.49, 0.0], [-1.2, 0.07]])
    clouds = clouds_at(problem, roots, 500, np.array([0.1, 0.02]), rng)
    assert not problem.ended(clouds.reshape(-1, 2)).any()
    assert (clouds >= problem.low).all() and (clouds <= problem.high).all()
    assert clouds[1, :, 0].mean() == pytest.approx(-1.1875, abs=0.005)  # half of it is cut to -1.2


def test_with_a_horizon_plans_are_those_of_the_phase_and_end_with_the_episode():
    told = Telling()
    problem = replace(load_continuous("walk-1d"), horizon=20)
    policy = remembered(problem, told)
    assert isinstance(policy, Phased) and isinstance(policy.policy, Remembered)
    x = np.zeros((3, 1))
    found = policy.plans(x, np.array([0, 4, 19]))
    assert found.looks.tolist() == [True, True, False]  # nobody looks at the horizon
    assert len(told.asked) == 2 * TILE[1]  # times 0 and 4 are one phase, 19 another


def test_phases_are_single_steps_at_the_end_and_cover_the_episode():
    starts = phase_starts(75)
    assert starts[0] == 0 and starts[-1] == 74
    lengths = np.diff([*starts, 75])
    assert (np.diff(lengths) <= 0).all() and (lengths[-3:] == 1).all()
    assert phase_starts(None).tolist() == [0] and phase_starts(1).tolist() == [0]


def test_only_one_and_two_dimensions_are_remembered():
    told = Telling()
    assert isinstance(remembered(load_continuous("lake-continuous"), told), Remembered)
    assert remembered(load_continuous("cart-pole"), told).policy is told
