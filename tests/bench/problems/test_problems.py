import subprocess
import sys

import numpy as np
import pytest
from gymnasium.envs.toy_text.frozen_lake import FrozenLakeEnv

from bench import load_problem
from bench.analysis.published import published
from bench.problems import find_problem, problems
from bench.problems.frozen_lake import MAPS, lake
from bench.problems.gymnasium_table import model_from_table
from bench.problems.taxi import STANDS, decode, encode
from solvers import ModelError, evaluate, solve
from solvers.core.policy import AlphaVectorPolicy

# id: states, actions, discount, start states, terminal states, the paper's sensing costs
FACTS = {
    "frozen-lake-4x4": (16, 4, 0.9, 1, 5, (0.001, 0.005, 0.01, 0.05)),
    "frozen-lake-4x4-hard": (16, 4, 0.9, 1, 5, (0.001, 0.005, 0.01, 0.05)),
    "frozen-lake-8x8": (64, 4, 0.9, 1, 11, (0.001, 0.005, 0.01, 0.05)),
    "frozen-lake-4x4-hard-near": (16, 4, 0.9, 1, 5, (0.01,)),
    "taxi": (500, 6, 0.95, 300, 4, (0.1, 0.5, 1.0, 5.0)),
    "taxi-walls": (500, 6, 0.95, 300, 4, (0.1, 0.5, 1.0, 5.0)),
    "icu-sepsis": (716, 25, 0.99, None, 3, (0.005, 0.01, 0.05, 0.1)),
    "inventory": (4, 4, 0.8, 4, 0, (0.2, 0.064)),
    "two-state": (2, 2, 0.5, 2, 0, (0.25, 0.01)),
    "two-state-b": (2, 2, 0.5, 2, 0, (0.125, 0.01)),
    "two-state-counterexample": (2, 2, 0.5, 2, 0, (0.005,)),
}


@pytest.mark.parametrize("problem_id", FACTS)
def test_every_problem_of_the_list_has_its_facts(problem_id):
    S, A, discount, starts, ends, costs = FACTS[problem_id]
    problem = load_problem(problem_id)
    assert (problem.num_states, problem.num_actions, problem.discount) == (S, A, discount)
    assert problem.terminal.sum() == ends
    assert starts is None or np.count_nonzero(problem.start) == starts
    assert problem.start @ problem.terminal == 0
    assert find_problem(problem_id).sensing_costs == costs
    assert problem.sensing_cost == costs[0] and problem.name == problem_id
    assert len(set(problem.state_names)) == S


def test_the_list_is_complete():
    assert set(problems()) >= set(FACTS)


@pytest.mark.parametrize("key", MAPS)
def test_lakes_hold_the_environments_own_table(key):
    rows = MAPS[key]
    env = FrozenLakeEnv(desc=list(rows), is_slippery=True)
    problem = load_problem(f"frozen-lake-{key}", 0.01)
    letters = "".join(rows)
    assert problem.start[letters.index("S")] == 1
    assert [letters[s] for s in np.flatnonzero(problem.terminal)] == [
        c for c in letters if c in "HG"
    ]
    for s in np.flatnonzero(~problem.terminal):
        for a in range(4):
            row, reward = np.zeros(len(letters)), 0.0
            for chance, after, gain, _ in env.P[s][a]:
                row[after] += chance
                reward += chance * gain
            assert problem.transitions[a].toarray()[s] == pytest.approx(row)
            assert problem.costs[s, a] == pytest.approx(-reward)


def test_a_lake_of_ones_own():
    problem = lake(("SFG",), 0.1)
    assert problem.num_states == 3 and problem.terminal.tolist() == [False, False, True]


def test_taxi_moves_and_pays_as_the_paper_says():
    problem = load_problem("taxi", 1.0)
    T = [t.toarray() for t in problem.transitions]
    middle = encode(2, 2, 0, 1)
    for a, (r, c) in enumerate(((3, 2), (1, 2), (2, 3), (2, 1))):
        assert T[a][middle, encode(r, c, 0, 1)] == pytest.approx(0.8)
        assert problem.costs[middle, a] == 1
    assert T[0][middle, encode(2, 1, 0, 1)] == pytest.approx(0.1)
    assert problem.costs[middle, 4] == problem.costs[middle, 5] == 10
    at_stand = encode(*STANDS[0], 0, 1)
    assert T[4][at_stand, encode(*STANDS[0], 4, 1)] == 1 and problem.costs[at_stand, 4] == 1
    carrying = encode(*STANDS[1], 4, 1)
    assert problem.costs[carrying, 5] == -20
    assert problem.terminal[T[5][carrying].argmax()]
    for s in np.flatnonzero(problem.start):
        _, _, passenger, destination = decode(int(s))
        assert passenger < 4 and passenger != destination
    assert all(encode(*decode(s)) == s for s in range(500))


def test_walls_part_neighbours_in_taxi_walls_only():
    here, there = encode(0, 1, 0, 1), encode(0, 2, 0, 1)
    assert load_problem("taxi", 1.0).transitions[2][here, there] == pytest.approx(0.8)
    assert load_problem("taxi-walls", 1.0).transitions[2][here, there] == 0


