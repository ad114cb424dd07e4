import numpy as np
import pytest

from solvers import AlphaVectorPolicy, Policy, PolicyError, evaluate, load_policy, save_policy
from solvers.core.policy_file import about_policy
from tests.pomdp_bridge.files.npz_mutations import damaged_arrays, damaged_bytes
from tests.pomdp_bridge.random_problems import random_plans, random_problem


def random_alphas(problem, seed):
    rng = np.random.default_rng(seed)
    alphas = rng.normal(size=(7, problem.num_states))
    return AlphaVectorPolicy(
        problem, alphas, rng.integers(0, problem.num_actions, 7), rng.random(7) < 0.6
    )


@pytest.mark.parametrize("make", [random_plans, random_alphas])
@pytest.mark.parametrize("seed", range(5))
def test_a_policy_read_back_is_the_same_to_the_last_bit(tmp_path, make, seed):
    problem = random_problem(seed)
    policy = make(problem, seed)
    save_policy(tmp_path / "p.npz", policy, problem="here", sensing_cost=0.3)
    again = load_policy(tmp_path / "p.npz", problem)
    assert type(again) is type(policy)
    if make is random_plans:
        assert again.plans == policy.plans
    else:
        assert np.array_equal(again.alphas, policy.alphas)
        assert np.array_equal(again.actions, policy.actions)
        assert np.array_equal(again.senses, policy.senses)
    assert np.array_equal(evaluate(problem, again), evaluate(problem, policy))
    assert about_policy(tmp_path / "p.npz") == {"problem": "here", "sensing_cost": 0.3}


class Likeliest(Policy):
    """Looks as soon as no state has more than half of the belief."""

    def act(self, belief):
        return int(belief.argmax()) % self.problem.num_actions, bool(belief.max() < 0.5)


def test_any_other_policy_is_saved_as_the_plans_it_follows(tmp_path):
    problem = random_problem(3)
    policy = Likeliest(problem)
    save_policy(tmp_path / "p.npz", policy)
    again = load_policy(tmp_path / "p.npz", problem)
    np.testing.assert_allclose(evaluate(problem, again), evaluate(problem, policy), atol=1e-9)


def test_a_policy_of_another_model_is_refused(tmp_path):
    problem = random_problem(1)
    save_policy(tmp_path / "p.npz", random_plans(problem, 1))
    for other in (random_problem(2), problem.with_sensing_cost(0.31)):
        with pytest.raises(PolicyError, match="of another model"):
            load_policy(tmp_path / "p.npz", other)
    load_policy(tmp_path / "p.npz", problem.with_start(0))


def test_what_cannot_be_a_policy_is_refused_with_the_reason(tmp_path):
    problem = random_problem(1)
    path = tmp_path / "p.npz"
    save_policy(path, random_plans(problem, 1))
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files}
    pointers = arrays["plan_indptr"].copy()
    pointers[1] = 0
    for changes, message in (
        ({"plan_actions": arrays["plan_actions"] + 99}, "has actions 0 to 2"),
        ({"plan_indptr": arrays["plan_indptr"][:-1]}, "expected 7 and 6"),
        ({"plan_indptr": arrays["plan_indptr"][::-1]}, "never falling"),
        ({"plan_indptr": pointers}, "is empty"),
        ({"alphas": np.zeros((1, 6))}, "expected either plan_indptr"),
        ({"format": np.int64(2)}, "has format 2"),
        ({"value": np.float64(-1e9)}, "unknown array 'value'"),
    ):
        np.savez(path, **{**arrays, **changes})
        with pytest.raises(PolicyError, match=message):
            load_policy(path, problem)
    random = random_plans(problem, 1)
    random.randomised = True
    with pytest.raises(PolicyError, match="only a deterministic policy"):
        save_policy(path, random)


def test_mutated_files_are_refused_or_are_policies(tmp_path):
    problem = random_problem(1, S=4, A=2)
    path = tmp_path / "p.npz"
    refused = 0
    for seed in range(300):
        rng = np.random.default_rng(seed)
        save_policy(path, (random_plans, random_alphas)[seed % 2](problem, seed))
        if seed % 3:
            with np.load(path) as file:
                arrays = {name: file[name] for name in file.files}
            np.savez(path, **damaged_arrays(arrays, rng))
        else:
            path.write_bytes(damaged_bytes(path.read_bytes(), rng))
        try:
            assert np.isfinite(evaluate(problem, load_policy(path, problem))).all()
        except PolicyError as error:
            assert "\n" not in str(error)
            refused += 1
    assert refused > 100
