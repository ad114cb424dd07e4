import numpy as np
import pytest

from bench.problems import load_problem
from solvers import Budget, SensingMDP
from solvers.bounds.blind_tree import BlindTree, OutOfTime, TreeTooLarge, _cheapest_of_equals


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


@pytest.mark.parametrize("seed", range(8))
def test_every_node_is_what_its_string_leads_to(seed, monkeypatch):
    """Layers are made in small parts and thinned where they stand; nothing may change its place."""
    monkeypatch.setattr("solvers.bounds.blind_tree.CHUNK_ENTRIES", 12)
    rng = np.random.default_rng(seed)
    T = rng.dirichlet(np.full(4, 0.5), (3, 4))
    T[2] = T[1]  # equal actions: half of each layer is merged away
    problem = SensingMDP.from_arrays(T, rng.uniform(0, 1, (4, 3)), 0.9, 0.2)
    tree = BlindTree(problem, problem.costs, np.zeros((4, 3)), 100.0)
    for depth in range(1, 5):
        tree.grow(np.full(4, np.inf))
        assert len(tree) <= 4 * 2**depth  # two different beliefs a step at most
        tree.cut(np.where(np.arange(4) == depth % 4, np.quantile(tree.bound, 0.7), np.inf))
        for node in range(len(tree)):
            belief, Z = np.eye(4)[tree.roots[node]], 0.0
            for m, a in enumerate(tree.string(node)):
                Z += 0.9**m * belief @ problem.costs[:, a]
                belief = belief @ T[a]
            np.testing.assert_allclose(tree.beliefs[node], belief, rtol=1e-12)
            assert tree.Z[node] == pytest.approx(Z, rel=1e-12)


def test_a_layer_that_does_not_fit_is_refused_before_it_is_kept():
    problem = load_problem("taxi", 1.0)
    tree = BlindTree(problem, problem.costs, np.zeros(problem.costs.shape), 10.0)
    with pytest.raises(TreeTooLarge, match=r"10 MiB are allowed\. Depth 0 fits"):
        tree.grow(np.full(problem.num_states, np.inf))
    assert tree.depth == 0
