import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from bench.problems import load_problem
from solvers import ModelError, SensingMDP

STAY = np.eye(2)
SWAP = np.array([[0.0, 1.0], [1.0, 0.0]])
GOOD = {
    "transitions": np.stack([STAY, SWAP]),
    "costs": np.array([[1.0, 2.0], [3.0, 4.0]]),
    "discount": 0.5,
    "sensing_cost": 0.1,
}


def build(**changes) -> SensingMDP:
    return SensingMDP.from_arrays(**{**GOOD, **changes})


def changed(array, place, value) -> np.ndarray:
    array = np.array(array, float)
    array[place] = value
    return array


BAD = [
    # transitions
    ({"transitions": np.eye(2)}, r"shape \(2, 2\); expected \(A, S, S\)"),
    ({"transitions": [np.ones((2, 3)) / 3]}, r"action 0: transitions have shape \(2, 3\)"),
    ({"transitions": [STAY, np.eye(3)]}, r"action 1: transitions have shape \(3, 3\).*\(2, 2\)"),
    ({"transitions": []}, "transitions are empty"),
    (
        {"transitions": changed(GOOD["transitions"], (1, 0, 1), 0.93)},
        "action 1, row 0 sums to 0.93; expected 1",
    ),
    (
        {"transitions": changed(GOOD["transitions"], (0, 1, 0), -0.5)},
        "action 0, row 1, column 0: probability -0.5 is negative",
    ),
    (
        {"transitions": changed(GOOD["transitions"], (0, 1, 1), np.nan)},
        "action 0, row 1, column 1: probability nan is not a finite number",
    ),
    (
        {"transitions": changed(GOOD["transitions"], (1, 1, 0), np.inf)},
        "action 1, row 1, column 0: probability inf is not a finite number",
    ),
    # costs
    ({"costs": np.zeros((2, 3))}, r"costs have shape \(2, 3\); expected \(S, A\) = \(2, 2\)"),
    ({"costs": changed(GOOD["costs"], (1, 0), np.nan)}, "cost of action 0 in state 1 is nan"),
    # discount
    ({"discount": 1.5}, "discount is 1.5; expected a number above 0 and at most 1"),
    ({"discount": 0}, "discount is 0"),
    ({"discount": -0.1}, "discount is -0.1"),
    ({"discount": "0.9"}, "discount is '0.9'"),
    ({"discount": float("nan")}, "discount is nan"),
    ({"discount": True}, "discount is True; expected a number"),
    # sensing cost
    ({"sensing_cost": True}, "sensing cost is True; expected the price of a look, such as 1.0"),
    ({"sensing_cost": np.True_}, r"sensing cost is (np\.)?True_?; expected the price"),
    ({"sensing_cost": [True, False]}, r"sensing cost is \[True, False\]; expected the price"),
    ({"sensing_cost": -0.1}, "sensing cost is -0.1; expected a finite number >= 0"),
    ({"sensing_cost": np.nan}, "sensing cost is nan"),
    ({"sensing_cost": [0.1, -2.0]}, r"sensing cost at \(1,\) is -2.0"),
    ({"sensing_cost": [[0, 0], [0, -3.0]]}, r"sensing cost at \(1, 1\) is -3.0"),
    ({"sensing_cost": [1, 2, 3]}, r"sensing cost has shape \(3,\); expected a number, \(A,\)"),
    # names
    ({"state_names": ["one"]}, "1 state names for 2 states"),
    ({"action_names": ["go", "go"]}, "action name 'go' stands twice"),
    # start
    ({"start": [1.0, 0.0, 0.0]}, r"start has shape \(3,\); expected \(2,\)"),
    ({"start": [0.5, 0.4]}, "start sums to 0.9; expected 1"),
    ({"start": [1.5, -0.5]}, "start probability of state 1 is -0.5"),
    ({"start": [np.nan, 1.0]}, "start probability of state 0 is nan"),
    ({"start": 2}, "state 2 does not exist; there are 2"),
    ({"start": "three"}, "unknown state 'three'; the states are: 0, 1"),
    # terminal states
    ({"terminal": [True]}, r"terminal mask has shape \(1,\)"),
    ({"terminal": [5]}, "state 5 does not exist"),
    ({"terminal": ["end"]}, "unknown state 'end'"),
    ({"terminal": 0}, r"terminal state 0 \(0\) has cost 1.0 under action 0 \(0\).*must be free"),
    (
        {"terminal": 1, "costs": np.zeros((2, 2))},
        r"terminal state 1 \(1\) is left with probability 1 under action 1.*absorbing",
    ),
    (
        {"transitions": [STAY], "costs": np.zeros((2, 1)), "terminal": [0, 1]},
        "every state is terminal",
    ),
]


@pytest.mark.parametrize(("changes", "message"), BAD, ids=[m[:40] for _, m in BAD])
def test_bad_input_is_refused_with_its_place(changes, message):
    with pytest.raises(ModelError, match=message):
        build(**changes)


