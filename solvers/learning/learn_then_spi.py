"""learn-then-spi: a posterior over the model, and SPI on it, replanned as data comes.

The posterior of each row is Dirichlet: the counts, and a prior that the actions of a state share,
as heavy as predicts the data best (:meth:`Counts.shared_weight`).  Two models are made of it.

* To explore: a pair with fewer than m visits is counted as having gone ``optimism`` times to a
  heaven worth ``max_return``, so that what is little known looks good (an optimistic model as of
  Brafman and Tennenholtz, 2002, and Szita and Lőrincz, 2008).  One draw from the posterior is
  planned with (Thompson sampling; Osband, Russo and Van Roy, 2013), or with ``sample=False`` its
  mean.  A step teaches something only between two known states, so it looks at every step, and
  looks that are made anyway decide nothing: the plan is the optimum of the MDP that is seen.
* To exploit: the plain mean, in which pairs never tried are avoided.  SPI plans on it and on a few
  draws from the posterior; with the plans of the last time, the best of each state on the mean are
  the greedy policy, and what is played when ``explore`` of the steps are over.

m spreads a part of the steps evenly, ``m = spread · steps / (S A)``; in a state of which a pair is
little known, the least known is played (balanced wandering, Kearns and Singh, 2002).  It is
replanned when the steps since the last plan exceed ``growth`` of all steps, or sooner when a state
becomes known.  States that were never seen are left out of what is planned; there it looks.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from solvers.core.baseline import lowest_argmin, solve_baseline
from solvers.core.model import SensingMDP
from solvers.core.plan_table import PlanTable
from solvers.core.policy import Plan
from solvers.learning.counts import Counts
from solvers.learning.learner import Learner, Task
from solvers.learning.plans import look_always, plan_with

FIRST_REPLAN = 10
"""Steps between plans at first, before ``growth`` of all steps is more."""
SOON = 0.2
"""The share of ``growth`` after which a state that has become known calls for a new plan."""
THOROUGH = {"init": "best", "max_steps": 20}
"""SPI's options on the mean.  Longer blind strings cost as much time as they have steps, and what a
learned model says of them is mostly its own error."""
QUICK = {"max_iterations": 2, "max_steps": 20}
"""SPI's options on draws, whose plans only have to begin where SPI on the mean does not come to."""


@dataclass
class LearnThenSPI(Learner):
    """SPI on a learned posterior.

    explore : share of the steps that may go into exploring; spread : share of the steps that is
    spread evenly over all pairs; optimism : times a little-known pair is counted as leading to
    heaven; sample : explore with a draw from the posterior (else its mean); growth : share of new
    steps that calls for a new plan; draws : from the posterior, whose plans compete with the
    mean's to be the greedy policy; shared : whether the actions of a state share a prior;
    planner : any planner in place of SPI
    """

    name = "learn-then-spi"
    explore: float = 0.9
    spread: float = 0.25
    optimism: float = 1.0
    sample: bool = True
    growth: float = 0.1
    draws: int = 4
    shared: bool = True
    planner: str = "spi"

    def begin(self, task: Task, rng: np.random.Generator) -> None:
        self.task, self.rng = task, rng
        self.counts = Counts(task)
        self.enough = max(1.0, self.spread * task.steps / (task.num_states * task.num_actions))
        self.steps, self.replan_at, self.soon = 0, 0, 0
        self.seen = np.zeros(task.num_states, bool)
        self.current = self.greedy = [Plan((0,), True)] * task.num_states

    def start(self, state: int) -> None:
        self._arrive(state)
        if self.steps >= self.replan_at:
            self._replan()

    def act(self) -> tuple[int, bool]:
        if self._exploring() and self.counts.n[self.root].min() < self.enough:
            self.action = int(self.counts.n[self.root].argmin())
            return self.action, True
        plan = self.current[self.root]
        last = len(plan.actions) - 1
        self.action = plan.actions[min(self.depth, last)]
        return self.action, (plan.senses and self.depth >= last) or self._exploring()

    def learn(self, seen: int | None, reward: float, ended: bool) -> None:
        self.steps += 1
        if self.depth == 0:  # the state was known before this step
            self.counts.saw_reward(self.root, self.action, reward)
            if seen is not None:
                before = self.counts.n[self.root].min()
                self.counts.saw_transition(self.root, self.action, seen, ended)
                if before < self.enough <= self.counts.n[self.root].min():
                    self.replan_at = min(self.replan_at, self.soon)  # a state has become known
        if seen is None:
            self.depth += 1
            return
        self._arrive(seen)
        if self.steps >= self.replan_at and not ended:
            self._replan()

    def plans(self) -> list[Plan]:
        # SPI stops at local optima, others on other models and with less data: the best of all.
        states, weight = np.flatnonzero(self.seen), self._weight()
        mean = self.counts.model(shared=weight, states=states)
        found = [self._plans(mean, **THOROUGH), [self.greedy[s] for s in states]]
        for _ in range(self.draws):
            draw = self.counts.model(rng=self.rng, shared=weight, states=states)
            found.append(self._plans(draw, **QUICK))
        table, *others = (PlanTable.of_plans(mean, plans) for plans in found)
        for other in others:
            table = table.merged(other)
        self.greedy = self._everywhere(states, table.plans)
        return list(self.greedy)

    def _plans(self, model: SensingMDP, **options: Any) -> list[Plan]:
        options = options if self.planner == "spi" else {}
        return plan_with(self.planner, model, model.num_states, **options)

    def _everywhere(self, states: np.ndarray, plans: list[Plan]) -> list[Plan]:
        """The plans of some states, and of all others: where it never was, it looks."""
        every = [Plan((0,), True)] * self.task.num_states
        for state, plan in zip(states, plans, strict=True):
            every[state] = plan
        return every

    def _exploring(self) -> bool:
        return self.steps < self.explore * self.task.steps

    def _weight(self) -> float:
        return self.counts.shared_weight() if self.shared else 0.0

    def _replan(self) -> None:
        self.replan_at = self.steps + max(FIRST_REPLAN, int(self.growth * self.steps))
        self.soon = self.steps + max(FIRST_REPLAN, int(SOON * self.growth * self.steps))
        if not self._exploring():
            self.current = self.plans()
            return
        states, rng = np.flatnonzero(self.seen), self.rng if self.sample else None
        model = self.counts.model(self.optimism, self.enough, rng, self._weight(), states)
        _, Q = solve_baseline(model)
        every = look_always(lowest_argmin(Q, 0.0))
        self.current = self._everywhere(states, every[: len(states)])
        self.replan_at = min(self.replan_at, math.ceil(self.explore * self.task.steps))

    def _arrive(self, state: int) -> None:
        self.root, self.depth = state, 0
        self.seen[state] = True
