"""Observe-then-Plan: look at every step until the model is learned, then plan with it.

Nam, Fleming, Brunskill, "Reinforcement Learning with State Observation Costs in Action-Contingent
Noiselessly Observable Markov Decision Processes" (NeurIPS 2021).  While it explores it looks always
and goes where it has been least: the value of trying a pair is learned like any other,

    E(s, a) += rate (1 / (1 + n(s, a)) + 0.99 sum_s' T(s, a, s') max E(s') - E(s, a))   for all a,

and it plays ``argmax E(s, ·)``.  Then the counted model is kept and a planner decides: POMCP, a
general online POMDP planner, as published, or any planner of this library (``planner``).

Parameters are those of LAVA-LAB/ATM (ModelLearner.py and ACNO_ENV.py, which make the authors'
nam630/acno_mdp general): rate 0.3, a prior of one transition over all states, successors of less
than ``min(1/S, 0.05)`` dropped; POMCP with 25,000 queries a step, depth 10, weight of the bound 10
(acno_mdp: 5,000, 5 and 3 on its five-step problem).  Where this differs from those files:

* the switch comes after ``explore`` of the steps; there after all episodes but the last (ATM) or
  after a million random steps made beforehand (acno_mdp);
* the discount is the task's (there 0.99 and 0.7), and the weight of the bound is scaled by
  ``max_return``;
* POMCP keeps its exact belief (no particles), and what it decides in one situation (state last
  seen and blind actions since) it decides once and keeps, for the model does not change any more.
  So its policy has an exact value, and deciding again would draw from the same distribution;
* a plan looks after ``LONGEST_BLIND`` blind steps at the latest.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from solvers.core.baseline import lowest_argmin, solve_baseline
from solvers.core.model import SensingMDP
from solvers.core.policy import Plan
from solvers.learning.counts import Counts
from solvers.learning.learner import Learner, Task
from solvers.learning.plans import look_always, plan_with
from solvers.planners.pomcp import PomcpPolicy

EXPLORE_RATE, EXPLORE_DISCOUNT = 0.3, 0.99
RARE = 0.05
"""Successors rarer than this, and than one in S, are dropped from the model."""
LONGEST_BLIND = 50
ENDED = 1e-9


@dataclass
class ObserveThenPlan(Learner):
    """Observe-then-Plan.

    explore : share of the steps spent exploring; planner : ``pomcp`` or the id of any planner;
    tree_queries, max_depth, c : POMCP's; c in units of ``max_return``
    """

    name = "observe-then-plan"
    explore: float = 0.9
    planner: str = "pomcp"
    tree_queries: int = 25_000
    max_depth: int = 10
    c: float = 10.0

    def begin(self, task: Task, rng: np.random.Generator) -> None:
        self.task, self.rng = task, rng
        self.counts = Counts(task)
        self.E = np.ones((task.num_states, task.num_actions))
        self.best = np.ones(task.num_states)
        self.steps = 0
        self.plan_of: _Plans | None = None

    def start(self, state: int) -> None:
        self.root, self.depth = state, 0

    def act(self) -> tuple[int, bool]:
        self.steps += 1
        if self.steps <= self.explore * self.task.steps:
            self.action, self.look = int(self.E[self.root].argmax()), True
            return self.action, True
        if self.plan_of is None:
            self.plan_of = self._planner()
        plan = self.plan_of(self.root)
        at = min(self.depth, len(plan.actions) - 1)
        self.action = plan.actions[at]
        self.look = plan.senses and self.depth + 1 >= len(plan.actions)
        return self.action, self.look

    def learn(self, seen: int | None, reward: float, ended: bool) -> None:
        if self.plan_of is not None:
            self.depth += 1
            if seen is not None:
                self.root, self.depth = seen, 0
            return
        s, a = self.root, self.action
        self.counts.saw_reward(s, a, reward)
        self.counts.saw_transition(s, a, seen, ended)
        n = self.counts.n[s]
        ahead = np.array([self._ahead(s, b) for b in range(len(n))])
        self.E[s] += EXPLORE_RATE * (1 / (1 + n) + EXPLORE_DISCOUNT * ahead - self.E[s])
        self.best[s] = self.E[s].max()
        self.root = seen

    def plans(self) -> list[Plan]:
        if self.plan_of is not None:
            return [self.plan_of(s) for s in range(self.task.num_states)]
        model = self.counts.model()
        _, Q = solve_baseline(model)
        return look_always(lowest_argmin(Q, 0.0))

    def _ahead(self, s: int, a: int) -> float:
        after, count = self.counts.row(s, a)
        n = self.counts.n[s, a]
        return float((count @ self.best[after] + self.best.mean()) / (n + 1))

    def _planner(self) -> _Plans:
        self.counts.drop_rare(min(1 / self.task.num_states, RARE))
        model = self.counts.model()
        if self.planner == "pomcp":
            return _PomcpPlans(self, model)
        options = {"init": "best"} if self.planner == "spi" else {}
        return _Plans(plan_with(self.planner, model, self.task.num_states, **options))


class _Plans:
    """Plans made at once."""

    def __init__(self, plans: list[Plan]) -> None:
        self.plans = plans

    def __call__(self, root: int) -> Plan:
        return self.plans[root]


class _PomcpPlans(_Plans):
    """Plans made when first asked for, decision by decision."""

    def __init__(self, learner: ObserveThenPlan, model: SensingMDP) -> None:
        task = learner.task
        self.model, self.visited = model, learner.counts.tried.any(axis=1)
        self.online = PomcpPolicy(
            model,
            tree_queries=learner.tree_queries,
            c=learner.c * abs(task.max_return),
            max_depth=learner.max_depth,
            rollout="random",
            seed=int(learner.rng.integers(2**32)),
        )
        self.made: dict[int, Plan] = {}

    def __call__(self, root: int) -> Plan:
        if root not in self.made:
            self.made[root] = self._make(root)
        return self.made[root]

    def _make(self, root: int) -> Plan:
        if not self.visited[root] or self.model.terminal[root]:
            return Plan((0,), True)  # nothing is known of this state, or nothing matters there
        belief = np.zeros(self.model.num_states)
        belief[root] = 1.0
        string: list[int] = []
        while True:
            a, look = self.online.act(belief)
            string.append(a)
            if look or len(string) > LONGEST_BLIND:
                return Plan(tuple(string), True)
            belief = self.model.step(belief[None, :], np.array([a]))[0]
            if belief @ ~self.model.terminal <= ENDED:
                return Plan(tuple(string), False)
