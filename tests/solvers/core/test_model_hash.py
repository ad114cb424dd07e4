import numpy as np

from solvers.core.model import SensingMDP
from solvers.core.model_hash import model_hash
from tests.pomdp_bridge.random_problems import random_problem


def changed(problem, **changes):
    given = {
        "transitions": [T.toarray() for T in problem.transitions],
        "costs": np.array(problem.costs),
        "discount": problem.discount,
        "sensing_cost": problem.sensing_cost,
        "start": np.array(problem.start),
        "terminal": problem.terminal,
    }
    return SensingMDP.from_arrays(**{**given, **changes})


def test_every_part_of_a_model_counts_and_names_and_start_do_not():
    problem = random_problem(1)
    base = model_hash(problem)
    assert len(base) == 32
    assert model_hash(changed(problem, start=0, name="other")) == base
    costs, T = np.array(problem.costs), [T.toarray() for T in problem.transitions]
    costs[0, 0] += 1e-6
    T[1][0] = np.eye(6)[3]
    others = [
        changed(problem, costs=costs),
        changed(problem, transitions=T),
        changed(problem, discount=0.81),
        changed(problem, sensing_cost=0.31),
        changed(problem, terminal=None),
    ]
    assert len({base, *map(model_hash, others)}) == 6


def test_a_last_bit_and_the_form_of_the_sensing_cost_do_not_count():
    problem = random_problem(1)
    nudged = np.nextafter(problem.costs, np.inf)
    nudged[problem.terminal] = -0.0
    assert model_hash(changed(problem, costs=nudged)) == model_hash(problem)
    spread = changed(problem, sensing_cost=np.full((6, 3), 0.3))
    assert model_hash(spread) == model_hash(problem)
