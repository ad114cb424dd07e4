"""The contract, the registry and the training loop."""

import numpy as np
import pytest

from bench import load_problem
from solvers import Plan
from solvers.learning import (
    Learner,
    LearnerError,
    SensingEnv,
    learner_classes,
    load_learner_file,
    make_learner,
    task_of,
    train,
)


class Walker(Learner):
    """Goes left, looks at every third step."""

    name = "walker"

    def begin(self, task, rng):
        self.task, self.told, self.count = task, [], 0

    def start(self, state):
        self.told.append(("start", state))

    def act(self):
        self.count += 1
        return 0, self.count % 3 == 0

    def learn(self, seen, reward, ended):
        self.told.append((seen, reward, ended))

    def plans(self):
        return [Plan((0,), True)] * self.task.num_states


def test_all_learners_are_found():
    assert set(learner_classes()) >= {
        "amrl-q",
        "dyna-atmq",
        "observe-then-plan",
        "learn-then-spi",
    }


def test_training_shows_only_what_was_looked_at_and_keeps_the_books():
    env = SensingEnv(load_problem("frozen-lake-4x4", 0.01), horizon=7)
    learner = Walker()
    ends = list(train(env, learner, task_of(env, 100), [50], seed=2))
    assert [c.step for c in ends] == [50, 100] and [c.looks for c in ends] == [16, 33]
    seen = [told[0] for told in learner.told if told[0] != "start"]
    assert [s is not None for s in seen] == [(i + 1) % 3 == 0 for i in range(100)]
    lengths = np.concatenate([c.lengths for c in ends])
    assert lengths.sum() <= 100 and lengths.max() <= 7
    assert sum(told[0] == "start" for told in learner.told) == len(lengths) + 1
    rewards = sum(told[1] for told in learner.told if told[0] != "start")
    returns = np.concatenate([c.returns for c in ends]).sum()
    open_episode = 100 - lengths.sum()
    assert returns == pytest.approx(rewards - 0.01 * 33, abs=0.01 * open_episode + 1e-9)


def test_looks_can_be_limited():
    env = SensingEnv(load_problem("frozen-lake-4x4", 0.01), horizon=7)
    ends = list(train(env, Walker(), task_of(env, 100), [50], seed=2, max_looks=5))
    assert [(c.step, c.looks) for c in ends] == [(15, 5)]


def test_mistakes_are_said_in_words(tmp_path):
    with pytest.raises(LearnerError, match="unknown learner 'amrl'; the learners are: amrl-q"):
        make_learner("amrl")
    with pytest.raises(LearnerError, match="amrl-q has no option 'speed'"):
        make_learner("amrl-q", speed=1)
    (tmp_path / "none.py").write_text("x = 1\n")
    with pytest.raises(LearnerError, match="defines no learner"):
        load_learner_file(tmp_path / "none.py")
    uneven = load_problem("two-state").with_sensing_cost(np.array([[0.1, 0.1], [0.2, 0.2]]))
    with pytest.raises(LearnerError, match="different prices"):
        task_of(SensingEnv(uneven), 10)
