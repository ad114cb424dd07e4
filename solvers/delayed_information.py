"""The delayed-information bound: what the optimum would be if old states were revealed for free.

Write ``B(s, σ)`` for the belief after the blind actions ``σ = σ₁…σ_m`` from the known state s, and
``G(b)`` for the optimal cost-to-go of a blind agent at belief b.  For a depth n ≥ 1 the bound is
the limit of

    W(s, σ) = min over a of  B(s,σ)(C(a) + k(a) + α T(a) W(·, ∅))              look
                             B(s,σ) C(a) + α W(s, σa)                           blind, m < n
                             B(s,σ) C(a) + α Σ_s' T(σ₁)(s,s') W(s', σ₂…σₙa)     blind, m = n

Claim: ``W(s, σ) ≤ G(B(s, σ))`` for every s and |σ| ≤ n; so ``W(s, ∅)`` is a lower bound on the
optimal cost at root s.

Proof.  (1) G is concave: it is the least of the costs of all continuations, each linear in b.
(2) Let H be the right-hand side above, H* the same with the exact ``α G(B(s, σa))`` in the third
line, and suppose W ≤ G at every (s, σ) and at every root.  Look and the blind line for m < n are
monotone in W, so they do not exceed their exact counterparts.  In the last line

    Σ_s' T(σ₁)(s,s') W(s', σ₂…σₙa)  ≤  Σ_s' T(σ₁)(s,s') G(B(s', σ₂…σₙa))  ≤  G(B(s, σa))

by monotonicity and then by concavity, since ``B(s, σa) = Σ_s' T(σ₁)(s,s') B(s', σ₂…σₙa)``.
Hence ``H W ≤ H* G = G``: H maps lower bounds to lower bounds.  (3) ``W(s, σ) = B(s, σ) V*``, with
V* the value when every state is seen, is a lower bound: the agent that sees everything can play
any plan and saves k.  So every iterate from there is a lower bound, and so is the larger of two.
(4) A bound of depth n − 1 extended by ``W(s, σ₁…σₙ) = Σ_s' T(σ₁)(s,s') W(s', σ₂…σₙ)`` is, by
concavity, a bound of depth n and no smaller at the roots: deeper is never worse.  ∎

Depth 1 is the Fast Informed Bound.  For a plan's node ``a₁…a_m``, m > n, from root j the number
``Σ_s B(j, a₁…a_{m−n})(s) W(s, a_{m−n+1}…a_m)`` is a lower bound by the same concavity.

No belief is formed: every term is one product of transition rows with a block of Aⁿ columns.
``B(s, σ)`` depends on (s, σ₁) only through the row T(σ₁)(s, ·), so equal rows are kept once
(``rows``); in ICU-Sepsis that is a sixth of them.  Rounding is covered by a margin taken off at
the start; terminal states stay exactly 0.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
import psutil

from solvers.baseline import action_values, solve_baseline
from solvers.mixtures import distinct_rows, mix, raise_by_mixtures, raise_from_below
from solvers.model import SensingMDP
from solvers.solution import BUDGET, SOLVED, Solution
from solvers.solver import Budget, Solver, SolverError, complete, make_solver

MEMORY_SHARE = 0.6
"""Share of the free memory that may be taken."""
MEMORY_UNASKED = 2.5e9
"""Bytes that may be taken by deepening on and on, when nobody asked for a certain depth."""
BLOCKS_HELD = 7
"""Arrays of the deepest level's size that are alive at once."""
WIDE = 4096
"""Up to this many columns the blocks are laid side by side first: longer runs, faster sums."""
SETTLED = 1e-9
"""A sweep that raises no root by more than this share of the largest value ends the climb."""
SETTLED_ON_THE_WAY = 1e-6
"""The same at a depth that is only a step towards a deeper one."""
SWEEPS_AHEAD = 6
"""A deeper level is begun when the budget left holds about this many of its sweeps."""


