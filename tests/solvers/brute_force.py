"""An independent, literal solver for tiny problems, and the generator of such problems.

Every blind string up to length N is written out from every root.  Plans that look within N steps
give an upper bound on the optimal cost; letting every longer plan see everything from then on, for
free, gives a lower one.  With a small discount the two meet.
"""

from itertools import product

import numpy as np
from hypothesis import strategies as st

from solvers import SensingMDP


def bracket(problem: SensingMDP, N: int) -> tuple[np.ndarray, np.ndarray]:
    """(lower, upper) bounds (S,) on the optimal cost at each root."""
    S, A, alpha = problem.num_states, problem.num_actions, problem.discount
    T = [t.toarray() for t in problem.transitions]
    price, C = problem.sensing_cost, problem.costs
    if not callable(price):
        k = np.broadcast_to(price, (S, A))
        price = lambda belief, a: belief @ k[:, a]  # noqa: E731
    seen = np.zeros(S)
    for _ in range(80):
        seen = np.min([C[:, a] + alpha * T[a] @ seen for a in range(A)], axis=0)
    looking, beyond = [[] for _ in range(S)], [[] for _ in range(S)]
    for root in range(S):
        for m in range(N + 1):
            for string in product(range(A), repeat=m):
                belief, cost = np.eye(S)[root], 0.0
                for t, a in enumerate(string):
                    cost += alpha**t * belief @ C[:, a]
                    belief = belief @ T[a]
                if m == N:
                    beyond[root].append(cost + alpha**m * belief @ seen)
                    continue
                for a in range(A):
                    now = cost + alpha**m * (belief @ C[:, a] + price(belief, a))
                    looking[root].append((now, alpha ** (m + 1) * belief @ T[a]))
    lower, upper = np.where(problem.terminal, 0, seen), np.where(problem.terminal, 0, 1e3)
    costs = [np.array([c for c, _ in looking[j]]) for j in range(S)]
    lands = [np.array([row for _, row in looking[j]]) for j in range(S)]
    for _ in range(80):
        upper = np.array([(costs[j] + lands[j] @ upper).min() for j in range(S)])
        upper[problem.terminal] = 0
        lower = np.array(
            [min((costs[j] + lands[j] @ lower).min(), min(beyond[j])) for j in range(S)]
        )
        lower[problem.terminal] = 0
    return lower, upper


@st.composite
def small_problems(draw, max_states: int = 3, max_actions: int = 2) -> SensingMDP:
    """Tiny problems of every shape: with and without an end, sensing costs k, k(a) and k(s, a)."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    S, A = draw(st.integers(2, max_states)), draw(st.integers(1, max_actions))
    T = rng.dirichlet(np.full(S, draw(st.sampled_from([0.2, 1.0]))), size=(A, S))
    C = rng.uniform(-1, 1, size=(S, A)).round(2)
    terminal = None
    if draw(st.booleans()):
        terminal = [S - 1]
        T[:, S - 1] = np.eye(S)[S - 1]
        C[S - 1] = 0
    size = draw(st.sampled_from([0.0, 0.02, 0.2, 2.0]))
    shape = draw(st.sampled_from([(), (A,), (S, A)]))
    k = size * rng.uniform(size=shape)
    alpha = draw(st.sampled_from([0.3, 0.5, 0.6]))
    return SensingMDP.from_arrays(T, C, alpha, k, terminal=terminal)
