"""What a learner has counted: a model made of what was seen.

A step teaches the transition of ``(s, a)`` only when ``s`` was known before it and the next state
was seen after it; it teaches the reward of ``(s, a)`` whenever ``s`` was known.  The posterior over
a row is Dirichlet with the counts as its parameters (a prior of vanishing weight), so its mean is
the observed frequency, and states never seen as a successor have none of it.

Rows are kept sparse: ``after[s, a, :width[s, a]]`` are the successors seen so far and
``count[s, a, :]`` how often each was.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import sparse

from solvers.core.model import SensingMDP
from solvers.learning.learner import Task

FIRST_WIDTH = 4


class Counts:
    """Counts of one run.

    n : (S, A) transitions seen; rewards : (S, A) mean reward; tried : (S, A) rewards seen
    ends : (S,) bool, states that were seen to end the episode
    """

    def __init__(self, task: Task) -> None:
        S, A = task.num_states, task.num_actions
        self.task = task
        self.n = np.zeros((S, A))
        self.tried = np.zeros((S, A))
        self.rewards = np.zeros((S, A))
        self.ends = np.zeros(S, bool)
        self.width = np.zeros((S, A), np.int32)
        self.after = np.zeros((S, A, FIRST_WIDTH), np.int32)
        self.count = np.zeros((S, A, FIRST_WIDTH))

    def saw_reward(self, s: int, a: int, reward: float) -> None:
        """``(s, a)`` earned a reward."""
        self.tried[s, a] += 1
        self.rewards[s, a] += (reward - self.rewards[s, a]) / self.tried[s, a]

    def saw_transition(self, s: int, a: int, after: int, ended: bool) -> None:
        """``(s, a)`` led to a state that was seen."""
        self.n[s, a] += 1
        if ended:
            self.ends[after] = True
        width = self.width[s, a]
        for i in range(width):
            if self.after[s, a, i] == after:
                self.count[s, a, i] += 1
                return
        if width == self.after.shape[2]:
            self.after = np.concatenate([self.after, np.zeros_like(self.after)], axis=2)
            self.count = np.concatenate([self.count, np.zeros_like(self.count)], axis=2)
        self.after[s, a, width], self.count[s, a, width] = after, 1
        self.width[s, a] = width + 1

    def row(self, s: int, a: int) -> tuple[np.ndarray, np.ndarray]:
        """Successors seen from ``(s, a)`` and how often each was."""
        width = self.width[s, a]
        return self.after[s, a, :width], self.count[s, a, :width]

    def drop_rare(self, share: float) -> None:
        """Forget successors that made up less than ``share`` of their row."""
        keep = self.count >= share * np.maximum(self.n, 1)[:, :, None]
        keep &= np.arange(self.after.shape[2]) < self.width[:, :, None]
        self.count *= keep
        self.n = self.count.sum(axis=2)

    def model(
        self,
        optimism: float = 0.0,
        enough: float = math.inf,
        rng: np.random.Generator | None = None,
    ) -> SensingMDP:
        """The counted model, to plan with.

        Without ``optimism`` a pair never tried stays where it is at the worst cost seen, so that a
        plan avoids it.  With it, one more state is added, a heaven worth ``max_return``, and each
        pair with fewer than ``enough`` visits is counted as having gone there ``optimism`` times.
        With ``rng`` every row is drawn from its posterior instead of being its mean.
        """
        task, S = self.task, self.task.num_states
        states = S + 1 if optimism > 0 else S
        live = np.flatnonzero(~self.ends)
        worst = -self.rewards[self.tried > 0].min() if (self.tried > 0).any() else 0.0
        costs = np.zeros((states, task.num_actions))
        costs[:S] = np.where(self.tried > 0, -self.rewards, 0.0 if optimism > 0 else worst)
        transitions = []
        for a in range(task.num_actions):
            s, after, weight = self._entries(a, live, optimism, enough, rng)
            total = np.bincount(s, weight, minlength=states)
            if optimism > 0:  # heaven is paid out on the way in
                heaven = after == S
                costs[s[heaven], a] -= weight[heaven] / total[s[heaven]] * task.max_return
            unknown = np.setdiff1d(np.arange(states), s)
            s, after = np.append(s, unknown), np.append(after, unknown)
            weight = np.append(weight / total[s[: len(weight)]], np.ones(len(unknown)))
            transitions.append(sparse.csr_array((weight, (s, after)), (states, states)))
        terminal = np.zeros(states, bool)
        terminal[:S], terminal[S:] = self.ends, True
        costs[terminal] = 0.0
        return SensingMDP.from_arrays(
            transitions,
            costs,
            task.discount,
            task.price,
            start=np.append(np.full(S, 1 / S), np.zeros(states - S)),
            terminal=terminal,
            end_is_seen=task.end_is_seen,
            name="learned",
        )

    def _entries(
        self,
        a: int,
        live: np.ndarray,
        optimism: float,
        enough: float,
        rng: np.random.Generator | None,
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """One action's rows of states not known to end, as (state, successor, weight)."""
        some = np.arange(self.after.shape[2]) < self.width[live, a, None]
        s = np.repeat(live, some.sum(axis=1))
        after, weight = self.after[live, a][some].astype(int), self.count[live, a][some]
        if optimism > 0:
            little = live[self.n[live, a] < enough]
            s = np.append(s, little)
            after = np.append(after, np.full(len(little), self.task.num_states))
            weight = np.append(weight, np.full(len(little), optimism))
        if rng is not None:
            weight = np.maximum(rng.gamma(weight), 1e-12)
        return s, after, weight
