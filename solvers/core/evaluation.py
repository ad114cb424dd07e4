"""Exact value of any deterministic policy, for all roots at once.

From each root the policy is unrolled until it looks, or until what is left cannot matter.  With
``m`` blind steps before the look at action ``a``, belief ``b`` then, and ``c`` the discounted cost
so far, root j's value obeys

    V(j) = c(j) + alpha^(m+1) b T(a) V          (c includes the look's alpha^m k)

so all roots together are one linear system ``V = c + P V`` with ``P`` a contraction.  Terminal
roots have value 0.  The same system with other right-hand sides gives how often the policy looks.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from solvers.core.model import SensingMDP
from solvers.core.policy import Plan, PlanPolicy, Policy, PolicyError
from solvers.kernels.belief_block import BeliefBlock

TOLERANCE = 1e-10
"""What unrolling may leave out, as a share of the cost scale."""
ABSORBED = 1e-10
"""Live probability below which a policy that is blind is taken to stay blind."""
DENSE_STATES = 2000
"""Up to this many states the linear system is solved directly, above it by iteration."""
BLOCK_ENTRIES = 2**24
"""Largest belief block (roots × states) held at once: 128 MiB."""


@dataclass(frozen=True)
class Evaluation:
    """Exact figures of a policy, per root (S,).

    values : discounted cost; looks : discounted number of looks; steps : discounted number of
    steps until a look shows the end (``1 / (1 - alpha)`` if none ever does).  Where the end is seen
    for free, or the discount is 1, looks and steps count up to the end itself.
    """

    values: np.ndarray
    looks: np.ndarray
    steps: np.ndarray

    def sensing_rate(self, start: np.ndarray) -> float:
        """The share of (discounted) steps at which the agent looks, from ``start``."""
        steps = float(start @ self.steps)
        return float(start @ self.looks) / steps if steps > 0 else 0.0


def evaluate(problem: SensingMDP, policy: Policy) -> np.ndarray:
    """Exact discounted cost of a deterministic policy at each root: (S,)."""
    return evaluate_fully(problem, policy).values


def evaluate_fully(problem: SensingMDP, policy: Policy) -> Evaluation:
    """Exact values, looks and steps of a deterministic policy at each root."""
    gains, P = unroll(problem, policy)
    return Evaluation(*solve_returns(gains, P, problem.longest_stay).T)


def unroll(problem: SensingMDP, policy: Policy) -> tuple[np.ndarray, sparse.csr_array]:
    """Follow the policy from every root to its first look.

    Returns
    -------
    gains : (S, 3), discounted cost, looks and steps up to and with that look
    P : (S, S), where the look lands, discounted; no landing on terminal states
    """
    if getattr(policy, "randomised", False):
        raise PolicyError(
            f"{type(policy).__name__} is randomised: it has no exact value; use solvers.simulate"
        )
    S = problem.num_states
    gains = np.zeros((S, 3))
    landed: list[sparse.csr_array] = []
    order: list[np.ndarray] = []
    size = max(1, BLOCK_ENTRIES // S)
    roots = np.flatnonzero(~problem.terminal)
    for first in range(0, len(roots), size):
        _unroll_block(problem, policy, roots[first : first + size], gains, landed, order)
    if not landed:
        return gains, sparse.csr_array((S, S))
    who = np.concatenate(order)
    spread = sparse.csr_array((np.ones(len(who)), (who, np.arange(len(who)))), (S, len(who)))
    return gains, sparse.csr_array(spread @ sparse.vstack(landed))


def unroll_plan(problem: SensingMDP, policy: Policy, root: int) -> Plan:
    """The plan that a deterministic policy follows from one root."""
    return unroll_plans(problem, policy, np.array([root]))[0]


def unroll_plans(
    problem: SensingMDP, policy: Policy, roots: np.ndarray, limit: int | None = None
) -> list[Plan]:
    """The plans that a deterministic policy follows from many roots (n,), side by side.

    limit : a plan that has not looked by then is cut after this many actions
    """
    actions: dict[int, list[int]] = {int(root): [] for root in roots}
    senses = dict.fromkeys(actions, False)
    live = np.array([root for root in actions if not problem.terminal[root]], int)
    for depth, at, _, chosen, looks, _ in _walk(problem, policy, live):
        if depth == limit:
            break
        for root, action, look in zip(at, chosen, looks, strict=True):
            actions[int(root)].append(int(action))
            senses[int(root)] |= bool(look)
    return [Plan(tuple(actions[int(root)]), senses[int(root)]) for root in roots]


def _walk(problem: SensingMDP, policy: Policy, roots: np.ndarray):
    """Yield (depth, live roots, beliefs, actions, looks, finished) until all are finished."""
    alpha = problem.discount
    k, longest = problem.max_sensing_cost, problem.longest_stay + 1  # one look may find the end
    tolerance = TOLERANCE * max(float(np.abs(problem.costs).max()) + k, 1e-300)
    live_states = ~problem.terminal
    reachable_cost = problem.largest_remaining_cost
    block = BeliefBlock(problem, roots)
    depth = 0
    while len(roots):
        beliefs = block.beliefs
        actions, looks = checked_choice(policy.step(roots, depth, beliefs), problem, roots, depth)
        settled = alpha**depth * (beliefs @ reachable_cost) <= tolerance
        if isinstance(policy, PlanPolicy):
            stays_blind = policy.blind_for_good(roots)
            ended = policy.ended(roots, depth)
        else:
            # The belief stays as it is, so what a function of the belief does stays the same.
            stays_blind = beliefs @ live_states <= ABSORBED
            ended = False
        done = (settled & (stays_blind | (alpha**depth * longest * k <= tolerance))) | ended
        done &= ~looks
        yield depth, roots, beliefs, actions, looks, done
        on = ~(looks | done)
        roots = roots[on]
        block.keep(on)
        block.step(actions[on])
        depth += 1


def _unroll_block(
    problem: SensingMDP,
    policy: Policy,
    roots: np.ndarray,
    gains: np.ndarray,
    landed: list[sparse.csr_array],
    order: list[np.ndarray],
) -> None:
    alpha = problem.discount
    up_to_end = problem.end_is_seen or alpha == 1
    for depth, live, beliefs, actions, looks, done in _walk(problem, policy, roots):
        discount = alpha**depth
        costs = (beliefs @ problem.costs)[np.arange(len(live)), actions]
        awake = beliefs @ ~problem.terminal if up_to_end else np.ones(len(live))
        gains[live, 2] += discount * awake
        if done.any():  # the last action is repeated for ever, at a cost known in closed form
            for_good = beliefs[done] @ problem.constant_action_values
            costs[done] = for_good[np.arange(len(for_good)), actions[done]]
            if up_to_end:
                steps = beliefs[done] @ problem.constant_action_steps
                gains[live[done], 2] += discount * (
                    steps[np.arange(len(steps)), actions[done]] - awake[done]
                )
            else:
                gains[live[done], 2] += discount * alpha / (1 - alpha)
        gains[live, 0] += discount * costs
        if looks.any():
            who, seen = live[looks], beliefs[looks]
            k = problem.sensing_cost_at(seen)[np.arange(len(who)), actions[looks]]
            gains[who, 0] += discount * k
            gains[who, 1] += discount * awake[looks]
            after = problem.step(seen, actions[looks])
            after[:, problem.terminal] = 0  # the episode is over there
            landed.append(sparse.csr_array(discount * alpha * after))
            order.append(who)


def solve_returns(gains: np.ndarray, P: sparse.csr_array, longest: float) -> np.ndarray:
    """Solve ``V = gains + P V`` for all columns of gains (S, n) at once: a new array.

    longest : at least the expected number of looks to come, which bounds what is left to change
    """
    S = len(gains)
    if not P.nnz:
        return gains.copy()  # the caller may go on changing what it handed in
    if S <= DENSE_STATES:
        return np.linalg.solve(np.eye(S) - P.toarray(), gains)
    values = gains
    scale = np.abs(gains).max(axis=0)
    while True:  # the powers of P sum to at most ``longest``, so this ends
        new = gains + P @ values
        change = np.abs(new - values).max(axis=0)
        values = new
        if (change * longest <= TOLERANCE * scale).all():
            return values


def checked_choice(
    chosen: tuple[np.ndarray, np.ndarray], problem: SensingMDP, roots: np.ndarray, depth: int
) -> tuple[np.ndarray, np.ndarray]:
    """Refuse what is not an action and a look for every root, saying where."""
    try:
        actions, looks = (np.asarray(x) for x in chosen)
    except (TypeError, ValueError):
        raise PolicyError(
            f"a policy must answer with (actions, looks); it answered {chosen!r}"
        ) from None
    if actions.shape != roots.shape or looks.shape != roots.shape:
        raise PolicyError(
            f"a policy must give one action and one look for each of {len(roots)} beliefs; "
            f"it gave shapes {actions.shape} and {looks.shape}"
        )
    try:
        whole = actions.astype(int)
        wrong = (whole != actions) | (whole < 0) | (whole >= problem.num_actions)
    except (TypeError, ValueError):
        whole, wrong = None, np.ones(len(roots), bool)
    if wrong.any():
        i = int(np.flatnonzero(wrong)[0])
        raise PolicyError(
            f"at root {roots[i]} after {depth} blind steps the policy chose action {actions[i]!r}; "
            f"{problem.name} has actions 0 to {problem.num_actions - 1}"
        )
    return whole, looks.astype(bool)
