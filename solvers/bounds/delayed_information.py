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

Told for free.  Where roots were raised from elsewhere (``raise_roots``), to L say, a blind step
also costs at least a look less its price, ``B C(a) + α B T(a) L``: what an agent pays who is told
the next state once for nothing, since G is concave.  Sweeps take the larger of the two.  Without
outside help the rule never binds, since a state told late is worth less than one told now.

Depth 1 is the Fast Informed Bound.  For a plan's node ``a₁…a_m``, m > n, from root j the number
``Σ_s B(j, a₁…a_{m−n})(s) W(s, a_{m−n+1}…a_m)`` is a lower bound by the same concavity.

No belief is formed: every term is one product of transition rows with a block of Aⁿ columns.
``B(s, σ)`` depends on (s, σ₁) only through the row T(σ₁)(s, ·), so equal rows are kept once
(``rows``); in ICU-Sepsis that is a sixth of them.

In floating point every number that a sweep raises is first lowered by what its own sums may be off
by: a share of its absolute terms, which add up to at most its value and twice what can be earned
from there on.  So every iterate is a bound in exact arithmetic, and each root's error follows its
own size, not that of the largest number in the problem.  Terminal states stay exactly 0.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache

import numpy as np

from solvers.bounds.common_strings import CommonStrings
from solvers.bounds.gains import largest_gain
from solvers.bounds.table_limits import (
    faded,
    memory_needed,
    refuse_beyond_memory,
    refuse_faded,
    within_memory,
)
from solvers.core.baseline import baseline
from solvers.core.budget import Budget, SolverError
from solvers.core.ending import row_excess
from solvers.core.lower_bound import lower_bound_from
from solvers.core.model import SensingMDP
from solvers.kernels.late_sweeps import climb
from solvers.kernels.mixtures import Constants, Levels, action_values, distinct_rows, mix
from solvers.kernels.plan_bounds import lay_ahead

DEEPEST_COMMON = 5
"""Longest strings of common actions: beyond, what the other actions reveal decides."""
SHORT_RUN, SWEEP_OVERHEAD = 12, 2000
"""What reading a transition costs, and calling a sweep, counted in multiplications."""
UNWATCHED = 0.01
"""Seconds of sweeps between two looks at the clock."""
EPS = float(np.finfo(float).eps)
SETTLED = 1e-9
"""A sweep that raises no root by more than this share of its own value ends the climb."""
SETTLED_ON_THE_WAY = 1e-6
"""At a depth that is only a step towards a deeper one: by this share of the largest value."""


