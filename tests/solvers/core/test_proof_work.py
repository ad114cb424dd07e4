"""Proofs that are asked again and again are work, too: else walks go on for minutes."""

import numpy as np

from solvers import SensingMDP, solve
from solvers.core.blind_moves import counted_states
from solvers.core.powers import Powers
from solvers.core.repeats import Repeats


def test_a_proof_that_is_asked_counts_as_work():
    T = np.array([[[0.9, 0.1], [0.2, 0.8]], [[0.5, 0.5], [0.5, 0.5]]])
    problem = SensingMDP.from_arrays(T, [[1.0, 2.0], [2.0, 0.5]], 0.9, 1.0)
    policy = solve(problem, "qmdp").policy
    repeats = Repeats(problem, policy, Powers(problem, counted_states(problem)))
    belief = np.array([[0.7, 0.3]])
    asked = np.array([0]), 64, belief, policy.act_batch(belief)[0]
    repeats.spans(*asked)
    before = repeats.work
    repeats.spans(*asked)  # no run is new
    assert repeats.work > before
