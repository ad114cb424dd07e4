"""A counted model comes to be the true one."""

import numpy as np
import pytest

from bench import load_problem
from solvers.learning import SensingEnv, task_of
from solvers.learning.counts import WEIGHTS, Counts
from solvers.learning.learner import Task


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


def test_a_shared_prior_adds_visits_that_went_where_the_state_usually_leads():
    counts, _ = counted("frozen-lake-4x4", 300)
    plain, shared = counts.model(), counts.model(shared=2.0)
    rows = np.stack([T.toarray() for T in plain.transitions], axis=1)  # (S, A, S)
    mixed = np.stack([T.toarray() for T in shared.transitions], axis=1)
    for s, a in np.argwhere((counts.n > 0) & ~counts.ends[:, None]):
        n = counts.n[s]
        pooled = n @ rows[s] / n.sum()
        expected = (n[a] * rows[s, a] + 2.0 * pooled) / (n[a] + 2.0)
        np.testing.assert_allclose(mixed[s, a], expected, atol=1e-12)
    untried = np.argwhere((counts.n == 0) & ~counts.ends[:, None])
    assert all(mixed[s, a, s] == 1 for s, a in untried)


@pytest.mark.parametrize(("alike", "expected"), [(True, WEIGHTS[-2:]), (False, WEIGHTS[:3])])
def test_the_weight_of_the_shared_prior_is_read_from_the_data(alike, expected):
    """Actions that lead to the same places are pooled; actions that lead to others are not."""
    rng, S, A = np.random.default_rng(5), 12, 4
    counts = Counts(Task(S, A, 0.9, 0.1, 1000))
    for s in range(S):
        for a in range(A):
            ends = range(S) if alike else (3 * a, 3 * a + 1)
            for after in rng.choice(list(ends), 8):
                counts.saw_transition(s, a, int(after), False)
    assert counts.shared_weight() in expected


def test_states_never_seen_can_be_left_out():
    counts, problem = counted("frozen-lake-8x8", 60)
    seen = np.unique(np.append(counts.after[counts.count > 0], 0))
    assert 2 < len(seen) < problem.num_states
    whole, part = counts.model(optimism=1.0), counts.model(optimism=1.0, states=seen)
    kept = np.append(seen, problem.num_states)
    assert part.num_states == len(kept)
    for a in range(problem.num_actions):
        np.testing.assert_array_equal(
            part.transitions[a].toarray(), whole.transitions[a].toarray()[np.ix_(kept, kept)]
        )
    np.testing.assert_array_equal(part.costs, whole.costs[kept])