class DelayedInformation:
    """The bound at one depth, climbing by sweeps and deepened in place.

    Attributes
    ----------
    depth : n
    W0 : (S,) bound at the roots
    W : list over m = 1…n of (R, A^(m-1)); row r stands for all (s, σ₁) with ``row_of[s, σ₁] == r``
    rows : (R, S) the distinct transition rows
    row_of : (S, A) which of them T(a)(s, ·) is
    """

    def __init__(self, problem: SensingMDP) -> None:
        self.problem = problem
        self.rows, self.row_of = distinct_rows(problem)
        self.W0 = valid_start(problem)
        self.depth = 1
        self.sweep_seconds = 0.0
        self.W = [self.rows @ self.W0[:, None]]
        self._look_costs = problem.costs + problem.sensing_costs()
        self._stages = [
            np.array(problem.costs, order="C")
        ]  # m = 0…n-1: B(s, σ) C(a); (S, A), then (R, A^m)

    def sweep(self) -> float:
        """Back up everything once; returns the largest rise of a root."""
        began = time.perf_counter()
        alpha, W = self.problem.discount, self.W
        Q = action_values(self.problem, self.W0, self._look_costs)
        looks = [np.ascontiguousarray(Q)]
        for m in range(self.depth - 1):
            looks.append(self._a_step_earlier(looks[m], m))
        self._back_up_last(looks[-1])
        for m in range(self.depth - 1, 0, -1):
            raise_from_below(self._stages[m], W[m], looks[m], alpha, W[m - 1])
        blind = self.problem.costs + alpha * W[0][self.row_of, 0]
        new = np.maximum(self.W0, np.minimum(blind, looks[0]).min(axis=1))
        new[self.problem.terminal] = 0.0
        rise = float((new - self.W0).max())
        self.W0 = new
        self.sweep_seconds = time.perf_counter() - began
        return rise

    def _back_up_last(self, looks: np.ndarray) -> None:
        """Level n, where the oldest state is revealed."""
        last, rows, of = self.W[-1], self.rows, self._stands_for(self.depth - 1)
        older = last if self.depth > 1 else np.ascontiguousarray(last[self.row_of, 0])
        ahead = self._stages[-1] + self.problem.discount * older
        if of.shape[1] * ahead.shape[1] <= WIDE:
            ahead, looks = (X[of].reshape(len(of), -1) for X in (ahead, looks))
            of = self._stands_for(0)
        raise_by_mixtures(rows.indptr, rows.indices, rows.data, of, ahead, looks, last)

    def _a_step_earlier(self, X: np.ndarray, m: int) -> np.ndarray:
        """Σ_s' T(σ₀)(s, s') X(s', σ, a) for every σ₀, from X with |σ| = m: -> (R, A^(m+1))."""
        rows = self.rows
        return mix(rows.indptr, rows.indices, rows.data, self._stands_for(m), X)

    def _stands_for(self, m: int) -> np.ndarray:
        """Which row of a block with |σ| = m is (s', σ₁), for each σ₁: (S, A); (S, 1) if m = 0."""
        return self.row_of if m else np.arange(self.problem.num_states)[:, None]

    def climb(self, budget: Budget | None = None, settled: float = SETTLED) -> int:
        """Sweep until no root rises by more than ``settled`` of the largest value, or the budget
        holds no more sweep; returns the number of sweeps."""
        enough = settled * (np.abs(self.W0).max() + self.problem.max_sensing_cost)
        sweeps = 0
        while budget is None or budget.left() > self.sweep_seconds:
            sweeps += 1
            if self.sweep() <= enough:
                break
        return sweeps

    def has_room_below(self) -> bool:
        """Whether an anytime method may deepen: memory is free, and within MEMORY_UNASKED."""
        need = memory_needed(self.problem, self.depth + 1, len(self.W[0]))
        return need <= min(MEMORY_UNASKED, MEMORY_SHARE * psutil.virtual_memory().available)

    def raise_roots(self, bound: np.ndarray) -> None:
        """Take over a lower bound (S,) that was proven elsewhere, where it is the better one."""
        self.W0 = np.maximum(self.W0, bound)

    def deepen(self) -> None:
        """From depth n to n + 1 with every value kept; refuses what memory does not hold."""
        refuse_beyond_memory(self.problem, self.depth + 1, len(self.W[0]))
        self._stages.append(self._a_step_earlier(self._stages[-1], self.depth - 1))
        if self.depth == 1:
            self.W.append(self.rows @ self.W[0][self.row_of, 0])
        else:
            self.W.append(self._a_step_earlier(self.W[-1], self.depth))
        self.depth += 1
        self.sweep_seconds *= self.problem.num_actions  # an estimate until the first one is made


def delayed_information_bound(problem: SensingMDP, depth: int) -> np.ndarray:
    """Proven lower bound on the optimal cost at each root, (S,), from states seen late."""
    check_depth(depth)
    information = DelayedInformation(problem)
    while information.depth < depth:
        information.climb(settled=SETTLED_ON_THE_WAY)
        information.deepen()
    information.climb()
    return information.W0


