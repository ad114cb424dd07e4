"""Policies: what the agent does, as a function of what it knows.

Between looks the belief moves deterministically, so a deterministic policy is, for each root (the
state last seen), one :class:`Plan`: a string of blind actions that ends in one sensing action, or
never ends.  Every policy can say what it does at a belief (``act``) and what it will do from a
root (``plan``); the exact evaluator needs no more than that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from solvers.core.controller import Controller, runs_of
from solvers.core.model import SensingMDP

ROOTS_TIMES_STATES = 2**24
"""Roots times states unrolled at once for their plans: 128 MiB of beliefs."""
FORGOTTEN = 1e-10
"""Where the discount falls below this, what a policy does no longer counts."""


class PolicyError(ValueError):
    """What was handed in is not a policy for this problem; the message says where it failed."""


@dataclass(frozen=True)
class Plan:
    """What to do from a root: ``actions`` in order; the last one looks if ``senses``.

    ``senses`` is false for a plan that stays blind for good: its last action is repeated for ever.
    A known terminal state has the empty plan.
    """

    actions: tuple[int, ...]
    senses: bool

    def describe(self, action_names: Sequence[str]) -> str:
        """In words: ``down ×2, right, then look`` or ``up, left for good, blind``."""
        if not self.actions:
            return "nothing to do: the episode is over"
        runs: list[list] = []
        for a in self.actions:
            if runs and runs[-1][0] == a:
                runs[-1][1] += 1
            else:
                runs.append([a, 1])
        if not self.senses:
            runs[-1][1] = 1  # it goes on for ever; how often it is written does not matter
        words = ", ".join(action_names[a] + (f" ×{n}" if n > 1 else "") for a, n in runs)
        return words + (", then look" if self.senses else " for good, blind")


class Policy:
    """Base of all policies: override ``act_batch`` (or ``act``); the rest follows.

    Attributes
    ----------
    problem : the model the policy was made for
    randomised : True for an online planner with randomness; it is simulated, never unrolled
    """

    randomised = False

    def __init__(self, problem: SensingMDP) -> None:
        self.problem = problem

    def act(self, belief: np.ndarray) -> tuple[int, bool]:
        """The action at a belief (S,), and whether to look at the state it leads to."""
        actions, senses = self.act_batch(belief[None, :])
        return int(actions[0]), bool(senses[0])

    def act_batch(self, beliefs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The same for many beliefs: (n, S) -> actions (n,), senses (n,)."""
        chosen = [self.act(belief) for belief in beliefs]
        return np.array([a for a, _ in chosen]), np.array([sense for _, sense in chosen])

    def step(
        self, roots: np.ndarray, depth: int, beliefs: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Actions and looks of the roots (n,), each ``depth`` blind steps old, at ``beliefs``."""
        return self.act_batch(beliefs)

    def plan(self, root: int | str) -> Plan:
        """The plan from a root state, given by index or name."""
        from solvers.core.evaluation import unroll_plan

        return unroll_plan(self.problem, self, self.problem.state_index(root))

    def all_plans(self) -> list[Plan]:
        """The plan of every root; none where the episode is over."""
        from solvers.core.evaluation import unroll_plans

        S = self.problem.num_states
        blocks = np.array_split(np.arange(S), 1 + S * S // ROOTS_TIMES_STATES)
        return [plan for roots in blocks for plan in unroll_plans(self.problem, self, roots)]

    def controller(self) -> Controller:
        """What runs this policy in the field: plain lists, no numpy; see controller.py."""
        if self.randomised:
            raise PolicyError("a randomised policy has no plans to run")
        problem, plans = self.problem, self.all_plans()
        first = np.flatnonzero(problem.start)
        return Controller(
            problem=problem.name,
            states=problem.state_names,
            actions=problem.action_names,
            start=[[int(s), float(problem.start[s])] for s in first],
            terminal=[int(s) for s in np.flatnonzero(problem.terminal)],
            plans=[
                {"runs": [] if end else runs_of(plan.actions), "look": plan.senses and not end}
                for plan, end in zip(plans, problem.terminal.tolist(), strict=True)
            ],
        )


class PlanPolicy(Policy):
    """One explicit plan per root.

    At a belief that lies on one of its plans it does what that plan does; anywhere else it looks,
    with the action that is best if the plans are followed from there on (the paper's myopic
    sensing action).
    """

    def __init__(self, problem: SensingMDP, plans: Sequence[Plan]) -> None:
        super().__init__(problem)
        self.plans = tuple(plans)
        if len(self.plans) != problem.num_states:
            raise PolicyError(
                f"{len(self.plans)} plans for the {problem.num_states} states of {problem.name}; "
                "expected one each (the empty plan for a terminal state)"
            )
        self._lengths = np.array([len(p.actions) for p in self.plans])
        self._senses = np.array([p.senses for p in self.plans])
        self._table = np.full((len(self.plans), max(1, int(self._lengths.max()))), -1)
        for root, p in enumerate(self.plans):
            self._table[root, : len(p.actions)] = p.actions
        self._known: dict[bytes, tuple[int, bool]] | None = None
        self._sensing_scores: np.ndarray | None = None

    def all_plans(self) -> list[Plan]:
        return list(self.plans)

    def plan(self, root: int | str) -> Plan:
        return self.plans[self.problem.state_index(root)]

    def step(
        self, roots: np.ndarray, depth: int, beliefs: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        # A plan that is blind for good repeats its last action past its written end.
        at = np.minimum(depth, np.maximum(self._lengths[roots] - 1, 0))
        looks = self._senses[roots] & (depth + 1 >= self._lengths[roots])
        return self._table[roots, at], looks

    def blind_for_good(self, roots: np.ndarray) -> np.ndarray:
        """Which roots' plans never look: (n,) bool."""
        return ~self._senses[roots]

    def ended(self, roots: np.ndarray, depth: int) -> np.ndarray:
        """Which roots' plans are blind for good and past their written end: (n,) bool."""
        return self.blind_for_good(roots) & (depth >= self._lengths[roots])

    def act(self, belief: np.ndarray) -> tuple[int, bool]:
        if self._known is None:
            self._remember_plans()
        key = _belief_key(belief)
        if key in self._known:
            return self._known[key]
        scores = belief @ self._sensing_scores + self.problem.sensing_cost_at(belief)[0]
        return int(np.argmin(scores)), True

    def _remember_plans(self) -> None:
        from solvers.core.evaluation import evaluate

        problem = self.problem
        V = evaluate(problem, self)
        self._sensing_scores = np.stack(
            [
                problem.costs[:, a] + problem.discount * (T @ V)
                for a, T in enumerate(problem.transitions)
            ],
            axis=1,
        )
        self._known = {}
        roots = np.flatnonzero(~problem.terminal)
        beliefs = np.eye(problem.num_states)[roots]
        depth = 0
        while len(roots):
            actions, looks = self.step(roots, depth, beliefs)
            fresh = np.zeros(len(roots), bool)
            for i, (belief, a, look) in enumerate(zip(beliefs, actions, looks, strict=True)):
                key = _belief_key(belief)
                fresh[i] = key not in self._known
                self._known.setdefault(key, (int(a), bool(look)))
            depth += 1
            # Past the written end of a plan that is blind for good: until its beliefs recur.
            on = ~looks & ((depth < self._lengths[roots]) | fresh)
            if problem.discount**depth < FORGOTTEN:
                break
            roots, beliefs = roots[on], problem.step(beliefs[on], actions[on])


class AlphaVectorPolicy(Policy):
    """The cheapest of a set of cost vectors: ``alphas`` (n, S), each with its action and look."""

    def __init__(
        self, problem: SensingMDP, alphas: np.ndarray, actions: np.ndarray, senses: np.ndarray
    ) -> None:
        super().__init__(problem)
        self.alphas = np.asarray(alphas, float)
        self.actions = np.asarray(actions, int)
        self.senses = np.asarray(senses, bool)

    def act_batch(self, beliefs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        best = np.argmin(beliefs @ self.alphas.T, axis=1)
        return self.actions[best], self.senses[best]


def _belief_key(belief: np.ndarray) -> bytes:
    return np.round(belief, 10).astype(np.float32).tobytes()
