"""A policy class derived from one of the library is valued as what it does, or refused."""

import numpy as np
import pytest

from solvers import AlphaVectorPolicy, PlanPolicy, Policy
from solvers.planners.atm import ATMPolicy


def careful(belief):
    return belief.max(axis=-1) < 0.6


@pytest.mark.parametrize("parent", [AlphaVectorPolicy, ATMPolicy, PlanPolicy])
def test_a_new_choice_with_an_old_statement_is_refused(parent):
    """Found by an adversary: it was given the value of its parent's policy."""
    with pytest.raises(TypeError, match=f"Careful overrides what {parent.__name__} does .* derive"):

        class Careful(parent):
            def act_batch(self, beliefs):
                actions, looks = super().act_batch(beliefs)
                return actions, looks | careful(beliefs)


@pytest.mark.parametrize("parent", [AlphaVectorPolicy, ATMPolicy, PlanPolicy])
def test_a_choice_made_one_by_one_is_refused_too(parent):
    with pytest.raises(TypeError, match="derive from Policy"):

        class OneByOne(parent):
            def act(self, belief):
                action, look = super().act(belief)
                return action, look or bool(careful(belief))


def test_a_new_step_with_an_old_choice_is_refused_too():
    with pytest.raises(TypeError, match="Stepping overrides what PlanPolicy does"):

        class Stepping(PlanPolicy):
            def step(self, roots, depth, beliefs):
                return np.ones(len(roots), int), np.full(len(roots), depth >= 3)


def test_what_says_nothing_wrong_is_taken():
    class Named(AlphaVectorPolicy):
        label = "mine"

    class First(Policy):
        def act(self, belief):
            return 0, True

    class Second(First):
        def act(self, belief):
            return 1, bool(np.ptp(belief) < 1)
