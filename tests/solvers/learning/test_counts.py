"""A counted model comes to be the true one."""

import numpy as np
import pytest

from bench import load_problem
from solvers.learning import SensingEnv, task_of
from solvers.learning.counts import Counts


def counted(problem_id: str, steps: int, seed: int = 0) -> tuple[Counts, object]:
    """Counts of a random walk that always looks."""
    problem = load_problem(problem_id)
    env = SensingEnv(problem)
    counts, rng = Counts(task_of(env, steps)), np.random.default_rng(seed)
    s, _ = env.reset(seed=seed)
    for _ in range(steps):
        a = int(rng.integers(problem.num_actions))
        seen, _, ended, _, info = env.step((a, 1))
        counts.saw_reward(s, a, -info["cost"])
        counts.saw_transition(s, a, seen, ended)
        s = env.reset()[0] if ended else seen
    return counts, problem


def test_the_mean_is_the_observed_frequency():
    counts, problem = counted("frozen-lake-4x4", 30_000)
    model = counts.model()
    known = counts.n > 500
    assert known.sum() > 10
    for a, T in enumerate(model.transitions):
        wrong = np.abs(T.toarray() - problem.transitions[a].toarray())[known[:, a]]
        assert wrong.max() < 4.5 * np.sqrt(0.25 / 500)
    np.testing.assert_allclose(model.costs[known], problem.costs[known])
    reached = counts.ends
    assert reached.any() and (reached <= problem.terminal).all()


def test_a_draw_from_the_posterior_has_the_mean_and_spread_of_a_dirichlet():
    counts, _ = counted("frozen-lake-4x4", 2_000)
    rng = np.random.default_rng(3)
    after, count = counts.row(0, 0)
    draws = np.array([counts.model(rng=rng).transitions[0].toarray()[0, after] for _ in range(400)])
    mean = count / count.sum()
    spread = np.sqrt(mean * (1 - mean) / (count.sum() + 1))
    assert np.abs(draws.mean(axis=0) - mean).max() < 4.5 * spread.max() / 20
    np.testing.assert_allclose(draws.std(axis=0), spread, rtol=0.25)


def test_optimism_makes_the_unknown_worth_the_largest_return():
    counts, _ = counted("frozen-lake-4x4", 50)
    model = counts.model(optimism=1.0, enough=30)
    untried = np.argwhere((counts.n == 0) & ~counts.ends[:, None])
    assert len(untried)
    for s, a in untried:
        assert model.costs[s, a] == pytest.approx(-counts.task.max_return)
        assert model.transitions[a][[s]].toarray()[0, -1] == 1
    s, a = np.unravel_index(counts.n.argmax(), counts.n.shape)
    assert model.transitions[a].toarray()[s, -1] == pytest.approx(1 / (counts.n[s, a] + 1))
    known = counts.model(optimism=1.0, enough=1)
    assert known.transitions[a].toarray()[s, -1] == 0


def test_rare_successors_can_be_dropped():
    counts, _ = counted("frozen-lake-4x4", 100)
    counts.after[0, 0, :2], counts.count[0, 0, :2], counts.width[0, 0] = (0, 4), (99, 1), 2
    counts.n[0, 0] = 100
    counts.drop_rare(0.02)
    assert counts.n[0, 0] == 99
    assert counts.model().transitions[0].toarray()[0, 0] == 1
