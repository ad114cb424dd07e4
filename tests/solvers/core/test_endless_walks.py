"""Walks that nothing proves to repeat come to an end even where the discount hardly fades."""

import numpy as np
import pytest

from solvers import AlphaVectorPolicy, Policy, SensingMDP, solve
from solvers.core import unrolling
from solvers.core.evaluation import evaluate_fully


@pytest.fixture
def steps(monkeypatch):
    """Counts the steps of walks; more than 20,000 of them are a failure."""
    counted, one = [0], unrolling.Walker._step

    def count(self, block):
        counted[0] += 1
        assert counted[0] <= 20_000
        return one(self, block)

    monkeypatch.setattr(unrolling.Walker, "_step", count)
    return counted


def doors(alpha, dear, row_sum=1 + 5e-15):
    """Two doors that look alike: what is best behind one is bad behind the other.  Rows sum to a
    little more than 1, so that no belief comes back, and a look behind one costs ``dear``."""
    T, C, end = np.zeros((3, 6, 6)), np.zeros((6, 3)), 5
    for first, right in ((1, 1), (3, 2)):
        T[0, first, first + 1] = T[0, first + 1, first + 1] = row_sum
        T[1:, first, first] = row_sum
        T[1:, first + 1, end] = 1
        C[first, 1:], C[first + 1] = 10, [10, 1, 1]
        C[first + 1, right] = 1e-3
    T[0, 0, [1, 3]] = 0.5
    T[1:, 0, 0] = T[:, end, end] = 1
    C[0, 1:] = 10
    k = np.ones((6, 3))
    k[2, 0] = dear
    return SensingMDP.from_arrays(T, C, alpha, k, terminal=[end], start=0)


@pytest.mark.parametrize(("alpha", "dear"), [(1 - 1e-9, 1e15), (1 - 1e-7, 1e15)])
def test_dear_looks_and_rows_above_one_do_not_keep_a_walk_going(steps, alpha, dear):
    """It went on by leaps of 16,384 steps, of which 7e10 were needed (found by fuzzing)."""
    problem = doors(alpha, dear)
    found = solve(problem, "fib", budget=1)
    T, C = problem.transitions[0].toarray(), problem.costs[:, 0]
    blind = np.linalg.solve(np.eye(5) - alpha * T[:5, :5], C[:5])
    assert found.value == pytest.approx(blind[0], rel=1e-6)
    assert found.value_error <= 1e-4 * found.value


def test_steps_and_leaps_and_proofs_count_as_the_work_they_are(monkeypatch):
    """A walk that never settles is cut after steps of no more than half a minute."""
    assert unrolling.MOST_WORK / unrolling.STEP_WORK <= 200_000
    problem = doors(1 - 1e-9, 1.0)
    monkeypatch.setattr(unrolling, "MOST_WORK", 100 * unrolling.STEP_WORK)

    class Silent(Policy):
        """Stays blind and says nothing of itself, so that nothing can be foreseen."""

        def act_batch(self, beliefs):
            return np.zeros(len(beliefs), int), np.zeros(len(beliefs), bool)

    counted, one = [0], unrolling.Walker._step

    def count(self, block):
        counted[0] += 1
        return one(self, block)

    monkeypatch.setattr(unrolling.Walker, "_step", count)
    found = evaluate_fully(problem, Silent(problem))
    assert counted[0] <= 102
    assert found.error[0] >= 1e9  # it was cut, and says so


def test_strides_count_by_their_products():
    chance = np.random.default_rng(0)
    problem = SensingMDP.from_arrays(
        chance.dirichlet(np.ones(6), size=(2, 6)), chance.normal(size=(6, 2)), 0.9999, 1.0
    )

    def work(n):
        policy = AlphaVectorPolicy(
            problem, chance.normal(size=(n, 6)), np.arange(n) % 2, [False] * n
        )
        walker = unrolling.Walker(problem, policy, strides=True)
        block = unrolling.Block.fresh(300, np.arange(1), np.eye(6)[:1], np.zeros(1), 0.0)
        return walker.strides.take(block).work

    assert work(1000) > 10 * work(10)
