"""The semi-slippery lakes and the maze, cell by cell."""

import numpy as np
import pytest

from bench.problems import find_problem
from bench.problems.semi_slippery import random_map

DOWN, RIGHT = 1, 2


def plain(problem_id):
    return find_problem(problem_id).plain(0.0)


def test_a_move_goes_one_cell_or_two_and_stops_at_holes_goal_and_border():
    lake = plain("semi-slippery-4x4")  # SFFF FHFH FFFH HFFG
    right, down = lake.transitions[RIGHT].toarray(), lake.transitions[DOWN].toarray()
    assert right[0, [1, 2]].tolist() == [0.5, 0.5]
    assert right[2, 3] == 1  # one cell to the border, then stopped there
    assert right[4, 5] == 1 and right[6, 7] == 1  # a hole next to it ends the slide
    assert down[1, 5] == 1
    assert down[2, [6, 10]].tolist() == [0.5, 0.5]
    assert right[13, [14, 15]].tolist() == [0.5, 0.5] and lake.costs[13, RIGHT] == -0.5
    assert right[14, 15] == 1 and lake.costs[14, RIGHT] == -1
    assert [int(s) for s in np.flatnonzero(lake.terminal)] == [5, 7, 11, 12, 15]


def test_random_lakes_are_those_of_the_source_and_have_a_path():
    # What numpy's old generator draws from seed 0 with the source's call, first valid board.
    rows = random_map(12, 0)
    np.random.seed(0)  # noqa: NPY002
    board = np.random.choice(["F", "H"], (12, 12), p=[0.8, 1 - 0.8])  # noqa: NPY002
    board[0][0], board[-1][-1] = "S", "G"
    assert rows == tuple("".join(row) for row in board)
    assert random_map(12, 1) != rows and len(random_map(20, 3)) == 20


def test_the_maze_turns_at_its_ends_and_pays_on_leaving_the_goal():
    maze = plain("snake-maze")
    T = [t.toarray() for t in maze.transitions]
    at = maze.state_index
    assert T[1][at("r0c0"), [at("r0c1"), at("r0c2")]] == pytest.approx([0.6, 0.4])
    assert T[3][at("r0c0"), [at("r0c0"), at("r0c3")]] == pytest.approx([0.5, 0.5])
    assert T[1][at("r0c8"), at("r0c9")] == pytest.approx(1.0)
    assert T[4][at("r0c9"), at("r1c9")] == 1 and T[4][at("r0c8"), at("r0c8")] == 1
    assert T[4][at("r1c0"), at("r2c0")] == 1 and T[4][at("r1c9"), at("r1c9")] == 1
    assert all(t[at("r9c0"), at("end")] == 1 for t in T)
    assert (maze.costs[at("r9c0")] == 0.005 - 1).all() and (maze.costs[at("r3c3")] == 0.005).all()
