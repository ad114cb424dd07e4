"""AMRL-Q: Q-learning on (action, look), with a table that guesses unseen states.

Bellinger, Coles, Crowley, Tamblyn, "Active Measure Reinforcement Learning for Observation Cost
Minimization" (2021).  ``Q(s, a, look)`` is learned as if the state were always known: after a look
it is what was seen, otherwise the likeliest successor ``argmax T(s, a)`` by the counts so far.
With ``g`` that state and ``y = r + discount · max Q(g)`` (``y = r`` at the end),

    Q(s, a, blind) += rate (y - Q(s, a, blind))
    Q(s, a, look)  += rate (y - price - Q(s, a, look))

are both updated after every step, whichever was played.

Parameters are those of LAVA-LAB/ATM (Baselines/AMRL_Agent.py): learning rate 0.3, discount 0.95,
exploration 0.1 over pairs (action, look), looks begin with a bonus of 0.1, and the last tenth of
the run is greedy.  (In that code the greedy mode outlives the run: of the five runs behind each
published number only the first explores.  ``exploration=0`` is what the other four do.)  Where this
differs from that file:

* the bonus is 0.1 of ``max_return`` (there returns are at most 1), and ``discount=0`` takes the
  task's;
* the last tenth is counted in steps, not in episodes;
* the end is counted as a transition to the terminal state that was entered; there it is reported as
  state 0, so that near the end the table guesses state 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from solvers.core.policy import Plan
from solvers.learning.counts import Counts
from solvers.learning.learner import Learner, Task
from solvers.learning.plans import cyclic_plan


@dataclass
class AMRLQ(Learner):
    """AMRL-Q.

    rate : learning rate; discount : of the Q updates (0: the task's); exploration : share of
    random steps; look_bonus : first value of looks, as a share of ``max_return``; greedy_from :
    share of the run after which nothing is random
    """

    name = "amrl-q"
    rate: float = 0.3
    discount: float = 0.95
    exploration: float = 0.1
    look_bonus: float = 0.1
    greedy_from: float = 0.9

    def begin(self, task: Task, rng: np.random.Generator) -> None:
        self.task, self.rng = task, rng
        self.alpha = self.discount or task.discount
        self.Q = np.zeros((task.num_states, task.num_actions, 2))
        self.Q[:, :, 1] = self.look_bonus * task.max_return
        self.counts = Counts(task)
        self.likeliest = np.zeros((task.num_states, task.num_actions), int)
        self.steps = 0

    def start(self, state: int) -> None:
        self.state = state

    def act(self) -> tuple[int, bool]:
        self.steps += 1
        exploring = self.steps <= self.greedy_from * self.task.steps
        if exploring and self.rng.random() < self.exploration:
            choice = int(self.rng.integers(2 * self.task.num_actions))
        else:
            choice = int(self.Q[self.state].argmax())  # (a, look) flattened: ties go blind
        self.action, self.look = choice // 2, bool(choice % 2)
        return self.action, self.look

    def learn(self, seen: int | None, reward: float, ended: bool) -> None:
        s, a = self.state, self.action
        if seen is not None and self.look:
            self.counts.saw_transition(s, a, seen, ended)
            after, count = self.counts.row(s, a)
            self.likeliest[s, a] = after[count == count.max()].min()
        self.state = int(self.likeliest[s, a]) if seen is None else seen
        y = reward if ended else reward + self.alpha * self.Q[self.state].max()
        self.Q[s, a, 0] += self.rate * (y - self.Q[s, a, 0])
        self.Q[s, a, 1] += self.rate * (y - self.task.price - self.Q[s, a, 1])

    def plans(self) -> list[Plan]:
        best = self.Q.reshape(len(self.Q), -1).argmax(axis=1)
        actions, looks = best // 2, best % 2 == 1
        guess = self.likeliest[np.arange(len(best)), actions]
        return [cyclic_plan(s, actions, looks, guess) for s in range(len(best))]