def test_names_stand_in_messages_about_terminal_states():
    with pytest.raises(ModelError, match=r"terminal state 0 \(goal\).*action 1 \(swap\)"):
        build(
            costs=np.zeros((2, 2)),
            terminal="goal",
            state_names=["goal", "field"],
            action_names=["stay", "swap"],
        )


def test_unknown_names_and_indices_when_reading():
    model = build(state_names=["here", "there"], action_names=["stay", "swap"])
    assert model.state_index("there") == 1 and model.action_index("stay") == 0
    assert model.state_index(np.int64(1)) == 1
    with pytest.raises(ModelError, match="unknown state 'nowhere'; the states are: here, there"):
        model.state_index("nowhere")
    with pytest.raises(ModelError, match="action 2 does not exist; there are 2"):
        model.action_index(2)
    with pytest.raises(ModelError, match="state -1 does not exist"):
        model.state_index(-1)


def test_dense_and_sparse_input_make_the_same_model():
    dense = build()
    mixed = build(transitions=[sparse.coo_array(STAY), SWAP])
    for one, two in zip(dense.transitions, mixed.transitions, strict=True):
        assert (one.toarray() == two.toarray()).all()


def test_rows_that_almost_sum_to_one_are_rescaled():
    model = build(transitions=GOOD["transitions"] * (1 + 1e-10))
    assert all((t.sum(axis=1) == 1).all() for t in model.transitions)


def test_costs_per_state_hold_for_every_action():
    assert (build(costs=[1.0, 2.0]).costs == [[1, 1], [2, 2]]).all()


def test_rewards_are_costs_with_the_other_sign():
    model = SensingMDP.from_rewards(GOOD["transitions"], GOOD["costs"], 0.5, 0.1)
    assert (model.costs == -GOOD["costs"]).all() and model.sensing_cost == 0.1


def test_the_model_does_not_change_with_what_it_was_built_from():
    T, C = GOOD["transitions"].copy(), GOOD["costs"].copy()
    model = build(transitions=T, costs=C)
    T[:], C[:] = 7, 7
    assert (model.costs == GOOD["costs"]).all()
    assert (model.transitions[1].toarray() == SWAP).all()
    with pytest.raises(ValueError, match="read-only"):
        model.costs[0, 0] = 5
    with pytest.raises(ValueError, match="read-only"):
        model.transitions[1].data[0] = 0.5
    with pytest.raises(AttributeError):
        model.discount = 0.7


def test_sparse_matrices_stay_those_of_their_owner():
    theirs = [sparse.csr_array(T) for T in GOOD["transitions"]]
    model = build(transitions=theirs)
    theirs[1].data[:] = 0.0  # neither refused, nor seen by the model
    assert (model.transitions[1].toarray() == SWAP).all()


def test_start_is_uniform_over_live_states_unless_given():
    model = build(transitions=[STAY], costs=[[1.0], [0.0]], terminal=1)
    assert (model.start == [1, 0]).all()
    assert (model.with_start("1").start == [0, 1]).all()
    assert (build().start == 0.5).all()


def test_other_sensing_cost_shares_the_rest_and_is_checked():
    model = build()
    other = model.with_sensing_cost(0.7)
    assert other.transitions is model.transitions and other.sensing_cost == 0.7
    assert model.sensing_cost == 0.1
    with pytest.raises(ModelError, match=r"sensing cost is -1\.0"):
        model.with_sensing_cost(-1)


def test_sensing_costs_of_every_form():
    beliefs = np.array([[1.0, 0.0], [0.25, 0.75]])
    table = np.array([[0.0, 1.0], [2.0, 4.0]])
    assert (build(sensing_cost=0.3).sensing_cost_at(beliefs) == 0.3).all()
    assert (build(sensing_cost=[0.1, 0.2]).sensing_cost_at(beliefs) == [[0.1, 0.2]] * 2).all()
    by_state = build(sensing_cost=table)
    assert (by_state.sensing_cost_at(beliefs) == beliefs @ table).all()
    assert by_state.max_sensing_cost == 4
    of_belief = build(sensing_cost=lambda b, a: a + 1 - b.max())
    assert (of_belief.sensing_cost_at(beliefs) == [[0, 1], [0.25, 1.25]]).all()
    assert of_belief.max_sensing_cost == 1.5
    assert not of_belief.has_linear_sensing_cost
    with pytest.raises(ModelError, match=r"function of the belief.*no \(S, A\) array"):
        of_belief.sensing_costs()