@cache
def compile_kernels() -> None:
    """Compile (or load) what is compiled, once a process, so that no planning time holds it."""
    T = [[[0.5, 0.5], [0.5, 0.5]], [[1.0, 0.0], [0.0, 1.0]]]
    tiny = DelayedInformation(SensingMDP.from_arrays(T, [[0.0, 1.0], [1.0, 0.0]], 0.5, 0.1))
    for _ in range(3):
        tiny.sweep()
        tiny.deepen()


def check_depth(depth: int) -> None:
    """Refuse what is not a depth."""
    if not (isinstance(depth, int | np.integer) and depth >= 1):
        raise SolverError(f"depth is {depth!r}; expected a whole number of at least 1")


def unspent_after(warm_up: Callable[[], None], budget: Budget) -> Budget:
    """The budget as if compiling took no time."""
    left = max(budget.left(), 1e-9)
    warm_up()
    return Budget(left)


def linear_sensing_only(problem: SensingMDP) -> str | None:
    """Why a method that needs concavity in the belief cannot take this problem, or None."""
    if problem.has_linear_sensing_cost:
        return None
    return "its sensing cost is a function of the belief; give a number or an array instead"


def valid_start(problem: SensingMDP) -> np.ndarray:
    """V* (S,), lowered until it is a bound in floating point too and stays one while climbing."""
    V, Q = solve_baseline(problem)
    alpha, S = problem.discount, problem.num_states
    scale = float(np.abs(V).max() + np.abs(problem.costs).max() + problem.max_sensing_cost)
    rounding = (S + 16) * np.finfo(float).eps * scale
    short = max(0.0, float((V - Q.min(axis=1)).max())) + rounding
    return np.where(problem.terminal, 0.0, V - short / (1 - alpha))


def memory_needed(problem: SensingMDP, depth: int, rows: int) -> float:
    """Bytes that this depth takes, with that many distinct rows."""
    return BLOCKS_HELD * 8.0 * rows * float(problem.num_actions) ** (depth - 1)


def refuse_beyond_memory(problem: SensingMDP, depth: int, rows: int) -> None:
    """Raise if this depth needs more memory than may be taken; nothing is taken yet."""
    need = memory_needed(problem, depth, rows)
    free = MEMORY_SHARE * psutil.virtual_memory().available
    if need > free:
        raise SolverError(
            f"delayed information of depth {depth} on {problem.name} needs {need / 1e9:.3g} GB and "
            f"{free / 1e9:.3g} GB may be taken; ask for a depth below {depth}"
        )


@dataclass
class DelayedInformationSolver(Solver):
    """The bound alone, deeper step by step.

    depth : where to stop; None to go on while budget and memory last
    target_gap : stop once the bound is this close (as a share) to the value of SPI's policy, which
        is then part of the solution
    """

    name = "delayed-information"
    depth: int | None = None
    target_gap: float | None = None

    def supports(self, problem: SensingMDP) -> str | None:
        return linear_sensing_only(problem)

    @classmethod
    def warm_up(cls) -> None:
        compile_kernels()

    def solve(self, problem: SensingMDP, budget: Budget) -> Solution:
        if self.depth is not None:
            check_depth(self.depth)
        elif self.target_gap is None and budget.seconds == float("inf"):
            raise SolverError(
                "delayed-information needs an end: give a depth, a target_gap or a budget"
            )
        budget = unspent_after(self.warm_up, budget)
        known = Solution(policy=None)
        if self.target_gap is not None:
            spi = make_solver("spi").solve(problem, budget)
            known = complete(spi, problem, self.name, 0.0)
        information = DelayedInformation(problem)
        trace: list[tuple[float, float, float]] = []
        sweeps = 0
        upper = np.inf if known.value is None else known.value
        while True:
            last = information.depth == self.depth
            settled = SETTLED if last else SETTLED_ON_THE_WAY
            sweeps += information.climb(budget, settled)
            trace.append((budget.spent(), float(problem.start @ information.W0), upper))
            gap = known.with_lower_bound(information.W0).gap
            reached = self.target_gap is not None and gap is not None and gap <= self.target_gap
            if last or reached or budget.over():
                break
            ahead = information.sweep_seconds * problem.num_actions * SWEEPS_AHEAD
            room = self.depth is not None or information.has_room_below()
            if ahead > budget.left() or not room:
                sweeps += information.climb(budget)
                break
            information.deepen()
        done = reached or information.depth == self.depth
        return Solution(
            policy=known.policy,
            lower_bound=information.W0,
            upper_bound=known.values,
            iterations=sweeps,
            status=SOLVED if done and not budget.over() else BUDGET,
            trace=trace,
            seconds=budget.spent(),
            info={"depth": information.depth},
        )
