"""A sensing-cost MDP as an ordinary POMDP.

With S states and A actions the POMDP has

    states        0 … S−1                       as they are
    actions       a           (0 ≤ a < A)       take a, stay blind
                  A + a                         take a and look
    observations  0 … S−1                       the state a look shows
                  S                             nothing
    T(s' | s, a) = T(s' | s, A + a) = T(a)(s, s')
    O(S | a, s') = 1,   O(s' | A + a, s') = 1
    R(s, a) = −C(s, a),   R(s, A + a) = −C(s, a) − k(s, a)

A terminal state is an ordinary absorbing state, free while blind, in which a look costs k, and no
state is terminal in the POMDP's sense: a blind agent does not know that the episode is over.  After
a look that shows it, staying blind for good costs nothing, so its value is 0 as it must be.

The agent of a sensing-cost MDP knows its first state, a POMDP solver plans from the belief
``start``.  :func:`reveal_start` makes the two equal with one extra state and one free look.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from solvers.core.model import SensingMDP
from solvers.core.validation import ModelError

DISTRIBUTION = "distribution"
"""The POMDP starts in the belief ``start``, as in the paper."""
REVEALED = "revealed"
"""The POMDP starts in an extra state, and the first look is free."""
STARTS = (DISTRIBUTION, REVEALED)


@dataclass(frozen=True)
class FlatPOMDP:
    """Flat buffers from which the POMDP above is built without copying a structure.

    The CSR buffers of ``T(a)`` are the CSC buffers of its transpose, which is what Julia keeps.

    Attributes
    ----------
    indptr : (A, S + 1) int64, each row counted from 0 within its own action
    indices : (nnz,) int64, next states, the actions one after the other
    data : (nnz,) float64, their probabilities
    rewards : (S, 2A) float64, blind actions first
    start : (S,) initial belief
    discount : number in (0, 1)
    """

    indptr: np.ndarray
    indices: np.ndarray
    data: np.ndarray
    rewards: np.ndarray
    start: np.ndarray
    discount: float

    @property
    def num_states(self) -> int:
        return self.rewards.shape[0]

    @property
    def num_actions(self) -> int:
        """Actions of the POMDP: twice those of the sensing-cost MDP."""
        return self.rewards.shape[1]

    @property
    def num_observations(self) -> int:
        return self.num_states + 1

    def transition(self, action: int) -> sparse.csr_array:
        """T(s' | s, action) as a CSR array (S, S), rows by s."""
        a = action % (self.num_actions // 2)
        first = int(self.indptr[:a, -1].sum())
        last = first + int(self.indptr[a, -1])
        return sparse.csr_array(
            (self.data[first:last], self.indices[first:last], self.indptr[a]),
            shape=(self.num_states, self.num_states),
        )

    def observation(self, action: int) -> sparse.csr_array:
        """O(o | action, s') as a CSR array (S, S + 1), rows by s'."""
        S = self.num_states
        looks = action >= self.num_actions // 2
        seen = np.arange(S) if looks else np.full(S, S)
        return sparse.csr_array((np.ones(S), seen, np.arange(S + 1)), shape=(S, S + 1))


def flatten(problem: SensingMDP, reward_scale: float = 1.0) -> FlatPOMDP:
    """The problem as flat POMDP buffers; rewards are multiplied by ``reward_scale``."""
    k = linear_sensing_costs(problem)
    T = problem.transitions  # canonical CSR: sorted, no duplicates, as Julia's CSC wants it
    costs = problem.costs
    return FlatPOMDP(
        indptr=np.stack([matrix.indptr for matrix in T]).astype(np.int64),
        indices=np.concatenate([matrix.indices for matrix in T]).astype(np.int64),
        data=np.concatenate([matrix.data for matrix in T]),
        rewards=-reward_scale * np.concatenate([costs, costs + k], axis=1),
        start=np.array(problem.start),
        discount=problem.discount,
    )


def linear_sensing_costs(problem: SensingMDP) -> np.ndarray:
    """k as an (S, A) array, or a clear error if it is a function of the belief."""
    if not problem.has_linear_sensing_cost:
        raise ModelError(
            f"{problem.name}: the sensing cost is a function of the belief, and a POMDP's reward "
            "is linear in the belief, so this problem has no POMDP; use a number or an (A,) or "
            "(S, A) array of sensing costs, or a Python solver"
        )
    return problem.sensing_costs()


def reveal_start(problem: SensingMDP) -> SensingMDP:
    """The same problem with its first state revealed for free.

    One extra state, the last, from which every action leads to ``start`` at no cost and with a
    free look.  Its optimal value is ``discount`` × the value of the problem under ``start``, all
    other states keep theirs.
    """
    k = linear_sensing_costs(problem)
    A = problem.num_actions
    first = sparse.csr_array(problem.start[None, :])
    empty = sparse.csr_array((problem.num_states + 1, 1))
    name = "start"
    while name in problem.state_names:
        name += "'"
    return SensingMDP.from_arrays(
        [
            sparse.hstack([sparse.vstack([T, first]), empty], format="csr")
            for T in problem.transitions
        ],
        np.concatenate([problem.costs, np.zeros((1, A))]),
        problem.discount,
        np.concatenate([k, np.zeros((1, A))]),
        start=problem.num_states,
        terminal=np.append(problem.terminal, False),
        name=f"{problem.name} (start revealed)",
        state_names=(*problem.state_names, name),
        action_names=problem.action_names,
    )


def started(problem: SensingMDP, start: str | None) -> SensingMDP:
    """The problem from another start: ``"revealed"``, or a state by name or number.

    From a single state a POMDP solver's value is ours, for then both know where they begin; with
    the start revealed it is ours times the discount.
    """
    if start is None or start == DISTRIBUTION:
        return problem
    if start == REVEALED:
        return reveal_start(problem)
    state = start if start in problem.state_names or not start.isdecimal() else int(start)
    return problem.with_start(state)
