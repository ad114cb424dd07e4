"""Exact value of any deterministic policy, for all roots at once, with a proven error.

From each root the policy is unrolled until it looks or never looks again
(:mod:`solvers.core.unrolling`).  With ``m`` blind steps before the look at action ``a``, belief
``b`` then, and ``c`` the discounted cost so far, root j's value obeys

    V(j) = c(j) + alpha^(m+1) b T(a) V          (c includes the look's alpha^m k)

What is valued are the plans that unrolling finds, those of ``policy.plan``, and the error is proven
for them.  A policy that reads beliefs is asked at beliefs in double precision, from which
probabilities below ``DUST`` are let go, and one that differs by rounding alone from what it was
counts as the same; where a decision hangs on less than that, exact arithmetic might choose another
plan.

All roots together are one linear system ``V = c + P V`` with ``P`` a contraction, solved with
an error that holds for each root by itself (:mod:`solvers.kernels.returns`).  Terminal roots have
value 0.  The same system with other right-hand sides gives how often the policy looks.

From a start only the roots count that the policy lands on from there: their rows make a system of
their own.  A root that is reached with a discounted chance below ``NEGLIGIBLE_REACH`` is left out;
what could be paid there is part of the error.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from solvers.core.blind_moves import counted_states, most_cost, moved, step_rounding
from solvers.core.ending import row_distance
from solvers.core.means import mean
from solvers.core.model import SensingMDP
from solvers.core.plan import Follows, checked_choice
from solvers.core.roots import LIKELY_REACH, Reach, roots_along
from solvers.core.underflow import underflow
from solvers.core.unrolling import Walker, walks, walks_sparse_beliefs
from solvers.core.walk_state import Step
from solvers.kernels.dots import picked_dots
from solvers.kernels.returns import UNIT, solve_proven, two_sum

GUESSED_STEPS = 4
"""A root that may not be reached is walked so far; on large problems most plans look sooner."""
MOST_ERROR = 1e300
"""Stands for an error without a bound: 0 times infinity would spoil what never gets there."""


@dataclass(frozen=True)
class Evaluation:
    """Exact figures of a policy, per root (S,); NaN at roots that were not asked for.

    values : discounted cost; error : the most by which rounding can have changed it (where a look's
    price is a function of the belief, granted that it is nowhere above ``look_costs.largest()``)
    looks : discounted number of looks; steps : discounted number of steps until a look shows the
    end (``1 / (1 - alpha)`` if none ever does); where the end is seen for free, or the discount is
    1, looks and steps count up to the end itself
    """

    values: np.ndarray
    looks: np.ndarray
    steps: np.ndarray
    error: np.ndarray

    def sensing_rate(self, start: np.ndarray) -> float:
        """The share of (discounted) steps at which the agent looks, from ``start``."""
        steps = mean(start, self.steps)
        return mean(start, self.looks) / steps if steps > 0 else 0.0


@dataclass(frozen=True)
class Round:
    """One round of a policy, per root: from one look to the next.

    gains : (S, 3), discounted cost, looks and steps up to and with the first look
    P : (S, S), where that look lands, discounted; no landing on terminal states
    size : (S,), what the cost is summed from, in absolute terms
    error : (S,), how far the cost may be off; rho : (S,), the same of a row of P, as a share
    known : (S,) bool, the live roots that were unrolled
    """

    gains: np.ndarray
    P: sparse.csr_array
    size: np.ndarray
    error: np.ndarray
    rho: np.ndarray
    known: np.ndarray


def evaluate(problem: SensingMDP, policy: Follows) -> np.ndarray:
    """Exact discounted cost of a deterministic policy at each root: (S,)."""
    return evaluate_fully(problem, policy).values


def evaluate_fully(
    problem: SensingMDP, policy: Follows, roots: np.ndarray | None = None
) -> Evaluation:
    """Exact values, looks and steps of a deterministic policy at each root.

    roots : (n,) only at these and at those it reaches from there; at every root when left out
    """
    found = unroll(problem, policy, roots)
    if found.known.sum() < np.count_nonzero(~problem.terminal):
        return _evaluate_part(problem, found)
    values, error, system = solve_proven(found.P, found.gains[:, 0], found.error, found.rho)
    looks, steps = system.solve(found.gains[:, 1:]).T
    return Evaluation(values, looks, steps, error)


def _evaluate_part(problem: SensingMDP, found: Round) -> Evaluation:
    """The same on the roots that were unrolled alone."""
    known = np.flatnonzero(found.known)
    rows = found.P[known]
    left_out = rows @ (~found.known).astype(float)  # chances to land where nothing was unrolled
    P = sparse.csr_array(rows[:, known])
    gains, rho = found.gains[known], found.rho[known]
    error = found.error[known] + left_out * np.where(left_out > 0, most_cost(problem), 0.0)
    values, error, system = solve_proven(P, gains[:, 0], error, rho)
    looks, steps = system.solve(gains[:, 1:]).T
    everywhere = []
    for part in (values, looks, steps, error):
        whole = np.where(problem.terminal, 0.0, np.nan)
        whole[known] = part
        everywhere.append(whole)
    return Evaluation(*everywhere)


def unroll(problem: SensingMDP, policy: Follows, roots: np.ndarray | None = None) -> Round:
    """Follow the policy to its first look from every root.

    roots : (n,) only from these and from all that its looks land on from there
    """
    book, walker = _Book(problem), Walker(problem, policy, strides=True)
    if roots is None:
        known = ~problem.terminal
        for step in walks(problem, policy, np.flatnonzero(known), walker):
            book.enter(step)
    else:
        start = np.zeros(problem.num_states)
        start[roots] = 1.0
        reach = Reach(start, problem.terminal)
        reach.add(_walk_guessed(problem, policy, start, book), *book.rows_since(0))
        while len(front := reach.front()):
            before = len(book.landed)
            for step in walks(problem, policy, front, walker):
                book.enter(step)
            reach.add(front, *book.rows_since(before))
        known = reach.reached
    book.gains[:, 0] += book.rest
    error = (book.error + 8 * UNIT * book.size) * (1 + 1e-9)  # sums of up to a million terms
    return Round(book.gains, book.rows(), book.size, error, book.rho, known)


def _walk_guessed(
    problem: SensingMDP, policy: Follows, start: np.ndarray, book: _Book
) -> np.ndarray:
    """Walk the roots that would be reached from start (S,) if the policy looked after its first
    action; returns those (n,) whose walks ended within GUESSED_STEPS, the others leave no trace.

    Many roots are walked as fast as a few, and news of a new one comes late.  One that stays blind
    for longer waits until it is known to be reached: its walk is dear.
    """
    if not walks_sparse_beliefs(problem, policy):
        return np.empty(0, int)
    S, live = problem.num_states, np.flatnonzero(~problem.terminal)
    actions, ends = np.zeros(S, int), np.arange(len(live) + 1)
    beliefs = sparse.csr_array((np.ones(len(live)), live, ends), (len(live), S))
    answer = policy.step(live, 0, beliefs)
    actions[live] = checked_choice(answer, problem.num_actions, problem.name, live, 0)[0]
    P = problem.discount * problem.policy_matrix(actions)
    guessed = roots_along(P, start, problem.terminal, LIKELY_REACH) & ~problem.terminal
    ended, walker = np.zeros(S, bool), Walker(problem, policy, longest=GUESSED_STEPS)
    for step in walks(problem, policy, np.flatnonzero(guessed), walker):
        book.enter(step)
        ended[step.roots[step.ends & ~step.cut]] = True
    book.forget(np.flatnonzero(guessed & ~ended))
    return np.flatnonzero(ended)


class _Book:
    """What the walks have cost so far, per root, and where they landed."""

    def __init__(self, problem: SensingMDP) -> None:
        S = problem.num_states
        self.problem = problem
        self.gains, self.error, self.rho = np.zeros((S, 3)), np.zeros(S), np.zeros(S)
        self.rest = np.zeros(S)  # what rounding took from the costs in gains, step by step
        self.size = np.zeros(S)  # what the cost is summed from, in absolute terms
        self.landed: list[sparse.csr_array] = []
        self.who: list[np.ndarray] = []
        self.sums = (self.gains, self.rest, self.size, self.error)
        self.past = tuple(x.copy() for x in self.sums)  # when marked
        self.counted, self.unit = counted_states(problem), step_rounding(problem)
        self.underflow, self.off = underflow(problem), row_distance(problem.transitions)

    def rows_since(self, before: int) -> tuple[np.ndarray, sparse.csr_array]:
        """The roots that looked (m,) since so many blocks had, and where they landed (m, S)."""
        who, landed = self.who[before:], self.landed[before:]
        if not landed:
            return np.empty(0, int), sparse.csr_array((0, self.problem.num_states))
        return np.concatenate(who), sparse.csr_array(sparse.vstack(landed, format="csr"))

    def rows(self) -> sparse.csr_array:
        """Where the looks of all roots land: (S, S), empty rows for roots without one."""
        S, (who, landed) = self.problem.num_states, self.rows_since(0)
        place = np.full(S, len(who))
        place[who] = np.arange(len(who))
        nowhere = sparse.csr_array((1, S))
        return sparse.csr_array(sparse.vstack([landed, nowhere], format="csr")[place])

    def forget(self, roots: np.ndarray) -> None:
        """Take back the steps of walks that were left before they looked."""
        for total in self.sums:
            total[roots] = 0.0

    def enter(self, step: Step) -> None:
        """Add one step of all walks."""
        problem, roots = self.problem, step.roots
        self.error[roots] += step.left
        if self.underflow.begun(step.depth + step.span.max(initial=1)):
            self.error[roots] += self.underflow.lost
        for i in np.flatnonzero(step.period):
            self._close_cycle(step, int(i))
        marked = roots[step.marks]
        for now, past in zip(self.sums, self.past, strict=True):
            past[marked] = now[marked]
        on = np.flatnonzero(~step.repeats & (step.period == 0))
        if len(on):
            cost, size, slip = step.costs
            self._pay(step, on, cost[on], size[on], slip[on])
            self.gains[roots[on], 2] += problem.discount**step.depth * step.awake[on]
        for a in np.unique(step.actions[step.repeats]):
            self._repeat(step, np.flatnonzero(step.repeats & (step.actions == a)), int(a))
        if step.looks.any():
            self._look(step, np.flatnonzero(step.looks))

    def _pay(
        self,
        step: Step,
        who: np.ndarray,
        cost: np.ndarray,
        size: np.ndarray,
        slip: np.ndarray | float,
    ) -> None:
        """Book a cost (m,) of these walks; ``size`` is what it is summed from, in absolute terms,
        ``slip`` its error as a share of that, the rounding of beliefs not counted."""
        discount, at = self.problem.discount**step.depth, step.roots[who]
        self.gains[at, 0], lost = two_sum(self.gains[at, 0], discount * cost)
        self.rest[at] += lost  # or a large cost would swallow all the small ones after it
        self.size[at] += discount * size
        self.error[at] += discount * (slip + step.blur + 2 * self.unit) * size

    def _repeat(self, step: Step, who: np.ndarray, a: int) -> None:
        """These walks repeat action a for good, at a cost known in closed form."""
        problem, beliefs = self.problem, step.beliefs[who]
        found = problem.repeated(a)
        columns = np.zeros(len(who), int)
        cost, size, slip = picked_dots(beliefs, columns, found.values[:, None])
        self._pay(step, who, cost, size, slip)
        discount = problem.discount**step.depth
        error = beliefs @ np.minimum(found.error, MOST_ERROR)
        self.error[step.roots[who]] += discount * error * (1 + 1e-9)
        ends = self.counted.min() == 0 or problem.discount == 1
        steps = beliefs @ found.steps if ends else 1 / (1 - problem.discount)
        self.gains[step.roots[who], 2] += discount * steps

    def _close_cycle(self, step: Step, i: int) -> None:
        """This walk goes on as in its last ``period`` steps, for ever."""
        root, p, alpha = step.roots[i], int(step.period[i]), self.problem.discount
        if alpha == 1:  # only where all is over: nothing is paid any more
            return
        fades = -np.expm1(p * np.log(alpha))  # 1 - alpha^p
        for now, past in zip(self.sums, self.past, strict=True):
            now[root] = past[root] + (now[root] - past[root]) / fades
        # Later rounds come with older beliefs: their rounding is counted on average, and so is the
        # difference between this belief and that of p steps ago, which is at most as large.  Both
        # grow like interest: by (1 + ε)^r in round r.  So alpha^(p r) (1 + ε)^r is summed.
        drift = 2 * p / fades * self.unit
        if drift >= 1:  # as far as rounding tells, nothing fades
            self.error[root] = MOST_ERROR
            return
        later = step.blur + drift / (1 - drift)
        self.error[root] += (later + 8 * UNIT) * self.size[root]

    def _look(self, step: Step, who: np.ndarray) -> None:
        problem, at = self.problem, step.roots[who]
        beliefs, actions = step.beliefs[who], step.actions[who]
        discount = problem.discount**step.depth
        k, slip = problem.look_costs.of(beliefs, actions)
        if problem.look_costs.linear:  # one number for all states is taken as if they summed to 1
            slip = slip + np.expm1(step.depth * self.off) * (1 + 1e-9)
        self._pay(step, who, k, k, slip)
        self.gains[at, 1] += discount * (beliefs @ self.counted)
        after = sparse.csr_array(moved(problem, beliefs, actions))
        after.data *= np.repeat(discount * problem.discount, after.nnz)
        after.data[problem.terminal[after.indices]] = 0.0  # the episode is over there
        after.eliminate_zeros()
        self.landed.append(after)
        self.who.append(at)
        self.rho[at] = step.blur + 2 * self.unit