class DelayedInformation:
    """The bound at one depth, climbing by sweeps and deepened in place.

    Attributes
    ----------
    depth : n
    W0 : (S,) bound at the roots
    rows : the R distinct transition rows
    levels : W(s, σ) and what its sweeps need; row r stands for all (s, σ₁) with ``row_of`` r
    sweep_seconds : what the last sweep took
    work : multiplications made so far, the same on every machine
    counts : (S,) bool, the roots whose rise is worth another sweep: all, unless set otherwise
    """

    def __init__(
        self, problem: SensingMDP, stop: np.ndarray | None = None, budget: Budget | None = None
    ) -> None:
        self.problem = problem
        self.stop = np.zeros(1, np.int64) if stop is None else stop
        self.rows = distinct_rows(problem.transitions)
        self.W0 = lower_bound_from(problem, baseline(problem, budget=budget).V, budget)
        gains = largest_gain(problem, budget)
        self.sweep_seconds, self.work = 0.0, 0.0
        self.counts = np.ones(problem.num_states, bool)
        self.common: CommonStrings | None = None
        R, never = len(self.rows.indptr) - 1, np.zeros(1, np.int64)
        row_gains = np.empty((R, 1))
        mix(self.rows, self.rows.itself, gains[:, None], row_gains, never)
        k = problem.sensing_costs()
        self.constants = Constants(
            costs=np.array(problem.costs, order="C"),  # read-only is another type to compile
            look_costs=np.ascontiguousarray(problem.costs + k),
            price=k.max(axis=0),
            terminal=np.array(problem.terminal),
            discount=problem.discount,
            gains=gains,
            row_gains=row_gains[:, 0],
            rounding=(int(np.diff(self.rows.indptr).max()) + 16) * EPS,
            excess=row_excess(problem.transitions),
        )
        self.levels = Levels(np.array([0, 0, R]), *(np.empty(R) for _ in range(3)))
        mix(self.rows, self.rows.itself, self.W0[:, None], self.W(1), never)
        self.W(1)[:] -= 4 * self.constants.rounding * (np.abs(self.W(1)) + 2 * row_gains)

    @property
    def depth(self) -> int:
        return len(self.levels.offset) - 2

    @property
    def deepest(self) -> int:
        """The length of the longest strings."""
        return self.depth if self.common is None else self.common.depth

    def W(self, m: int) -> np.ndarray:
        """The bound after m actions, (R, A^(m-1)): a view."""
        return self.block(self.levels.W, m)

    def block(self, flat: np.ndarray, m: int) -> np.ndarray:
        """Level m of an array that lies as the levels do: (R, A^(m-1)), a view."""
        offset = self.levels.offset
        return flat[offset[m] : offset[m + 1]].reshape(len(self.rows.indptr) - 1, -1)

    def look_values(self, V: np.ndarray) -> np.ndarray:
        """``C(a) + k(a) + α T(a) V``, the cost of acting and looking: (S,) -> (S, A)."""
        costs = self.constants.look_costs
        Q, ahead = np.empty(costs.shape), np.empty(len(self.rows.indptr) - 1)
        action_values(self.rows, costs, self.problem.discount, V, ahead, Q)
        return Q

    def sweep(
        self, enough: float = np.inf, most: int = 1, unit: np.ndarray | None = None
    ) -> tuple[int, float]:
        """Back up everything, ``most`` times at most and until no root that counts rises by more
        than ``enough`` of its ``unit`` (S,), 1 if not given; returns the number of sweeps and the
        largest rise of the last one, in units."""
        began = time.perf_counter()
        if self.common is not None:
            self.common.sweep(self.stop)
            most = 1
        kept = self.rows, self.constants, self.W0, self.levels, self.counts
        unit = np.ones(len(self.W0)) if unit is None else unit
        done, rise = climb(*kept, unit, enough, most, self.stop)
        self.sweep_seconds = (time.perf_counter() - began) / max(done, 1)
        self.work += done * self.sweep_work()
        return done, rise

    def sweep_work(self, deeper: bool = False) -> float:
        """About how many multiplications a sweep takes, at this depth or at the next one."""
        A, common = float(self.problem.num_actions), 0.0
        depth = self.depth + (deeper and self.common is None)
        if self.common is not None:
            common = float(len(self.common.actions)) ** (self.common.depth + deeper)
        return 2 * len(self.rows.data) * (A**depth + common + SHORT_RUN) + SWEEP_OVERHEAD

    def climb(
        self,
        budget: Budget | None = None,
        last: bool = True,
        enough: float | None = None,
        least_work: float = 0.0,
        most: float = np.inf,
    ) -> int:
        """Sweep until no root that counts rises by more than ``enough`` (if not given, SETTLED of
        its own value at the last depth, SETTLED_ON_THE_WAY of the largest before it) and that much
        work is done, ``most`` times, or until the budget is over; returns the number of sweeps."""
        unit = None
        if enough is None:
            unit = self.own_values()
            enough = SETTLED if last else SETTLED_ON_THE_WAY
            unit = unit if last else np.full(len(unit), unit.max())
        sweeps, rise, until = 0, np.inf, self.work + least_work
        while sweeps < most and (rise > enough or self.work + self.sweep_work() < until):
            if self.stop[0] or (budget is not None and budget.left() <= self.sweep_seconds):
                break
            # between two looks at the clock; one sweep until it is known how long one takes
            unwatched = int(UNWATCHED / max(self.sweep_seconds, 1e-7)) + 1 if sweeps else 1
            done, rise = self.sweep(enough, int(min(unwatched, most - sweeps)), unit)
            sweeps += done
        return sweeps

    def own_values(self) -> np.ndarray:
        """What a root's rise is a share of, (S,): its value, or the least cost that counts."""
        return np.maximum(np.abs(self.W0), max(self.problem.cost_floor, 1e-300))

    def look_ahead(self) -> None:
        """Leave ``B C(a) + α W``, which searches ask for, in ``levels.looks`` until a sweep."""
        lay_ahead(self.levels, self.problem.discount, self.problem.num_actions)
        if self.common is not None:
            self.common.look_ahead()

    def has_room_below(self) -> bool:
        """Whether an anytime method may deepen: memory is free, and within MEMORY_UNASKED."""
        need = memory_needed(self.problem.num_actions, self.depth + 1, len(self.W(1)))
        if faded(self.problem, self.deepest + 1):
            return False
        if self.common is not None:
            if self.common.depth >= DEEPEST_COMMON:
                return False
            need = memory_needed(len(self.common.actions), self.common.depth + 1, len(self.W(1)))
        return within_memory(need)

    def raise_roots(self, bound: np.ndarray) -> None:
        """Take over a lower bound (S,) that was proven elsewhere, where it is the better one."""
        np.maximum(self.W0, bound, out=self.W0)

    def follow_common(self, actions: np.ndarray) -> None:
        """Deepen for strings of these actions only, from now on."""
        before = self.sweep_work()
        self.common = CommonStrings(self, actions)
        self.sweep_seconds *= self.sweep_work() / before

    def deepen(self) -> None:
        """From depth n to n + 1 with every value kept; refuses what memory does not hold."""
        if self.common is not None:
            self.common.deepen()
            self.sweep_seconds *= len(self.common.actions)
            return
        rows, old, n, never = self.rows, self.levels, self.depth, np.zeros(1, np.int64)
        refuse_faded(self.problem, n + 1)
        refuse_beyond_memory(self.problem, n + 1, len(self.W(1)))
        end = old.offset[-1] + (old.offset[-1] - old.offset[-2]) * self.problem.num_actions
        W, stages = (np.concatenate([x, np.empty(end - len(x))]) for x in (old.W, old.stages))
        self.levels = Levels(np.append(old.offset, end), W, stages, np.empty(end))
        if n == 1:
            mix(rows, rows.itself, self.constants.costs, self.block(stages, 2), never)
            mix(rows, rows.itself, np.ascontiguousarray(W[rows.row_of]), self.W(2), never)
        else:
            mix(rows, rows.row_of, self.block(stages, n), self.block(stages, n + 1), never)
            mix(rows, rows.row_of, self.W(n), self.W(n + 1), never)
        gains = 2 * self.problem.discount**-n * self.constants.row_gains[:, None]
        share = (n + 2) * self.constants.rounding
        self.W(n + 1)[:] -= share * (np.abs(self.W(n + 1)) + gains)
        self.sweep_seconds *= self.problem.num_actions  # an estimate until the first one is made


def delayed_information_bound(problem: SensingMDP, depth: int) -> np.ndarray:
    """Proven lower bound on the optimal cost at each root, (S,), from states seen late."""
    check_depth(depth)
    information = DelayedInformation(problem)
    while information.depth < depth:
        information.climb(last=False)
        information.deepen()
    information.climb()
    return information.W0


@cache
def compile_kernels() -> None:
    """Compile (or load) what is compiled, once a process, so that no planning time holds it."""
    T = [[[0.5, 0.5]] * 2, np.eye(2)]
    tiny = DelayedInformation(SensingMDP.from_arrays(T, np.eye(2), 0.5, 0.1))
    for _ in range(3):
        tiny.sweep()
        tiny.deepen()
    tiny.follow_common(np.array([0]))
    tiny.sweep()


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
