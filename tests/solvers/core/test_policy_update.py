"""Walks root by root on sparse beliefs: the same plans as blocks of dense products."""

import numpy as np
import pytest
from scipy import sparse

from bench.perf.large_lakes import random_lake
from bench.perf.literal import LiteralPolicyUpdate
from solvers import SensingMDP, evaluate, solve
from solvers.core import policy_update
from solvers.core.budget import Budget
from solvers.core.reference import Reference
from solvers.core.workers import Threads
from solvers.planners.always_sense import AlwaysSensePolicy
from solvers.planners.spi import SPI


def sparse_problem(seed, S=200, A=3, sensing_cost=0.3, discount=0.9):
    """Few transitions from each state, some of them to an end."""
    chance = np.random.default_rng(seed)
    T = []
    for _ in range(A):
        columns = (np.arange(S)[:, None] + chance.integers(-3, 4, (S, 3))) % S
        chances = chance.dirichlet(np.ones(3), S)
        rows = np.repeat(np.arange(S), 3)
        matrix = sparse.csr_array((chances.ravel(), (rows, columns.ravel())), (S, S)).tolil()
        matrix[S - 1] = 0
        matrix[S - 1, S - 1] = 1.0
        T.append(matrix.tocsr())
    costs = chance.normal(size=(S, A))
    costs[S - 1] = 0.0
    return SensingMDP.from_arrays(T, costs, discount, sensing_cost, start=0, terminal=[S - 1])


@pytest.fixture
def sparse_walks(monkeypatch):
    monkeypatch.setattr(policy_update, "SPARSE_STATES", 0)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("cost", [0.05, 0.5, "array"])
def test_plans_are_those_of_the_block_walk(seed, cost, monkeypatch):
    chance = np.random.default_rng(seed)
    k = chance.random((200, 3)) if cost == "array" else cost
    problem = sparse_problem(seed, sensing_cost=k)
    blocks = SPI(roots="all").solve(problem, Budget())
    monkeypatch.setattr(policy_update, "SPARSE_STATES", 0)
    assert policy_update.walks_sparse(problem)
    walks = SPI(roots="all").solve(problem, Budget())
    assert walks.policy.plans == blocks.policy.plans


@pytest.mark.parametrize("seed", range(3))
def test_one_update_is_the_literal_algorithm(seed, sparse_walks):
    """Each root whose plan was replaced follows the string of Algorithm 2 as it is on the page."""
    problem = sparse_problem(seed, S=160, sensing_cost=0.2)
    always = AlwaysSensePolicy(problem)
    literal = LiteralPolicyUpdate(problem, evaluate(problem, always))
    found = SPI(roots="all", max_iterations=1).solve(problem, Budget()).policy
    longer = [j for j, plan in enumerate(found.plans) if plan.senses and len(plan.actions) > 1]
    assert len(longer) > 10
    for j in longer[:40]:
        actions, looks = literal.walk(j, 500)
        assert looks
        assert found.plans[j].actions == actions


def test_any_number_of_threads_gives_the_same(sparse_walks):
    problem = sparse_problem(5, S=600)
    one, two, five = (solve(problem, "spi", threads=n) for n in (1, 2, 5))
    assert one.policy.plans == two.policy.plans == five.policy.plans
    assert (one.values == two.values).all()
    assert (one.values == five.values).all()


def test_blocks_on_threads_give_the_same_plans():
    problem = sparse_problem(6, S=120)
    assert not policy_update.walks_sparse(problem)
    one, three = (solve(problem, "spi", threads=n) for n in (1, 3))
    assert one.policy.plans == three.policy.plans


def test_threads_keep_the_order_of_the_items():
    assert Threads(3).map(lambda a, b: (a, b), ("x",), range(50)) == [("x", i) for i in range(50)]


class EndsAfter(Budget):
    """One that is over once it has been asked so many times."""

    def __init__(self, questions):
        super().__init__()
        self.questions = questions

    def left(self):
        self.questions -= 1
        return float(self.questions)


def test_walks_in_a_block_are_given_up_when_the_time_is_over():
    """What was found by then is an improvement all the same."""
    problem = sparse_problem(0)
    whole = SPI(roots="all").solve(problem, Budget())
    begun = evaluate(problem, AlwaysSensePolicy(problem))
    for questions in (1, 4, 6):
        part = SPI(roots="all").solve(problem, EndsAfter(questions))
        values = evaluate(problem, part.policy)
        assert part.status == "budget" and (values <= begun + 1e-9).all()
        assert (values >= evaluate(problem, whole.policy) - 1e-9).mean() > 0.5


def test_what_a_walk_drops_changes_no_cost_by_more_than_it_may(monkeypatch):
    """On a lake whose far corners are lost for good walks are long and beliefs wide."""
    problem = random_lake(80, seed=3)
    always = AlwaysSensePolicy(problem, Budget())
    V = evaluate(problem, always)
    rest = np.zeros(problem.num_states), always.columns, 500, 1e-7
    roots = np.flatnonzero(~problem.terminal)[::7]
    found = []
    for share in (policy_update.DROPPED, 0.0):
        monkeypatch.setattr(policy_update, "DROPPED", share)
        walker = policy_update.SparseWalker(problem, Reference(V, always.V, *rest))
        assert (walker.tables.least > 0) == (share > 0)
        found.append(walker.walk(roots))
    dropping, keeping = found
    assert max(len(one.plan.actions) for one in keeping) > 100
    assert [one.root for one in dropping] == [one.root for one in keeping]
    lands_on_less = 0
    for one, other in zip(dropping, keeping, strict=True):
        assert one.plan == other.plan
        assert one.cost == pytest.approx(other.cost, abs=0.01 * 1e-7)
        lands_on_less += len(one.row[0]) < len(other.row[0])
    assert lands_on_less


def test_a_walk_that_may_lose_nothing_drops_nothing():
    problem = sparse_problem(1)
    zero = np.zeros(problem.num_states)
    last = np.zeros((problem.num_states, problem.num_actions + 1))
    exact = policy_update.SparseWalker(problem, Reference(zero, zero, zero, last, 500, 0.0))
    assert exact.tables.least == 0
