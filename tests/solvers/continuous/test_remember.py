"""A remembered policy is the policy at the centres of a mesh, planned for once."""

import numpy as np

from bench.continuous.problems import load_continuous
from solvers.continuous import ContinuousPolicy, Plans, Remembered, remembered


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
    assert found.tolist() == [-20, 4, 4, 4, 60]
    assert sorted(told.asked) == [-2.5, 0.5, 7.5]
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
    narrow = Remembered(problem, told, 17)  # the centre of [0.494, 0.6] has ended
    seen = np.array([[0.496, 0.0]])
    narrow.plans(seen, np.zeros(1, int))
    narrow.plans(seen, np.zeros(1, int))
    assert np.allclose(told.asked, [0.375, -0.3, 0.496, 0.496])


def test_only_one_and_two_dimensions_without_a_horizon_are_remembered():
    told = Telling()
    assert isinstance(remembered(load_continuous("lake-continuous"), told), Remembered)
    assert remembered(load_continuous("cart-pole"), told) is told
    assert remembered(load_continuous("mountain-hike"), told) is told
