"""The checker of proof files: all that is needed to believe a bound, with nothing of ours in it.

A proof file claims ``lower ≤ optimum ≤ upper`` for the problem whose numbers are exactly the stored
ones.  It holds root values L and U, one plan per root, and witnesses (docs/proofs.md).  Everything
is rounded against the claim.  B(s, σ) is the belief after the blind actions σ from s, a row vector.

*Witnesses.*  ``steps`` w ≥ 1 + α T(a) w, w ≥ 0, bounds how long anything lasts (w = 0 only in
terminal states, free and never left), so every operator here contracts in the norm weighted by w:
what is below its own image is below the fixed point.  ``potential`` v ≤ C(a) + α T(a) v is below
the optimum, for it grants free looks.  From here on a cost is its excess c(a) = C(a) - v + α T(a) v
and a value its excess over v; a plan costs v(root) plus its excesses.  All of them are ≥ 0, so a
sum of n products, in any order, has a *relative* rounding error below (n + 2) 2^-53: ``down`` takes
off and ``up`` puts on more than twice that.

*(a) Heuristic.*  Q(a) = c(a) + k(a) + α T(a) L is a look valued with the claimed L, D(a) the same
without k: told once.  W is any function ≥ 0 of (s, σ), |σ| = n, that is not above its image, the
least over a of B(s,σ) Q(a) and the larger of

    B(s,σ) c(a) + α Σ_s' T(σ₁)(s,s') W(s', σ₂…σₙ a)   and   B(s,σ) D(a).

W = 0 is one; raising entries to their image gives another.  At n + 1 no image is taken below the
mean Σ_s' T(σ₁)(s,s') W(s', σ₂…σₙ₊₁), where W begins.  Shorter strings get one exact backup.

*(b) Search.*  From root j all blind strings are followed for which cost so far + αⁿ B(j, all but
the last n actions) W(·, the last n), and D with the last action, are below L(j); each look after
each of them must cost L(j) or more.  The optimal values in the place of L and W are at least their
image under (a) and (b), as least costs are concave; the claimed are at most theirs: L ≤ optimum.

*(c) Merging.*  A string is dropped if one of the same root and length has gone on before whose
cost so far and belief, entry by entry, are at most its own: with any continuation it costs at most
as much.  The best plan, moved to it (once per step at most), ends at a check of (b).  "At most" is
up to a share 8 (m+1) ε at length m: checks must reach (1 + 8 (m+1) (m+2) ε) L(j) ≤ 2 L(j).

*Upper bound.*  U is at least the cost of each plan that goes on with U after its look; endless
plans end in ``tails``, Y(a) ≥ c(a) + α T(a) Y(a).
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numba import njit

from solvers.bounds.proof_file import Proof, Refused, Unfinished, load, require, unpack

TINY, UNLIKELY = 1e-100, 1e-200  # excesses and chances below count as 0 downward, as this upward
LONGEST, POOL, SEEN, LARGEST = 2**16, 2**22, 2**17, 2**25
"""Longest string; belief entries held; strings to merge with; entries of W: at most so many."""
HOLDS, CHEAP_LOOK, GAVE_UP = range(3)


class Verdict(NamedTuple):
    """ok : proven that the optimal cost under start is in [lower, upper]; reason : why, why not."""

    ok: bool
    lower: float
    upper: float
    reason: str


def verify(path: str | Path, limit_seconds: float = 600.0) -> Verdict:
    """Check a proof file within so much CPU time; a bad file gives a verdict, never an error."""
    try:
        proof = unpack(load(path))
        return Verdict(True, *proof.claim, check(proof, time.process_time() + limit_seconds))
    except (Refused, MemoryError) as refusal:
        return Verdict(False, np.nan, np.nan, str(refusal) or "the memory does not suffice")


@np.errstate(all="ignore")
def check(proof: Proof, until: float) -> str:
    """How much was checked if the proof holds; raises Refused if not."""
    p = Excess(proof)
    check_plans(proof, p, until)
    heuristic, entries = Heuristic(p), len(p.v) * p.k.shape[1] ** len(proof.sweeps)
    require(entries <= LARGEST, "the depth is too large")
    for n, times in enumerate(proof.sweeps):
        if n:
            heuristic.deepen()
        heuristic.climb(times, until)
    strings = search(p, heuristic.levels(), np.flatnonzero(p.L > 0), until)
    return f"depth {len(proof.sweeps)}, {strings} strings followed"


class Excess:
    """The problem in excesses over v, its witnesses checked.

    low, high : c (S, A) rounded down and up; L, U : (S,); Q, D : looks against L, told; down
    """

    def __init__(self, proof: Proof) -> None:
        C, self.alpha, v, w = proof.C, proof.alpha, proof.potential, proof.steps
        self.T, self.rows, self.row_of = proof.T, proof.rows, proof.row_of
        self.k, self.terminal, self.v = proof.k, proof.terminal, v
        self.eps = (sum(C.shape) + 32) * 2.0**-52
        over = self.terminal & (w == 0) & (v == 0) & ((C == 0) & (self.ahead(w) == 0)).all(axis=1)
        lasts = (w > 0) & (w >= (1 + self.alpha * self.ahead(w).max(axis=1)) * (1 + self.eps))
        require(over | lasts, "steps do not bound how long an episode lasts")
        excess = C - v[:, None] + self.alpha * self.ahead(v)
        size = np.abs(C) + np.abs(v)[:, None] + self.alpha * self.ahead(np.abs(v))
        margin = self.eps * size + TINY * (size > 0)
        require(excess >= margin, "the potential is above its own backup")
        zero = ~self.terminal | ((v <= 0) & (proof.lower <= 0) & (proof.upper >= 0))
        require(zero, "0 is outside the bounds where the episode is over")
        self.low, self.high = self.down(excess - margin), self.up(excess + margin)
        self.L = np.where(self.terminal, -v, np.maximum(proof.lower - v, 0))
        self.U = np.where(self.terminal, -v, proof.upper - v)
        self.target = self.L * (1 + self.eps) + TINY
        self.Q = self.down(self.low + self.k + self.alpha * self.ahead(self.down(self.L)))
        told = np.where(self.terminal, 0, self.L)  # whoever goes on blind there pays its costs
        self.D = self.down(self.low + self.alpha * self.ahead(self.down(told)))

    def down(self, x: np.ndarray) -> np.ndarray:
        return np.where(x < TINY, 0, x * (1 - self.eps))

    def up(self, x: np.ndarray) -> np.ndarray:
        return np.where(x > 0, np.maximum(x * (1 + self.eps), TINY), 0)

    def ahead(self, x: np.ndarray) -> np.ndarray:
        """T(a) x for every action: (S,) -> (S, A)."""
        return (self.T @ x).reshape(-1, len(x)).T

    def mix(self, x: np.ndarray) -> np.ndarray:
        """Every distinct transition row times the columns of x: (S, w) -> (R, w), down."""
        return self.down(self.rows @ x)


def check_plans(proof: Proof, p: Excess, until: float) -> None:
    """U(j) is at least what plan j costs, going on with U after its look."""
    S, more = len(p.v), 1 + p.eps
    T = [p.T[i : i + S] for i in range(0, p.T.shape[0], S)]
    through = [matrix.T.tocsr() for matrix in T]
    live = np.flatnonzero(~p.terminal).tolist()
    require([len(proof.plans[j]) > 0 for j in live], "a root has no plan")
    tails, below = p.up(proof.tails - p.v[:, None]), (proof.tails - p.v[:, None]) * (1 - p.eps)
    for a in {proof.plans[j][-1] for j in live if not proof.senses[j]}:
        goes_on = p.up(p.high[:, a] + p.alpha * (T[a] @ tails[:, a]))
        require(goes_on <= below[:, a], f"repeating action {a} for ever costs more than its tail")
    looks = p.up(p.high + p.k + p.alpha * p.ahead(p.up(p.U)))
    for j in live:
        belief, total = np.eye(1, S, j)[0], 0.0
        for a in proof.plans[j][:-1]:
            require(time.process_time() < until, "the limit ended in the plans", Unfinished)
            total = (total + belief @ p.high[:, a]) * more
            belief = (through[a] @ belief) * (p.alpha * more)
            belief[(belief > 0) & (belief < UNLIKELY)] = UNLIKELY
        last = (looks if proof.senses[j] else tails)[:, proof.plans[j][-1]]
        total = (total + belief @ last) * more
        require(total <= p.U[j] * (1 - p.eps), f"root {j}: its plan costs more than upper says")


class Heuristic:
    """W at depth n; see (a).

    W after m actions (R, A^(m-1)): row row_of[s, σ₁], column σ₂…σ_m read as a number
    costs, looks, told : B(s,σ) times c, Q, D for |σ| < n.  A block: all σ with the same σ₂.
    """

    def __init__(self, p: Excess) -> None:
        self.p, self.costs, self.looks, self.told = p, [p.low], [p.Q], [p.D]
        self.W, self.blocks = np.zeros((p.rows.shape[0], 1)), [slice(None)]

    def deepen(self) -> None:
        """From n to n + 1 with every value kept."""
        p, of_state = self.p, list(self.p.row_of.T)
        for table in (self.costs, self.looks, self.told):
            table.append(np.hstack([p.mix(table[-1][of]) for of in self.blocks]))
        self.W, self.blocks = np.hstack([p.mix(self.W[of]) for of in of_state]), of_state

    def climb(self, times: int, until: float) -> None:
        """Raise W to its image, block by block, so many times."""
        p, A = self.p, self.p.k.shape[1]
        looks = [least_of(p.mix(self.looks[-1][of]), A) for of in self.blocks]
        told = [p.mix(self.told[-1][of]) for of in self.blocks]
        for _ in range(times):
            require(time.process_time() < until, "the limit ended in the heuristic", Unfinished)
            for i, of in enumerate(self.blocks):
                after = self.W[p.row_of, 0] if len(self.costs) == 1 else self.W[of]
                blind = p.mix(self.costs[-1][of] + p.alpha * after)
                blind = least_of(np.maximum(blind, told[i]), A)
                part = self.W[:, i * blind.shape[1] : (i + 1) * blind.shape[1]]
                np.maximum(part, np.minimum(blind, looks[i]), out=part)

    def levels(self) -> list[np.ndarray]:
        """W after 0 … n actions; after 0 it is (S, 1)."""
        p, A, levels = self.p, self.p.k.shape[1], [self.W]
        tables = (table[::-1] for table in (self.costs, self.looks, self.told))
        for costs, looks, told in zip(*tables, strict=True):
            after = levels[0] if costs is not p.low else levels[0][p.row_of, 0]
            blind = np.maximum(p.down(costs + p.alpha * after), told)
            levels.insert(0, np.minimum(least_of(blind, A), least_of(looks, A)))
        return levels


def least_of(x: np.ndarray, A: int) -> np.ndarray:
    """The least of every A columns: (n, w A) -> (n, w)."""
    return x.reshape(len(x), -1, A).min(axis=2)


def search(p: Excess, levels: list[np.ndarray], roots: np.ndarray, until: float) -> int:
    """Check L at these roots by (b) and (c); returns the number of strings followed."""
    levels = levels if len(levels) > 2 else [*levels, p.mix(levels[1][p.row_of, 0])]
    offset = np.cumsum([0] + [level.size for level in levels[1:]])  # of W after 1, 2, … actions
    W, scores = np.concatenate([x.ravel() for x in levels[1:]]), np.hstack([p.low, p.Q, p.D])
    tables = np.vstack([p.mix(scores), scores]), p.row_of, W, offset
    rows = p.rows.indptr.astype(np.int64), p.rows.indices.astype(np.uint32), p.rows.data
    powers = (p.alpha * (1 - p.eps)) ** np.arange(len(levels)) * (1 - p.eps)
    room = np.empty(POOL, np.int32), np.empty(POOL), np.empty(POOL, np.int32), np.empty(POOL)
    strings, seconds = 0, 1e-4
    for j in roots[~(p.terminal[roots] | (levels[0][roots, 0] >= p.target[roots]))]:
        most = int(max(until - (began := time.process_time()), 0) / seconds)
        why, followed, m = follow(j, p.target[j], tables, rows, powers, p.alpha, p.eps, most, room)
        require(why != CHEAP_LOOK, f"root {j}: a look after {m} blind steps costs less than lower")
        require(why == HOLDS, f"root {j}: no end in the limit, {m} steps deep", Unfinished)
        strings += followed
        seconds = max((time.process_time() - began) / (followed + 100), 1e-6)
    return strings


@njit(cache=True)
def follow(j, target, tables, rows, powers, alpha, eps, most, room):  # type: ignore
    """Follow the blind strings from root j whose bound is below target; see (b) and (c).

    tables : c, Q, D after each distinct row and at each state (R + S, 3A), row_of, W and where its
    lengths begin; room : for the beliefs on the path and of strings to merge with, discounted,
    down.  A string's belief is made only if it goes on.  (outcome, strings, depth)
    """
    (scores, row_of, W, offset), (indptr, indices, chances) = tables, rows
    (states, weights, old_states, old_weights), (S, A), less = room, row_of.shape, 1 - eps
    sums, h, dense, touched = np.empty(3 * A), np.empty(A), np.zeros(S), np.empty(S, np.int64)
    begin, z, onward = np.zeros(LONGEST + 1, np.int64), np.zeros(LONGEST), np.empty((LONGEST, A))
    clean, string, tried = np.ones(LONGEST, np.bool_), begin.copy(), begin.copy()
    old_m, old_z, old = np.zeros(SEEN, np.int64), np.empty(SEEN), np.empty((SEEN, 2), np.int64)
    states[0], weights[0], begin[1], full, followed, m, arrived = j, 1.0, 1, 0, 0, 0, True
    longest = min(LONGEST, int((8 * eps) ** -0.5)) - 2  # so that enough is at most twice the target
    while True:
        if arrived:
            followed += 1
            if followed > most or m >= longest or begin[m] + S > len(states):
                return GAVE_UP, followed, m
            sums[:], h[:], last = 0.0, 0.0, max(m - 1, 0)
            for i in range(begin[last], begin[last + 1]):
                row = row_of[states[i], string[last]] if m else len(scores) - S + j
                weight = weights[i] * alpha if m else 1.0
                for x in range(3 * A):
                    sums[x] += weight * scores[row, x]
            known, middle = min(len(offset) - 2, m), 0  # actions of W's string before the next one
            for i in range(m - known + 1, m):
                middle = middle * A + string[i]
            for i in range(begin[m - known], begin[m - known + 1]):
                for a in range(A):
                    at = row_of[states[i], string[m - known] if known else a] * A**known
                    h[a] += weights[i] * W[offset[known] + at + (middle * A + a if known else 0)]
            enough, tried[m] = target * (1 + 8 * eps * (m + 1) * (m + 2)), A  # A: none goes on
            for a in range(A):
                if not (z[m] + sums[A + a]) * less >= enough:
                    return CHEAP_LOOK, followed, m
                so_far = (z[m] + sums[a]) * less
                bound = max(so_far + powers[known + 1] * h[a], z[m] + sums[2 * A + a]) * less
                onward[m, a] = -1.0 if bound >= enough else so_far  # negative: not followed
                tried[m] *= bound >= enough
        if arrived and m > 0 and tried[m] == 0:
            count, wide = 0, 2 * (begin[m] - begin[m - 1]) > S  # then all states count as touched
            for i in range(begin[m - 1], begin[m]):
                r = row_of[states[i], string[m - 1]]
                for e in range(indptr[r], indptr[r + 1]):
                    if not wide and dense[indices[e]] == 0.0:
                        touched[count] = indices[e]
                        count += 1
                    dense[indices[e]] += weights[i] * chances[e]
            end, clean[m], share, key = begin[m], clean[m - 1], 1 + 4 * eps * (m + 1), m
            touched, count = (np.arange(S), S) if wide else (touched, count)
            for s in touched[:count]:
                dense[s] *= alpha * less
                states[end], weights[end] = s, dense[s]
                clean[m] &= dense[s] >= UNLIKELY or dense[s] == 0.0
                end += dense[s] >= UNLIKELY
            for bits in weights[begin[m] : end].view(np.int64):
                key += ((bits >> 24) * 0x9E3779B97F4A7C1) >> 17
            key = (key ^ (key >> 16)) % SEEN  # one string is remembered per key, the last one
            new = not (clean[m] and old_m[key] == m and old_z[key] <= z[m] * share)
            for e in range(old[key, 0], old[key, 0] if new else old[key, 1]):
                new |= old_weights[e] > dense[old_states[e]] * share
            dense[touched[:count]], begin[m + 1], tried[m] = 0.0, end, 0 if new else A
            if new and clean[m] and full + S <= len(old_states):
                past, full = full, full + end - begin[m]
                old_m[key], old_z[key], old[key, 0], old[key, 1] = m, z[m], past, full
                old_states[past:full] = states[begin[m] : end]
                old_weights[past:full] = weights[begin[m] : end]
        a = tried[m]
        while a < A and onward[m, a] < 0:
            a += 1
        if a == A and m == 0:
            return HOLDS, followed, m
        if a < A:
            tried[m], string[m], z[m + 1] = a + 1, a, onward[m, a]
        arrived, m = a < A, m + 1 if a < A else m - 1  # back: all beginning with it is checked
