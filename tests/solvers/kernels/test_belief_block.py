import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers.core.model import SensingMDP
from solvers.kernels.belief_block import EXACT, FEWEST_WALKS, TRY_EVERY, BeliefBlock

STATES = 2 * FEWEST_WALKS


def mixing_problem(seed: int, share: float) -> SensingMDP:
    """Transitions that forget the state: each is ``share`` noise around rows of rank one."""
    rng = np.random.default_rng(seed)
    noise = rng.dirichlet(np.full(STATES, 0.1), size=(3, STATES))
    common = rng.dirichlet(np.ones(STATES), size=3)[:, None, :]
    T = share * noise + (1 - share) * common
    return SensingMDP.from_arrays(T, rng.normal(size=(STATES, 3)), 0.9, 0.1)


def block_of(problem: SensingMDP) -> BeliefBlock:
    """All states' walks."""
    return BeliefBlock(np.arange(STATES), STATES, problem.step, problem.dense_transitions)


@settings(max_examples=12, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    share=st.sampled_from([0.1, 0.5, 0.9]),
    loners=st.integers(0, STATES // 2),
)
def test_walks_stay_where_single_steps_take_them(seed, share, loners):
    problem = mixing_problem(seed, share)
    rng = np.random.default_rng(seed)
    block, beliefs = block_of(problem), np.eye(STATES)
    for depth in range(5 * TRY_EVERY):
        actions = np.zeros(len(beliefs), int)
        actions[:loners] = rng.integers(0, 3, size=loners)
        block.step(actions)
        beliefs = np.stack(
            [b @ problem.dense_transitions[a] for b, a in zip(beliefs, actions, strict=True)]
        )
        assert np.abs(block.beliefs - beliefs).sum(axis=1).max() <= EXACT * (depth + 1)
        assert (block.beliefs >= 0).all()
        if depth % 7 == 6:
            on = rng.random(len(beliefs)) < 0.9
            block.keep(on)
            beliefs, loners = beliefs[on], min(loners, int(on.sum()))


@pytest.mark.parametrize("actions", [np.zeros(STATES, int), np.arange(STATES) % 3])
def test_walks_that_have_met_move_as_few(actions):
    block = block_of(mixing_problem(0, 0.1))
    for _ in range(4 * TRY_EVERY):
        block.step(actions)
    assert len(block._basis) < STATES // 4


def test_walks_that_never_meet_are_left_alone():
    T = np.roll(np.eye(STATES), 1, axis=1)
    problem = SensingMDP.from_arrays([T], np.zeros(STATES), 0.9, 0.1)
    block = block_of(problem)
    for _ in range(3 * TRY_EVERY):
        block.step(np.zeros(STATES, int))
    assert np.array_equal(block.beliefs, np.roll(np.eye(STATES), 3 * TRY_EVERY, axis=1))


def test_no_walk_left_is_no_mistake():
    block = block_of(mixing_problem(0, 0.1))
    for _ in range(2 * TRY_EVERY):
        block.step(np.zeros(STATES, int))
    block.keep(np.zeros(STATES, bool))
    block.step(np.empty(0, int))
    assert block.beliefs.shape == (0, STATES)
