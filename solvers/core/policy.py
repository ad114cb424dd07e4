"""Policies: what the agent does, as a function of what it knows.

Every policy can say what it does at a belief (``act``) and what it will do from a root (``plan``);
the exact evaluator needs no more than that.  A policy that decides by linear functions of the
belief can also say by how much (``margins``), which lets its blind plans be summed to their end.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np

from solvers.core.baseline import lowest_argmin
from solvers.core.controller import Controller, runs_of
from solvers.core.ending import resting_states
from solvers.core.evaluation import evaluate
from solvers.core.model import SensingMDP
from solvers.core.overrides import check_overrides
from solvers.core.plan import Plan, PolicyError, Vectors
from solvers.core.repeats import MOST_MARGINS, STRICT
from solvers.core.unrolling import BLOCK_ENTRIES
from solvers.core.written_plans import MOST_WRITTEN, unroll_plans

__all__ = ["AlphaVectorPolicy", "Plan", "PlanPolicy", "Policy", "PolicyError"]

FORGOTTEN = 1e-10
"""Where the discount falls below this, what a policy does no longer counts."""
ROUNDING = 1e-13
"""Vectors that differ by less than this share are not told apart."""


class Policy:
    """Base of all policies: override ``act_batch`` (or ``act``); the rest follows.

    Attributes
    ----------
    problem : the model the policy was made for
    randomised : True for an online planner with randomness; it is simulated, never unrolled
    reads_beliefs : False if what it does depends on the root and the steps since alone
    reads_sparse : True if ``act_batch`` also takes beliefs as a sparse array
    """

    randomised = False
    reads_beliefs = True
    reads_sparse = False

    def __init_subclass__(cls) -> None:
        check_overrides(cls, Policy)

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

    def step(self, roots: np.ndarray, depth: int, beliefs: Any) -> tuple[np.ndarray, np.ndarray]:
        """Actions and looks of the roots (n,), each ``depth`` blind steps old, at ``beliefs``."""
        return self.act_batch(beliefs)

    def repeats(self, roots: np.ndarray, depth: int) -> np.ndarray:
        """Which roots' plans (n,) repeat their present action blind for good, as far as known."""
        return np.zeros(len(roots), bool)

    def reasons(self, beliefs: Any, actions: np.ndarray) -> np.ndarray:
        """Why it plays these blind actions (n,): numbers for ``margins``, -1 for no reason."""
        return np.full(len(actions), -1)

    def margins(self, reason: int) -> np.ndarray | None:
        """Columns h (S, c): it plays the blind action of this reason wherever all ``b h >= 0``, or
        another blind one where no action makes a difference; see ``strictly``."""
        return None

    def strictly(self, h: np.ndarray, actions: np.ndarray, looks: np.ndarray) -> np.ndarray:
        """Margins (S, c) that must be above 0, so that they may be asked to be at least 0.

        ``actions``, ``looks`` : (c,), what is done instead where a margin is not above 0.  Where
        no action makes a difference it does not matter, unless it is a look.
        """
        problem = self.problem
        free = np.zeros(h.shape, bool)  # a look that costs nothing and ends the episode
        if problem.has_linear_sensing_cost:
            free = problem.terminal[:, None] & (problem.sensing_costs()[:, actions] == 0)
        return h - STRICT * (self._moving[:, None] | (looks & ~free))

    @cached_property
    def _moving(self) -> np.ndarray:
        return ~resting_states(self.problem)

    def stays_blind(self, beliefs: Any) -> np.ndarray:
        """Where (n,) it surely never looks again, as the live probability can only shrink."""
        return np.zeros(beliefs.shape[0], bool)

    def vectors(self) -> Vectors | None:
        """The cost vectors of which it takes the cheapest; None for a policy of another kind."""
        return None

    def plan(self, root: int | str) -> Plan:
        """The plan from a root state, given by index or name; cut after MOST_WRITTEN actions."""
        roots = np.array([self.problem.state_index(root)])
        return unroll_plans(self.problem, self, roots, limit=MOST_WRITTEN)[0]

    def all_plans(self) -> list[Plan]:
        """The plan of every root, none where the episode is over; refused if one is too long."""
        return unroll_plans(self.problem, self, np.arange(self.problem.num_states))

    def controller(self) -> Controller:
        """What runs this policy in the field: plain lists, no numpy; see controller.py."""
        if self.randomised:
            raise PolicyError("a randomised policy has no plans to run")
        problem, plans = self.problem, self.all_plans()
        return Controller(
            problem=problem.name,
            states=problem.state_names,
            actions=problem.action_names,
            start=[[int(s), float(problem.start[s])] for s in np.flatnonzero(problem.start)],
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

    reads_beliefs = False
    reads_sparse = True  # it looks at none

    def __init__(self, problem: SensingMDP, plans: Iterable[Plan]) -> None:
        super().__init__(problem)
        self.plans = tuple(_checked(plan, root).shortest() for root, plan in enumerate(plans))
        if len(self.plans) != problem.num_states:
            raise PolicyError(
                f"{len(self.plans)} plans for the {problem.num_states} states of {problem.name}; "
                "expected one each (the empty plan for a terminal state)"
            )
        self._lengths = np.array([len(p.actions) for p in self.plans])
        self._senses = np.array([p.senses for p in self.plans])
        # All actions one plan after the other; an empty plan has a place that is never played.
        self._first = np.concatenate([[0], np.cumsum(np.maximum(self._lengths, 1))])
        written = chain.from_iterable(p.actions or (-1,) for p in self.plans)
        self._actions = np.fromiter(written, np.int32, int(self._first[-1]))
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
        return self._actions[self._first[roots] + at], looks

    def repeats(self, roots: np.ndarray, depth: int) -> np.ndarray:
        return ~self._senses[roots] & (depth + 1 >= self._lengths[roots])

    def act(self, belief: np.ndarray) -> tuple[int, bool]:
        if self._known is None or self._sensing_scores is None:
            self._known, self._sensing_scores = self._remembered()
        key = _belief_key(belief)
        if key in self._known:
            return self._known[key]
        scores = belief @ self._sensing_scores + self.problem.sensing_cost_at(belief)[0]
        return int(np.argmin(scores)), True

    def _remembered(self) -> tuple[dict[bytes, tuple[int, bool]], np.ndarray]:
        """What is done at every belief of the plans; what looking elsewhere costs (S, A)."""
        problem = self.problem
        V = evaluate(problem, self)
        ahead = np.stack([T @ V for T in problem.transitions], axis=1)
        known: dict[bytes, tuple[int, bool]] = {}
        roots = np.flatnonzero(~problem.terminal)
        size = max(1, BLOCK_ENTRIES // problem.num_states)
        for first in range(0, len(roots), size):
            self._remember_block(roots[first : first + size], known)
        return known, problem.costs + problem.discount * ahead

    def _remember_block(self, roots: np.ndarray, known: dict[bytes, tuple[int, bool]]) -> None:
        problem, depth = self.problem, 0
        beliefs = np.zeros((len(roots), problem.num_states))
        beliefs[np.arange(len(roots)), roots] = 1.0
        while len(roots):
            actions, looks = self.step(roots, depth, beliefs)
            fresh = np.zeros(len(roots), bool)
            for i, (belief, a, look) in enumerate(zip(beliefs, actions, looks, strict=True)):
                key = _belief_key(belief)
                fresh[i] = key not in known
                known.setdefault(key, (int(a), bool(look)))
            depth += 1
            # Past the written end of a plan that is blind for good: until its beliefs recur.
            on = ~looks & ((depth < self._lengths[roots]) | fresh)
            if problem.discount**depth < FORGOTTEN:
                break
            roots, beliefs = roots[on], problem.step(beliefs[on], actions[on])


class AlphaVectorPolicy(Policy):
    """The cheapest of a set of cost vectors: ``alphas`` (n, S), each with its action and look.

    Of vectors that differ by less than ``b ties`` at a belief b the first is taken: that is
    rounding, which is not the same on every machine.
    """

    def __init__(
        self, problem: SensingMDP, alphas: np.ndarray, actions: np.ndarray, senses: np.ndarray
    ) -> None:
        super().__init__(problem)
        self.alphas = np.asarray(alphas, float)
        self.actions = np.asarray(actions, int)
        self.senses = np.asarray(senses, bool)
        self.ties = 2 * ROUNDING * np.abs(self.alphas).max(axis=0)  # (S,)

    reads_sparse = True

    def act_batch(self, beliefs: Any) -> tuple[np.ndarray, np.ndarray]:
        best = self._cheapest(beliefs)
        return self.actions[best], self.senses[best]

    def vectors(self) -> Vectors:
        unguarded = np.zeros((self.problem.num_actions, 0, self.problem.num_states))
        return Vectors(self.alphas, self.actions, self.senses, self.ties, unguarded)

    def reasons(self, beliefs: Any, actions: np.ndarray) -> np.ndarray:
        return self._cheapest(beliefs)

    def _cheapest(self, beliefs: Any) -> np.ndarray:
        """The vector that counts at each belief: (n, S) -> (n,)."""
        return lowest_argmin(beliefs @ self.alphas.T, beliefs @ self.ties)

    def margins(self, reason: int) -> np.ndarray | None:
        chosen, other = self.alphas[reason], self.alphas
        if other.size > MOST_MARGINS:
            return None
        others = (self.actions != self.actions[reason]) | self.senses
        # Any vector of this action will do.  The others are not taken if they are above the chosen
        # one by more than a tie; those after it, if it is the only one, even if they are equal.
        ahead = np.arange(len(other)) < (reason if others.sum() == len(other) - 1 else len(other))
        h = (other - chosen + np.where(ahead, -1.0, 1.0)[:, None] * self.ties).T
        h[:, ahead] = self.strictly(h[:, ahead], self.actions[ahead], self.senses[ahead])
        return h[:, others]

    def stays_blind(self, beliefs: Any) -> np.ndarray:
        worth = self._looks_at_end
        if worth is None:
            return super().stays_blind(beliefs)
        least, most = worth
        live = beliefs @ (~self.problem.terminal).astype(float)
        return beliefs @ np.where(self.problem.terminal, least, 0.0) > 2 * live * most

    @cached_property
    def _looks_at_end(self) -> tuple[np.ndarray, float] | None:
        """One blind vector against all that look: in each state (S,) by how much the cheapest look
        is dearer than it, and the most by which a look is cheaper in a live state.  None if some
        look is cheaper in a terminal state."""
        end = self.problem.terminal
        if not self.senses.any() or self.senses.all():
            return None if self.senses.any() else (np.ones(len(end)), 0.0)
        blind = self.alphas[~self.senses]
        blind = blind[np.argmin(blind[:, end].sum(axis=1))]
        above = (self.alphas[self.senses] - blind - self.ties).min(axis=0)
        if (above[end] < 0).any():
            return None
        return above, float(np.maximum(-above[~end], 0.0).max(initial=0.0))


def _checked(plan: Any, root: int) -> Plan:
    """A plan whose actions are whole numbers."""
    if not isinstance(plan, Plan):
        raise PolicyError(f"root {root}: found a {type(plan).__name__}; expected a Plan")
    for a in plan.actions:
        if not isinstance(a, int | np.integer):
            raise PolicyError(f"root {root}: its plan has the action {a!r}; expected an index")
    return plan


def _belief_key(belief: np.ndarray) -> bytes:
    return np.round(belief, 10).astype(np.float32).tobytes()
