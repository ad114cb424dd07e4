"""Many blind steps at once of a policy that takes the cheapest of cost vectors, over few states.

Near discount 1 such a policy may walk for 300,000 steps without ever repeating itself.  A stride is
up to ``LENGTH`` of these steps, made one by one in compiled code until a look may come next: the
same sums as single steps, without their overhead.  After m steps over S states the cost is off by
at most ``(m + 1) (S + 5)`` units of what it is summed from: m (S + 1) of the beliefs, S + 1 of a
product, and m each of the powers of the discount and of the sum.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from solvers.core.baseline import lowest_argmin
from solvers.core.blind_moves import counted_states
from solvers.core.model import SensingMDP
from solvers.core.plan import Follows, Vectors
from solvers.core.walk_state import Block
from solvers.kernels.linear_walk import follow_vectors
from solvers.kernels.returns import UNIT

MOST_STATES = 32
"""Up to so many states; with more, the products take longer than what a single step costs."""
PATIENCE = 256
"""Steps before the first stride: a walk that strides no longer notices that its belief repeats."""
STEP_WORK, PRODUCTS = 2, 80
"""What a step of one walk counts as work (see MOST_WORK in unrolling.py), and how many products of
two numbers count as one more."""
LENGTH = 1024
"""Steps of a stride at most; then one single step, which notices walks that have ended."""


@dataclass(frozen=True)
class Taken:
    """Strides of walks (n,): how many steps; costs, awake and actions (the first ones) as in Step.

    after : (n, S), the beliefs they lead to; work : what they count as
    """

    span: np.ndarray
    costs: tuple[np.ndarray, np.ndarray, np.ndarray]
    awake: np.ndarray
    actions: np.ndarray
    after: np.ndarray
    work: float


class Strides:
    """Strides of one policy; dust : probabilities below this are let go."""

    def __init__(self, problem: SensingMDP, vectors: Vectors, dust: float) -> None:
        self.problem, self.dust, self.actions = problem, dust, vectors.actions
        self.alphas = np.ascontiguousarray(vectors.alphas, float)
        self.rules = (
            np.ascontiguousarray(vectors.ties),
            vectors.actions.astype(np.int64),
            vectors.looks.astype(bool),
            np.ascontiguousarray(vectors.guards),
        )
        self.costs, self.counted = np.array(problem.costs, order="C"), counted_states(problem)

    @classmethod
    def of(cls, problem: SensingMDP, policy: Follows, dust: float) -> Strides | None:
        """None where the policy has no vectors, or the problem too many states."""
        few = problem.num_states <= MOST_STATES and problem.is_dense
        vectors = policy.vectors() if few else None
        return None if vectors is None else cls(problem, vectors, dust)

    def pay_for(self, block: Block) -> bool:
        """Whether these walks are long, and have made a single step since the last stride."""
        return block.depth >= PATIENCE and bool((block.seen_at >= 0).all())

    def take(self, block: Block) -> Taken:
        """The strides of these walks."""
        n = len(block.roots)
        after, spans, sums = block.beliefs.copy(), np.zeros(n, np.int64), np.zeros((n, 3))
        first = lowest_argmin(after @ self.alphas.T, after @ self.rules[0])
        follow_vectors(
            *(after, self.alphas, *self.rules, self.problem.dense_transitions),
            *(self.costs, self.counted, self.problem.discount),
            *(LENGTH, self.dust, spans, sums),
        )
        slip = (spans + 1) * (self.problem.num_states + 5) * UNIT
        costs = (sums[:, 0], sums[:, 1], slip)
        products = self.problem.num_states * (self.problem.num_states + len(self.alphas))
        work = float(spans.sum()) * (STEP_WORK + products / PRODUCTS)
        return Taken(spans, costs, sums[:, 2], self.actions[first], after, work)