@pytest.mark.parametrize("wrong", [-1.0, np.nan, np.inf, True])
def test_a_sensing_cost_function_that_gives_nonsense(wrong):
    model = build(sensing_cost=lambda b, a: wrong if a == 1 else 0.0)
    with pytest.raises(ModelError, match=f"function gave {wrong} for action 1"):
        model.sensing_cost_at(np.array([0.5, 0.5]))


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(1, 6))
def test_a_blind_step_is_the_product_with_each_action(seed, n):
    rng = np.random.default_rng(seed)
    for S in (3, 150):  # dense and sparse products
        T = [sparse.random_array((S, S), density=0.02, rng=rng) + sparse.eye_array(S)] * 2
        T = [sparse.csr_array(t / t.sum(axis=1)[:, None]) for t in T]
        model = SensingMDP.from_arrays(T, np.zeros((S, 2)), 0.9, 0.0)
        beliefs = rng.dirichlet(np.ones(S), size=n)
        actions = rng.integers(2, size=n)
        expected = [b @ T[a].toarray() for b, a in zip(beliefs, actions, strict=True)]
        assert np.allclose(model.step(beliefs, actions), expected, atol=1e-14)


def test_it_says_what_it_is():
    text = repr(load_problem("taxi", 0.5))
    assert "'taxi', 500 states, 6 actions, discount 0.95, k = 0.5" in text
    assert "k = non-uniform" in repr(build(sensing_cost=[0.1, 0.2]))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"transitions": None}, "transitions: found NoneType; expected an array"),
        ({"transitions": [[[1.0, 0], [1.0]]]}, "transitions of action 0: .*differ in length"),
        ({"transitions": [[["a", "b"], ["c", "d"]]]}, "transitions of action 0: found text"),
        ({"transitions": np.array([np.eye(2) * (1 + 0j)])}, "action 0: complex numbers"),
        ({"transitions": [sparse.csr_array(np.eye(2) * (1 + 0j))]}, "action 0: complex numbers"),
        ({"costs": np.ma.masked_less([[1.0], [0.0]], 0.5)}, "costs: a masked array hides"),
        ({"costs": [["cheap"], ["dear"]]}, "costs: found text; expected numbers"),
        ({"costs": [[1.0], [None]]}, "costs: found list; expected numbers"),
        ({"sensing_cost": "much"}, "sensing cost: found text; expected numbers"),
        ({"sensing_cost": 1j}, "sensing cost: complex numbers"),
        ({"start": [[1.0], [1.0, 2.0]]}, "start: the rows differ in length"),
        ({"start": 0.5}, r"start has shape \(\); expected \(2,\)"),
        ({"terminal": 1.5}, "terminal is 1.5; expected a mask"),
        ({"terminal": [0.0]}, "state .*0.0.* is neither a number of one nor a name"),
        ({"transitions": [[[1.0, 1e-7], [0, 1]]]}, r"row 0 sums to 1 \+1e-07; expected 1"),
    ],
)
def test_what_is_not_an_array_of_numbers_is_refused_with_its_name(changes, message):
    given = {"transitions": [np.eye(2)], "costs": [[1.0], [1.0]], "sensing_cost": 0.1}
    with pytest.raises(ModelError, match=message):
        SensingMDP.from_arrays(**{**given, "discount": 0.5, **changes})


def test_a_function_of_the_belief_cannot_change_it():
    def greedy(belief, action):
        belief[:] = 0
        return 1.0

    problem = SensingMDP.from_arrays([np.eye(2)], [[1.0], [1.0]], 0.5, greedy)
    with pytest.raises(ValueError, match="read-only"):
        problem.sensing_cost_at(np.array([0.5, 0.5]))


def test_a_terminal_state_that_leaks_by_rounding_is_made_absorbing():
    T = [[[0.5, 0.5], [1e-9, 1 - 1e-9]]]
    problem = SensingMDP.from_arrays(T, [[1.0], [0.0]], 0.5, 0.1, terminal=1)
    assert problem.transitions[0].toarray().tolist() == [[0.5, 0.5], [0.0, 1.0]]


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda b, a: 1 / 0, "failed for action 0: ZeroDivisionError"),
        (lambda b, a: b.fill(0), "failed for action 0: ValueError: assignment destination"),
        (lambda b: 1.0, "failed for action 0: TypeError"),
        (lambda b, a: np.array([0.1, 0.2]), "gave array"),
        (lambda b, a: "x", "gave 'x' for action 0"),
        (lambda b, a: None, "gave None for action 0"),
        (lambda b, a: 1j, "gave 1j for action 0"),
    ],
)
def test_a_sensing_cost_function_that_misbehaves_is_named(function, words):
    problem = SensingMDP.from_arrays([np.eye(2)], [[1.0], [0.0]], 0.9, function)
    with pytest.raises(ModelError, match=words):
        problem.sensing_cost_at(np.eye(2))


def test_numbers_that_leave_no_room_are_refused():
    with pytest.raises(ModelError, match="cost of action 0 in state 1 is -1e"):
        SensingMDP.from_arrays([np.eye(2)], [[1.0], [-1e308]], 0.9, 0.1)
    with pytest.raises(ModelError, match="sensing cost is 1e"):
        SensingMDP.from_arrays([np.eye(2)], [[1.0], [0.0]], 0.9, 1e200)
