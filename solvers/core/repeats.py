"""How long a policy that reads beliefs is sure to repeat one blind action, for good or for a while.

Suppose that the policy plays a blind at every belief with ``b h_i >= 0`` for all columns h_i of its
*margins* h (S, c).  Blind repetition of a leads from b to ``b T(a)^m``.

Claim: if ``b T(a)^m h >= 0`` for all m < n, the policy repeats a blind for n steps from b on; and
for good if, besides, ``T(a)^n h >= 0`` in every entry.
Proof.  T(a) has no negative entries, so then ``T(a)^m h >= 0`` for all m >= n, whatever b is.  ∎

Margins that are positive at the belief the walk settles in turn positive everywhere within the
mixing time of T(a).  For many powers at once the least entry over a run is enough,

    L = the least of T(a)^m h over a run of m,      b T(a)^p L <= b T(a)^(p + m) h  for all of them,

so with the powers of :mod:`solvers.core.powers` a chain that mixes in a million steps is settled by
some dozens of products.  Without them (too many states) runs are stepped through.

On a chain that is nearly periodic the least entry says little: every state has its own bad phase.
So, where they are few numbers, all powers of a run are kept side by side and each is looked at.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from solvers.core.model import SensingMDP
from solvers.core.plan import Follows
from solvers.core.powers import PATIENCE, Powers
from solvers.kernels.blind_step import gathered_steps, sparse_steps
from solvers.kernels.returns import TINY, Rows

FOR_GOOD = -1
ONE_BY_ONE = 32
"""Powers looked at one by one, a power of two; later ones in runs."""
STRICT = 1e-200
"""Taken off a margin that must be above 0: it changes no other number than 0."""
LAST_RUN, LEAPS_AHEAD = 2**20, 4
"""No run begins after so many steps, or so many of the longest leaps, if those are more steps."""
SHORTEST = 32
"""Steps that are worth a leap: a walk that has leapt no longer knows what its belief was before;
short leaps, each time a proof is tried, would hide for ever that it repeats."""
MOST_KEPT = 2**16
"""Numbers of a run whose powers are all kept; of a longer one the least entries."""
MOST_STEPS, MOST_WORK = 4096, 3e8
"""Steps of a proof made one by one at most, and multiplications spent on them; then by powers."""
HOPELESS = 0.9
"""No more steps are made if doubling leaves more than this share of what is negative."""
RUN_WORK, ASKED_WORK = 1000, 250
"""What a product of a proof counts as work of its walks (see MOST_WORK in unrolling.py), and what
holding a belief against one run counts: a walk may ask hundreds of runs at each try."""
MOST_MARGINS, MOST_NUMBERS = 2**20, 2**26
"""Numbers in one set of margins, and in all that the proofs of a policy keep (512 MiB), at most."""
FIRST, EVERY = 16, 32
"""A proof is tried at once, after so many steps, and after every 32nd: more of them would take
longer than the few steps they would save."""
AHEAD = 4
"""How far ahead a walk's proof looks, as a multiple of its age; after PATIENCE steps as far as it
needs to."""


def tried_at(depth: int) -> bool:
    """Whether a proof is tried after so many steps."""
    return depth == FIRST or depth % EVERY == 0


class Repeats:
    """The proofs of one policy; what a proof needs of an action is computed once.

    last_run : no run begins after so many steps
    """

    def __init__(self, problem: SensingMDP, policy: Follows, powers: Powers) -> None:
        self.problem, self.policy, self.powers = problem, policy, powers
        self._proofs: dict[tuple[int, int], _Proof | None] = {}
        self._room = _Room(MOST_NUMBERS)
        self.last_run = max(LAST_RUN, LEAPS_AHEAD * powers.longest)

    @property
    def work(self) -> float:
        """What the proofs have taken so far."""
        return self._room.work

    def spans(
        self, roots: np.ndarray, depth: int, beliefs: Rows, actions: np.ndarray
    ) -> np.ndarray:
        """For how many steps these blind walks (n,) surely repeat their present action: (n,).

        FOR_GOOD, a power of two that is worth a leap, or 0
        """
        if not self.policy.reads_beliefs:
            return np.where(self.policy.repeats(roots, depth), FOR_GOOD, 0)
        found = np.zeros(len(roots), int)
        reasons = self.policy.reasons(beliefs, actions)
        for reason in np.unique(reasons[reasons >= 0]):
            rows = np.flatnonzero(reasons == reason)
            proof = self._proof(int(reason), int(actions[rows[0]]))
            if proof is not None:
                ahead = self.last_run if depth >= PATIENCE else AHEAD * depth
                found[rows] = proof.spans(beliefs[rows], self.powers.pay_at(depth), ahead)
        return found

    def _proof(self, reason: int, a: int) -> _Proof | None:
        if (reason, a) not in self._proofs:
            h = self.policy.margins(reason) if self._room.left > 0 else None
            rooms = self.powers, self._room, self.last_run
            proof = None if h is None else _Proof(h, a, *rooms)
            self._proofs[reason, a] = proof
        return self._proofs[reason, a]


@dataclass
class _Room:
    """How many more numbers the proofs of a policy may keep, and the work they have taken."""

    left: int
    work: float = 0.0


class _Proof:
    """That action a is repeated: columns whose products with a belief must not be negative.

    runs : ``runs[i]`` (S, n c) answers for steps from ``starts[i]`` up to ``starts[i + 1]``: all
        n powers side by side, or their least entries (n = 1)
    ended : True if after the last run no entry is negative any more
    slow : True if single steps lead nowhere
    """

    def __init__(
        self, h: np.ndarray, a: int, powers: Powers, room: _Room, last_run: int = LAST_RUN
    ) -> None:
        h = h[:, (h < 0).any(axis=0)]  # the others are never negative, whatever the belief
        self.h, self.a, self.powers = h, a, powers  # h : T(a)^m of the margins, m the last step
        self.room, self.last_run, self.entries = room, last_run, powers.problem.transitions[a].nnz
        self.runs, self.starts = [h], [0, 1]
        self.ended, self.slow, self.worst = bool((h >= 0).all()), False, np.inf

    def spans(self, beliefs: Rows, by_powers: bool, ahead: int) -> np.ndarray:
        """See :meth:`Repeats.spans`; by_powers : whether powers of T(a) may be made for it; ahead :
        after how many steps no run is added any more."""
        steps, still, run = np.zeros(beliefs.shape[0], int), np.arange(beliefs.shape[0]), 0
        theirs = beliefs  # of those for whom all is well so far
        while len(still):
            at_end = run == len(self.runs)
            if at_end and (self.ended or self.starts[-1] > ahead or not self._extend(by_powers)):
                break
            self.room.work += ASKED_WORK
            well = ((theirs @ self.runs[run]) >= 0).all(axis=1)
            if not well.all():
                still, theirs = still[well], theirs[well]
            run += 1
            steps[still] = self.starts[run]
        leaps = np.zeros(len(steps), int)
        if by_powers:
            long = np.flatnonzero(steps >= SHORTEST)
            leaps[long] = 2 ** np.log2(np.minimum(steps[long], self.powers.longest)).astype(int)
        if self.ended:
            leaps[still] = FOR_GOOD
        return leaps

    def _extend(self, by_powers: bool) -> bool:
        """Answer for more steps; False if there is no hope."""
        m = self.starts[-1]
        if self.room.left <= 0:
            return False
        if m < ONE_BY_ONE:
            self.h = self._moved()
            self._add(self.h, m + 1)
        elif not self.slow and 2 * m <= min(MOST_STEPS, MOST_WORK / self.h.shape[1] / self.entries):
            self._step_through(m)
        elif by_powers and m < self.last_run and self.powers.room_for(self.a, m // 4):
            self._double(m)
        else:
            return False
        self.ended = bool((self.h >= 0).all())
        return True

    def _moved(self) -> np.ndarray:
        """``T(a) h``: (S, c), what one step more makes of h."""
        self.room.work += RUN_WORK
        columns, actions = self.h.T, np.full(self.h.shape[1], self.a)
        # gathered_steps reads transposes; reading T(a) itself, it multiplies by the transpose.
        return sparse_steps(
            gathered_steps, columns, actions, self.powers.problem.stacked_transitions
        ).T

    def _double(self, m: int) -> None:
        """Four runs from m to 2 m, each the last one moved on by as many steps as it has."""
        quarter = m // 4
        move = self.powers.power(self.a, quarter.bit_length() - 1)
        starts = zip(self.runs, self.starts, strict=False)
        run = np.minimum.reduce([self._least(run) for run, start in starts if start >= m - quarter])
        for i in range(4):
            run, self.h = move @ run, move @ self.h
            self.room.work += RUN_WORK
            self._add(run, m + (i + 1) * quarter)

    def _step_through(self, m: int) -> None:
        """Four runs from m to 2 m, every step made."""
        kept = self.h.size * (m // 4) <= MOST_KEPT
        for i in range(4):
            powers, least = [], np.full(self.h.shape, np.inf)
            for _ in range(m // 4):
                self.h = self._moved()
                least = np.minimum(least, self.h)
                powers += [self.h] if kept else []
            self._add(np.hstack(powers) if kept else least, m + (i + 1) * (m // 4))
        largest = np.maximum(np.abs(self.h).max(axis=0), TINY)
        left = float((-self.h.min(axis=0) / largest).max())
        self.slow = left > max(HOPELESS * self.worst, 0.0)
        self.worst = left

    def _least(self, run: np.ndarray) -> np.ndarray:
        """The least entries of the powers of a run: (S, n c) -> (S, c)."""
        return run.reshape(len(run), -1, self.h.shape[1]).min(axis=1)

    def _add(self, run: np.ndarray, end: int) -> None:
        self.room.left -= run.size
        self.runs.append(run)
        self.starts.append(end)
