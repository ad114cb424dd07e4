import numpy as np
import pytest

from bench.problems import load_problem
from solvers import Budget
from solvers.bounds.blind_tree import BlindTree, OutOfTime, _cheapest_of_equals


@pytest.mark.parametrize("seed", range(30))
def test_of_equal_beliefs_of_a_root_the_cheapest_stays(seed):
    rng = np.random.default_rng(seed)
    kinds = rng.dirichlet(np.ones(4), int(rng.integers(1, 6)))
    kind, roots = rng.integers(0, len(kinds), 40), rng.integers(0, 3, 40)
    beliefs = kinds[kind] * (1 + 1e-15 * rng.uniform(-1, 1, (40, 4)))
    Z = rng.integers(0, 5, 40).astype(float)
    chosen = _cheapest_of_equals(roots, beliefs, Z)
    groups = {(r, k) for r, k in zip(roots.tolist(), kind.tolist(), strict=True)}
    assert {(int(roots[i]), int(kind[i])) for i in chosen} == groups
    assert len(chosen) == len(groups)
    for i in chosen:
        assert Z[i] == Z[(roots == roots[i]) & (kind == kind[i])].min()


class Over(Budget):
    """One that has just ended."""

    def left(self) -> float:
        return -1.0


def test_a_layer_is_not_begun_when_the_time_is_over():
    problem = load_problem("two-state", 0.25)
    tree = BlindTree(problem, problem.costs, problem.costs, 100.0, Over())
    with pytest.raises(OutOfTime):
        tree.grow(np.full(2, np.inf))
