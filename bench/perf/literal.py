"""The paper's algorithms as they stand on the page: one root, one action, one vector at a time.

Nothing here is used to solve anything.  ``sensebench perf`` times these to say how much the
structure saves; tests check that they agree with the solvers.
"""

from __future__ import annotations

import numpy as np

from solvers.core.baseline import TIE
from solvers.core.model import SensingMDP


class LiteralPolicyUpdate:
    """Algorithm 2, lines 7–18, for one root at a time, with dense matrices."""

    def __init__(self, problem: SensingMDP, V: np.ndarray) -> None:
        self.problem, self.V = problem, V
        self.T = [T.toarray() for T in problem.transitions]
        self.C = [problem.costs[:, a].copy() for a in range(problem.num_actions)]

    def myopic_sensing(self, belief: np.ndarray) -> tuple[float, int]:
        """V_MS and its action at a belief (S,)."""
        k, alpha = self.problem.sensing_cost, self.problem.discount
        scores = [
            belief @ C + alpha * (belief @ T) @ self.V + k
            for C, T in zip(self.C, self.T, strict=True)
        ]
        return min(scores), first_least(scores)

    def blind_step(self, belief: np.ndarray) -> tuple[float, int]:
        """V_blind and its action at a belief (S,)."""
        alpha = self.problem.discount
        scores = [
            belief @ C + alpha * self.myopic_sensing(belief @ T)[0]
            for C, T in zip(self.C, self.T, strict=True)
        ]
        return min(scores), first_least(scores)

    def walk(self, root: int, max_steps: int) -> tuple[tuple[int, ...], bool]:
        """The string found from a root, and whether it ended in a look."""
        belief, actions = np.eye(self.problem.num_states)[root], []
        while len(actions) <= max_steps:
            now, a_look = self.myopic_sensing(belief)
            later, a_blind = self.blind_step(belief)
            if now <= later:
                return (*actions, a_look), True
            actions.append(a_blind)
            belief = belief @ self.T[a_blind]
        return tuple(actions), False


def first_least(scores: list[float]) -> int:
    """The first action whose score is the least, up to rounding: the page leaves ties open."""
    least = min(scores)
    return next(a for a, score in enumerate(scores) if score <= least + TIE * abs(least))


def observation_loop_fib(problem: SensingMDP, sweeps: int) -> np.ndarray:
    """The general FIB backup on the 2A actions and S + 1 observations of the POMDP: (2A, S) costs.

    For every action, state and observation it minimises over the next action's vectors.
    """
    S, A, alpha = problem.num_states, problem.num_actions, problem.discount
    T = [t.toarray() for t in problem.transitions]
    k = problem.sensing_costs()
    vectors = np.zeros((2 * A, S))
    for _ in range(sweeps):
        new = np.empty_like(vectors)
        for u in range(2 * A):
            a, look = u % A, u >= A
            for s in range(S):
                total = problem.costs[s, a] + (k[s, a] if look else 0.0)
                for o in range(S + 1):
                    seen = np.zeros(S)
                    if look and o < S:
                        seen[o] = 1.0
                    elif not look and o == S:
                        seen[:] = 1.0
                    total += alpha * min((T[a][s] * seen) @ v for v in vectors)
                new[u, s] = total
        vectors = new
    return vectors
