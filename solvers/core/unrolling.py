"""Following a deterministic policy from many roots until it looks, with every error counted.

After m blind steps root j holds the belief b and has paid g; then

    it looks                               g + α^m (b C(a) + k(b, a)), landing on  α^(m+1) b T(a)
    it repeats a blind for good            g + α^m b R(a),   R(a) = C(a) + α T(a) R(a)
    its belief is what it was p steps ago  those p steps go on for ever: their cost / (1 - α^p)
                                           (the two beliefs may differ by rounding: see below)

so a plan that never looks is summed in closed form, never cut.  When a policy that reads beliefs
repeats for good is the subject of :mod:`solvers.core.repeats`; where it surely repeats an action
for a while, all these steps are one leap (:mod:`solvers.core.powers`); long walks of vectors over
few states make compiled strides (:mod:`solvers.core.strides`).  Where none of these comes,
the walk ends when all that can still be paid is below ``NEGLIGIBLE`` of what the root has paid;
that rest is part of the error.

Beliefs are sums of products of non-negative numbers, so their rounding is relative to each entry:
after m steps at most ``m (n + 1)`` units, n the most entries in a column of T.  (The price of a
look that is a function of the belief is taken as the function gives it.)  If p steps changed no
entry of a belief by more than a share δ, the next p do not either, because T has no negative
entries: in round r everything is within r δ of what it was, besides its rounding.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy import sparse

from solvers.core.blind_moves import (
    counted_states,
    most_cost,
    moved,
    rest_after,
    same_rows,
    step_rounding,
)
from solvers.core.model import SensingMDP
from solvers.core.plan import Follows, PolicyError, checked_choice
from solvers.core.powers import Powers
from solvers.core.repeats import FOR_GOOD, SHORTEST, Repeats, tried_at
from solvers.core.strides import LENGTH, Strides, Taken
from solvers.core.walk_state import Block, Step, joined, leaps
from solvers.kernels.dots import picked_dots
from solvers.kernels.returns import Rows

NEGLIGIBLE = 1e-15
"""What a walk may leave out, as a share of what its root has paid so far (the least cost that
counts, if that is more)."""
DUST = 1e-40
"""Probabilities below this are let go, so that a belief can come to rest; the error knows."""
BLOCK_ENTRIES = 2**22
"""Largest belief block (roots × states) held at once: 32 MiB."""
SPARSE_STATES, SPARSE_BLOCK = 4096, 2048
"""From so many states on, beliefs are sparse rows where T is sparse, of so many roots at once."""
MOST_WORK, STEP_WORK, LEAP_WORK = 1e9, 5000, 15_000
"""Entries of beliefs that the walks of a block may move, and what a step counts besides, and a leap
once more: then they are cut, and the error says what that may change.  A unit is about 30 ns, so
that the cheapest steps may take half a minute on a slow core."""
SETTLED = 256
"""After so many steps two beliefs that differ by no more than rounding count as the same: where
rows of T sum to a little less than 1, a belief shrinks a little each step and never repeats."""


def walks(
    problem: SensingMDP, policy: Follows, roots: np.ndarray, walker: Walker | None = None
) -> Iterator[Step]:
    """Every step of the walks from these live roots (n,), block by block, until all have ended."""
    if getattr(policy, "randomised", False):
        raise PolicyError(
            f"{type(policy).__name__} is randomised: it has no exact value; use solvers.simulate"
        )
    walker = walker or Walker(problem, policy)  # one that has walked before knows its proofs
    is_sparse = not problem.is_dense and problem.num_states >= SPARSE_STATES
    size = max(1, BLOCK_ENTRIES // problem.num_states)
    if walks_sparse_beliefs(problem, policy):
        size = SPARSE_BLOCK
    for first in range(0, len(roots), size):
        block = roots[first : first + size]
        beliefs: Rows = np.zeros((0, 0))
        if is_sparse:
            ones, ends = np.ones(len(block)), np.arange(len(block) + 1)
            beliefs = sparse.csr_array((ones, block, ends), (len(block), problem.num_states))
        else:
            beliefs = np.zeros((len(block), problem.num_states))
            beliefs[np.arange(len(block)), block] = 1.0
        yield from walker.walk(Block.fresh(0, block, beliefs, np.zeros(len(block)), 0.0))


def walks_sparse_beliefs(problem: SensingMDP, policy: Follows) -> bool:
    """Whether beliefs are sparse and the policy reads them so; else they are written out for it."""
    large = not problem.is_dense and problem.num_states >= SPARSE_STATES
    return large and policy.reads_sparse


class Walker:
    """Walks blocks of roots, always those that are youngest.

    A leap of 2^j steps begins at a depth that 2^j divides.  So walks that step on meet those that
    have leapt ahead, and go on together with them.

    strides : whether steps of different actions may be told as one (not to one who writes plans)
    longest : walks are left after so many steps
    """

    def __init__(
        self,
        problem: SensingMDP,
        policy: Follows,
        strides: bool = False,
        longest: float = np.inf,
    ) -> None:
        self.problem, self.policy, self.longest = problem, policy, longest
        self.counted, self.unit = counted_states(problem), step_rounding(problem)
        self.powers = Powers(problem, self.counted)
        self.repeats = Repeats(problem, policy, self.powers)
        self.most = most_cost(problem)
        finite = policy.reads_beliefs and np.isfinite(self.most)
        self.dust = DUST if finite else 0.0
        self.swept = DUST * problem.num_states * self.most if finite else 0.0  # cost, each step
        self.strides = Strides.of(problem, policy, self.dust) if strides else None
        self.waiting: dict[int, list[Block]] = {}
        self.work = 0.0

    def walk(self, block: Block) -> Iterator[Step]:
        """Every step of these walks."""
        self.waiting, self.work = {block.depth: [block]}, 0.0
        while self.waiting:
            blocks = self.waiting.pop(min(self.waiting))
            block = blocks[0] if len(blocks) == 1 else joined(blocks)
            if self.strides is not None and self.strides.pay_for(block):
                yield from self._stride(block, self.strides.take(block))
                continue
            step = self._step(block)
            yield step
            self._go_on(block, step)

    def _stride(self, block: Block, taken: Taken) -> Iterator[Step]:
        """Many steps of these walks at once; those that are about to look wait for a step."""
        discount = self.problem.discount**block.depth
        block.paid += discount * taken.costs[1]
        left = discount * self.swept * taken.span
        nowhere = np.zeros(len(block.roots), bool)
        yield Step(
            *(block.depth, block.roots, block.beliefs, taken.actions, nowhere, nowhere),
            *(taken.span, np.zeros(len(block.roots), int), nowhere, left, nowhere),
            *(taken.costs, taken.awake, block.blur),
        )
        self.work += taken.work
        for span in np.unique(taken.span).tolist():
            rows = np.flatnonzero(taken.span == span)
            who, paid, blur = block.roots[rows], block.paid[rows], block.blur + span * self.unit
            self._wait(Block.fresh(block.depth + span, who, taken.after[rows], paid, blur))

    def _step(self, block: Block) -> Step:
        """What these walks do now."""
        problem, policy = self.problem, self.policy
        roots, beliefs, depth = block.roots, block.beliefs, block.depth
        needs_dense = not isinstance(beliefs, np.ndarray) and not policy.reads_sparse
        answer = policy.step(roots, depth, beliefs.toarray() if needs_dense else beliefs)
        actions, looks = checked_choice(answer, problem.num_actions, problem.name, roots, depth)
        spans = self._spans(block, actions, looks)
        costs, awake = self._costs(beliefs, actions, spans)
        again, period, left = spans == FOR_GOOD, np.zeros(len(roots), int), np.zeros(len(roots))
        cut = np.zeros(len(roots), bool)
        if policy.reads_beliefs and depth:
            discount = problem.discount**depth
            blur = self.unit * (depth - block.seen_at) * (depth >= SETTLED)
            back = ~looks & ~again & (block.seen_at >= 0) & same_rows(beliefs, block.seen, blur)
            lasting = back & (problem.discount == 1)  # for ever, without a sum, unless all is over
            lasting &= beliefs @ (~problem.terminal).astype(float) > 0
            back &= ~lasting
            period[back] = depth - block.seen_at[back]
            block.paid += discount * costs[1]
            rest = discount * rest_after(problem, policy, beliefs, self.most)
            enough = NEGLIGIBLE * np.maximum(block.paid, problem.cost_floor)
            going = ~looks & ~again & (period == 0)
            small = going & (rest <= enough)
            cut = going & ~small & (lasting | (self.work >= MOST_WORK))
            small |= cut
            again |= small
            # What is booked instead may be as far on the other side.
            left = np.where(small, 2 * rest, 0.0) + discount * self.swept
            dense = isinstance(beliefs, np.ndarray)
            self.work += (beliefs.size if dense else beliefs.nnz) + STEP_WORK
        marks = (block.seen_at < 0) | (depth & (depth - 1) == 0)
        span = np.maximum(spans, 1)
        return Step(
            *(depth, roots, beliefs, actions, looks, again, span, period, marks, left, cut),
            *(costs, awake, block.blur),
        )

    def _spans(self, block: Block, actions: np.ndarray, looks: np.ndarray) -> np.ndarray:
        """How many steps each walk (n,) takes at once; FOR_GOOD if all that follow."""
        depth, spans = block.depth, np.zeros(len(actions), int)
        tried = not self.policy.reads_beliefs or tried_at(depth)
        blind = np.flatnonzero(~looks & (tried | ((block.seen_at < 0) & (depth > 0))))
        if not len(blind):
            return spans
        before = self.repeats.work
        spans[blind] = self.repeats.spans(
            block.roots[blind], depth, block.beliefs[blind], actions[blind]
        )
        self.work += self.repeats.work - before
        spans = np.minimum(spans, depth & -depth if depth else spans)
        spans[(spans > 0) & (spans < (LENGTH if self.strides else SHORTEST))] = 0
        for a, span, rows in leaps(actions, spans):
            dense = isinstance(block.beliefs, np.ndarray)
            if not dense or not self.powers.worth(a, span, len(rows)):
                spans[rows] = 0
        return spans

    def _go_on(self, block: Block, step: Step) -> None:
        """Let the walks that have not ended wait for their turn."""
        on = ~step.ends & (step.span == 1)
        if on.any():
            rows = slice(None) if on.all() else np.flatnonzero(on)  # a slice copies nothing
            before, actions = step.beliefs[rows], step.actions[rows]
            seen, seen_at, marks = block.seen[rows], block.seen_at[rows], step.marks[rows]
            if marks.all():
                seen, seen_at = before, np.full(len(marks), step.depth)
            elif marks.any():
                seen, seen_at = seen.copy(), np.where(marks, step.depth, seen_at)
                seen[marks] = before[marks]
            after, blur = self._swept(moved(self.problem, before, actions)), block.blur + self.unit
            who, paid = step.roots[rows], block.paid[rows]
            self._wait(Block(step.depth + 1, who, after, paid, seen, seen_at, blur))
        for a, span, rows in leaps(step.actions, np.where(step.ends, 0, step.span)):
            j = span.bit_length() - 1
            self.work += LEAP_WORK
            after = self._swept(step.beliefs[rows] @ self.powers.power(a, j))
            blur = block.blur + self.powers.rounding(j)
            self._wait(
                Block.fresh(step.depth + span, step.roots[rows], after, block.paid[rows], blur)
            )

    def _wait(self, block: Block) -> None:
        if block.depth < self.longest:
            self.waiting.setdefault(block.depth, []).append(block)

    def _costs(
        self, beliefs: Rows, actions: np.ndarray, spans: np.ndarray
    ) -> tuple[tuple[np.ndarray, np.ndarray, np.ndarray], np.ndarray]:
        """``costs`` and ``awake`` of a step."""
        cost, size, slip = picked_dots(beliefs, actions, self.problem.costs)
        slips, awake = np.full(len(cost), slip), beliefs @ self.counted
        for a, span, rows in leaps(actions, spans):
            j = span.bit_length() - 1
            sums = self.powers.sums(a, j)
            cost[rows], size[rows], awake[rows] = (beliefs[rows] @ sums).T
            slips[rows] = self.powers.rounding(j)
        return (cost, size, slips), awake

    def _swept(self, beliefs: Rows) -> Rows:
        """Without dust."""
        if self.dust and isinstance(beliefs, np.ndarray):
            beliefs[beliefs < DUST] = 0.0
        return beliefs
