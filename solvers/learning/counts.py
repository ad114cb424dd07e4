"""What a learner has counted: a model made of what was seen.

A step teaches the transition of ``(s, a)`` only when ``s`` was known before it and the next state
was seen after it; it teaches the reward of ``(s, a)`` whenever ``s`` was known.  The posterior over
a row is Dirichlet with the counts as its parameters (a prior of vanishing weight), so its mean is
the observed frequency, and states never seen as a successor have none of it.  A prior of weight
``shared`` adds what was seen from the same state under all actions together, as if a pair had been
tried ``shared`` times more and had gone where the state usually leads: a row seen once is then not
taken for certain.  It matters where pairs are many and visits few, and fades as visits come.

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
WEIGHTS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)
"""Weights that the prior which a state's actions share may have, in visits."""


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
        shared: float = 0.0,
        states: np.ndarray | None = None,
    ) -> SensingMDP:
        """The counted model, to plan with.

        Without ``optimism`` a pair never tried stays where it is at the worst cost seen, so that a
        plan avoids it.  With it, one more state is added, a heaven worth ``max_return``, and each
        pair with fewer than ``enough`` visits is counted as having gone there ``optimism`` times.
        With ``rng`` every row is drawn from its posterior instead of being its mean.  ``shared``
        is the weight of the prior that the actions of a state share; pairs never tried have none.
        ``states`` (n,) keeps only these, in this order: all that were seen, or none is left out.
        """
        task, S = self.task, self.task.num_states
        size = S + 1 if optimism > 0 else S
        live = np.flatnonzero(~self.ends)
        worst = -self.rewards[self.tried > 0].min() if (self.tried > 0).any() else 0.0
        costs = np.zeros((size, task.num_actions))
        costs[:S] = np.where(self.tried > 0, -self.rewards, 0.0 if optimism > 0 else worst)
        prior = self._prior(live, shared) if shared > 0 else None
        transitions = []
        for a in range(task.num_actions):
            s, after, weight = self._entries(a, live, optimism, enough, rng, prior)
            total = np.bincount(s, weight, minlength=size)
            if optimism > 0:  # heaven is paid out on the way in
                heaven = after == S
                costs[s[heaven], a] -= weight[heaven] / total[s[heaven]] * task.max_return
            unknown = np.setdiff1d(np.arange(size), s)
            s, after = np.append(s, unknown), np.append(after, unknown)
            weight = np.append(weight / total[s[: len(weight)]], np.ones(len(unknown)))
            transitions.append(sparse.csr_array((weight, (s, after)), (size, size)))
        terminal = np.zeros(size, bool)
        terminal[:S], terminal[S:] = self.ends, True
        costs[terminal] = 0.0
        if states is not None:
            kept = np.append(states, np.arange(S, size))
            transitions = [T[kept][:, kept] for T in transitions]
            costs, terminal = costs[kept], terminal[kept]
        return SensingMDP.from_arrays(
            transitions,
            costs,
            task.discount,
            task.price,
            start=np.full(len(costs), 1 / len(costs)),
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
        prior: sparse.csr_array | None,
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """One action's rows of states not known to end, as (state, successor, weight)."""
        some = np.arange(self.after.shape[2]) < self.width[live, a, None]
        s = np.repeat(live, some.sum(axis=1))
        after, weight = self.after[live, a][some].astype(int), self.count[live, a][some]
        if prior is not None:
            tried = sparse.diags_array((self.n[:, a] > 0).astype(float))
            rows = (sparse.csr_array((weight, (s, after)), prior.shape) + tried @ prior).tocoo()
            s, after, weight = rows.row, rows.col, rows.data
        if optimism > 0:
            little = live[self.n[live, a] < enough]
            s = np.append(s, little)
            after = np.append(after, np.full(len(little), self.task.num_states))
            weight = np.append(weight, np.full(len(little), optimism))
        if rng is not None:
            weight = np.maximum(rng.gamma(weight), 1e-12)
        return s, after, weight

    def _prior(self, live: np.ndarray, weight: float) -> sparse.csr_array:
        """Where each live state led under all actions together: rows (S, S) that sum to weight."""
        some = np.arange(self.after.shape[2]) < self.width[live, :, None]
        s = np.repeat(live, some.sum(axis=(1, 2)))
        S = self.task.num_states
        seen = sparse.csr_array((self.count[live][some], (s, self.after[live][some])), (S, S))
        total = self.n.sum(axis=1)
        return sparse.csr_array(sparse.diags_array(weight / np.maximum(total, 1)) @ seen)

    def shared_weight(self) -> float:
        """The weight of the shared prior that predicts best what was seen.

        Each transition is predicted from all others: those of its own pair, and with the prior's
        weight those of the state's other actions.  The weight with the largest likelihood is taken
        (empirical Bayes).  Where actions lead to different places it is near none, where they
        differ little it is many visits.
        """
        some = np.arange(self.after.shape[2]) < self.width[:, :, None]
        s, a, i = np.nonzero(some & (self.n > 1)[:, :, None])
        S, count, n = self.task.num_states, self.count[s, a, i], self.n[s, a]
        if not len(s):
            return WEIGHTS[-1]
        all_s = np.nonzero(some)[0]
        pooled = sparse.csr_array((self.count[some], (all_s, self.after[some])), (S, S))
        elsewhere = np.asarray(pooled[s, self.after[s, a, i]]).ravel() - count
        guess = (elsewhere + 1 / S) / (self.n.sum(axis=1)[s] - n + 1)
        chances = [(count - 1 + w * guess) / (n - 1 + w) for w in WEIGHTS]
        return WEIGHTS[int(np.argmax([count @ np.log(p) for p in chances]))]