def test_icu_sepsis_ends_in_its_last_three_states_and_pays_for_survival():
    problem = load_problem("icu-sepsis", 0.005)
    assert np.flatnonzero(problem.terminal).tolist() == [713, 714, 715]
    assert problem.state_names[713:] == ("death", "survival", "end")
    # The reward of an action is the chance that it leads to survival.
    survives = np.stack([T[:, [714]].toarray()[:, 0] for T in problem.transitions], axis=1)
    assert np.allclose(problem.costs[:713], -survives[:713], atol=1e-9)
    best = solve(problem.with_sensing_cost(0.0), "always-sense")
    assert -best.value == pytest.approx(0.8, abs=0.1)


def test_sarsop_on_icu_sepsis_is_published_as_what_it_starts_from():
    """NativeSARSOP starts from what each action costs for good, blind, and stops there if its upper
    bound, cut after a sweep from 0, lies below: the policy of these vectors never looks."""
    problem, alpha = load_problem("icu-sepsis", 0.05), 0.99
    every = np.arange(problem.num_actions)

    def reward(vectors):
        policy = AlphaVectorPolicy(problem, vectors, every, np.zeros(len(every), bool))
        return -problem.start @ evaluate(problem, policy)

    exact = np.stack([problem.repeated(a).values for a in every])
    stated = [published("icu-sepsis", "julia-sarsop", {}, k).value for k in (0.005, 0.01, 0.05)]
    assert stated == [round(reward(exact), 3)] * 3
    stock, moved = np.zeros(exact.shape), np.inf
    while moved >= 0.01:  # its stock settings stop earlier
        after = [problem.costs[:, a] + alpha * (problem.transitions[a] @ stock[a]) for a in every]
        moved, stock = np.abs(np.array(after) - stock).max(), np.array(after)
    assert round(reward(stock), 3) == 0.739


def test_icu_sepsis_loads_in_silence():
    """In a process of its own, every warning an error and nothing printed."""
    code = "from bench import load_problem; load_problem('icu-sepsis', 0.1)"
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")


def test_inventory_by_hand():
    problem = load_problem("inventory", 0.2)
    # Two in stock, one ordered: demand 1 leaves 2 (1 - 2 + 1), demand 2 leaves 1 (1 - 4 + 0.5).
    assert problem.transitions[1].toarray()[2].tolist() == [0, 0.5, 0.5, 0]
    assert problem.costs[2, 1] == pytest.approx((0.0 - 2.5) / 2)
    # Three and three: five are left after demand 1; two are lost, all five pay holding.
    assert problem.transitions[3].toarray()[3].tolist() == [0, 0, 0, 1]
    assert problem.costs[3, 3] == pytest.approx(((3 - 2 + 2.5) + (3 - 4 + 2.0)) / 2)


def test_a_gymnasium_environment_with_a_table():
    problem = load_problem("gym:CliffWalking-v1", 0.1)
    assert (problem.num_states, problem.num_actions) == (48, 4)
    assert np.flatnonzero(problem.terminal).tolist() == [47]
    seen = solve(problem.with_sensing_cost(0.0), "always-sense")
    # Thirteen steps along the cliff at 1 each, all certain.
    assert seen.value == pytest.approx((1 - 0.95**13) / (1 - 0.95))
    blind = solve(problem, "qmdp")
    assert blind.value == pytest.approx(seen.value)  # nothing is uncertain: no need to look


def test_printed_numbers_are_rewards_where_the_problem_is_stated_so():
    assert find_problem("frozen-lake-4x4").shown(-0.02308) == pytest.approx(23.08)
    assert find_problem("taxi").shown(1.6) == pytest.approx(-1.6)
    assert find_problem("inventory").shown(1.6) == pytest.approx(1.6)


@pytest.mark.parametrize("problem_id", [p for p in FACTS if problems()[p].grid])
def test_every_state_of_a_grid_world_has_its_cell(problem_id):
    grid, problem = find_problem(problem_id).grid(), load_problem(problem_id)
    assert len(grid.position) == problem.num_states
    assert all(r < len(grid.cells) and c < len(grid.cells[r]) for r, c in grid.position)


@pytest.mark.parametrize(
    ("problem_id", "message"),
    [
        (
            "frozen-pond",
            r"unknown problem 'frozen-pond'; the problems are: .*frozen-lake-4x4.*gym:",
        ),
        ("gym:NoSuchThing-v0", "Gymnasium has no environment 'NoSuchThing-v0'"),
        ("gym:CartPole-v1", "no table P"),
        ("absent.npz", "no such file"),
    ],
)
def test_unknown_problems_are_answered_helpfully(problem_id, message):
    with pytest.raises(ModelError, match=message):
        load_problem(problem_id)


def test_a_state_that_ends_the_episode_only_sometimes_is_refused():
    table = {
        0: {0: [(0.5, 1, 0.0, True), (0.5, 2, 0.0, False)]},
        1: {0: [(1.0, 1, 0.0, True)]},
        2: {0: [(1.0, 1, 0.0, False)]},
    }
    with pytest.raises(ModelError, match=r"state 1 ends the episode .*not from state 2"):
        model_from_table(table, start=np.eye(3)[0], discount=0.9, sensing_cost=0.1, name="odd")


def test_sensing_costs_of_every_form_are_taken():
    shapes = [0.1, np.full(4, 0.1), np.full((16, 4), 0.1), lambda belief, action: 0.1]
    policy = solve(load_problem("frozen-lake-4x4", 0.1), "always-sense").policy
    values = [evaluate(load_problem("frozen-lake-4x4", k), policy) for k in shapes]
    assert all(np.allclose(values[0], other) for other in values[1:])
