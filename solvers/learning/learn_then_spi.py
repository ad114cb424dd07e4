"""learn-then-spi: a posterior over the model, and SPI on it, replanned as data comes.

The posterior of each row is Dirichlet in the counts.  Two models are made of it.

* To explore: a pair with fewer than m visits is counted as having gone ``optimism`` times to a
  heaven worth ``max_return``, so that what is little known looks good (an optimistic model as of
  Brafman and Tennenholtz, 2002, and Szita and Lőrincz, 2008).  One draw from the posterior is
  planned with (Thompson sampling), or with ``sample=False`` its mean.  A step teaches something
  only between two known states, so it looks at every step; when nothing is little known any more,
  it goes where its best plan goes, and learns more of what that plan depends on.
* To exploit: the plain mean, in which pairs never tried are avoided.  SPI plans on it and on a few
  draws from the posterior, and what is best on the mean is the greedy policy, and what is played
  when ``explore`` of the steps are over.

m spreads a part of the steps evenly, ``m = spread · steps / (S A)``; in a state of which a pair is
little known, the least known is played (balanced wandering, Kearns and Singh, 2002).  SPI, not a
general POMDP planner and not ATM's one-step rule, decides everywhere else.  It is replanned when
the steps since the last plan exceed ``growth`` of all steps, or sooner when a state becomes known.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from solvers.core.evaluation import evaluate
from solvers.core.model import SensingMDP
from solvers.core.policy import Plan, PlanPolicy
from solvers.core.solver import solve
from solvers.learning.counts import Counts
from solvers.learning.learner import Learner, Task
from solvers.learning.plans import planned

FIRST_REPLAN = 10
"""Steps between plans at first, before ``growth`` of all steps is more."""
SOON = 0.2
"""The share of ``growth`` after which a state that has become known calls for a new plan."""
QUICK = {"max_iterations": 2, "max_steps": 20}
"""SPI's options for plans that only have to show the way: exploring looks at every step anyway."""
PLAN_SECONDS = 20.0
"""Budget of one plan, for planners that would go on."""


@dataclass
class LearnThenSPI(Learner):
    """SPI on a learned posterior.

    explore : share of the steps that may go into exploring; spread : share of the steps that is
    spread evenly over all pairs; optimism : times a little-known pair is counted as leading to
    heaven; sample : explore with a draw from the posterior (else its mean); growth : share of new
    steps that calls for a new plan; draws : from the posterior, whose plans compete with the
    mean's to be the greedy policy; planner : any planner in place of SPI
    """

    name = "learn-then-spi"
    explore: float = 0.9
    spread: float = 0.25
    optimism: float = 1.0
    sample: bool = True
    growth: float = 0.1
    draws: int = 4
    planner: str = "spi"

    def begin(self, task: Task, rng: np.random.Generator) -> None:
        self.task, self.rng = task, rng
        self.counts = Counts(task)
        self.enough = max(1.0, self.spread * task.steps / (task.num_states * task.num_actions))
        self.steps, self.replan_at, self.soon = 0, 0, 0
        self.starts = np.zeros(task.num_states)  # how often episodes began in each state
        self.current: list[Plan] = []

    def start(self, state: int) -> None:
        self.starts[state] += 1
        if self.steps >= self.replan_at:
            self._replan()
        self._arrive(state)

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
        if ended:
            return
        if seen is None:
            self.depth += 1
            return
        if self.steps >= self.replan_at:
            self._replan()
        self._arrive(seen)

    def plans(self) -> list[Plan]:
        # SPI stops at local optima, others on other models: the best on the mean of several.
        mean = self.counts.model()
        found = [self._plans(mean, init="best")]
        for _ in range(self.draws):
            found.append(self._plans(self.counts.model(rng=self.rng), **QUICK))
        costs = [self.starts @ evaluate(mean, PlanPolicy(mean, plans)) for plans in found]
        return found[int(np.argmin(costs))]

    def _plans(self, model: SensingMDP, **options: Any) -> list[Plan]:
        options = options if self.planner == "spi" else {}
        policy = solve(model, self.planner, budget=PLAN_SECONDS, **options).policy
        return planned(model, policy, self.task.num_states)

    def _exploring(self) -> bool:
        return self.steps < self.explore * self.task.steps

    def _replan(self) -> None:
        self.replan_at = self.steps + max(FIRST_REPLAN, int(self.growth * self.steps))
        self.soon = self.steps + max(FIRST_REPLAN, int(SOON * self.growth * self.steps))
        if self._exploring():
            rng = self.rng if self.sample else None
            model = self.counts.model(self.optimism, self.enough, rng)
            self.current = self._plans(model, **QUICK)
            self.replan_at = min(self.replan_at, math.ceil(self.explore * self.task.steps))
        else:
            self.current = self.plans()

    def _arrive(self, state: int) -> None:
        self.root, self.depth = state, 0
