"""Plans made on clouds of particles; PolicyUpdate's greedy string (Algorithm 2) is one of them.

A belief is a cloud of P particles that started at one root.  With V a critic and every mean over
the cloud,

    look(b, a)  = mean[ cost(a) ] + k + alpha mean[ V(after a) ]         act, then look
    blind(b, a) = mean[ cost(a) ] + alpha min_a' look(b after a, a')     look one step later

so V_MS(b) = min_a look(b, a) and V_blind(b) = min_a blind(b, a).  A rule says, cloud by cloud,
which action to take and whether to look after it; :class:`SearchPolicy` grows the string while
V_blind < V_MS.  All actions of a cloud meet the same random numbers, so that chance does not choose
between them.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from solvers.continuous.critic import Critic
from solvers.continuous.model import ContinuousSensingMDP, at_horizon, clouds_at, move_some
from solvers.continuous.plans import ContinuousPolicy, Plans

BLOCK = 2**15
"""Most particles moved at once: their numbers stay in the processor's cache, and memory is bounded
whatever the number of roots."""
WIDTH = 3
"""How many actions, those that look best, PolicyUpdate's greedy string tries to stay blind with."""


@dataclass(frozen=True)
class Options:
    """What each action does to each of m clouds: (m, A, P, d), (m, A), (m, A), (m, A)."""

    after: np.ndarray
    paid: np.ndarray
    price: np.ndarray
    look: np.ndarray

    def of(self, *index: np.ndarray) -> Options:
        return Options(*(part[index] for part in (self.after, self.paid, self.price, self.look)))


@dataclass
class CloudPolicy(ContinuousPolicy):
    """Plans anew at every look, on a cloud from the root; subclasses say by which rule.

    critic : values of the roots where looks land
    particles : of each cloud; max_steps : most steps before a look, all that matter if None
    spread : (d,), size of the box around a root whose states will all have its plan
    """

    problem: ContinuousSensingMDP
    critic: Critic
    particles: int = 32
    max_steps: int | None = None
    seed: int = 0
    name: str = field(default="", kw_only=True)
    spread: np.ndarray | float = field(default=0.0, kw_only=True)
    looks_ahead = 0
    """Of how many actions, the best looking ones, the rule asks what a look one step later would
    be worth."""

    @property
    def limit(self) -> int:
        """Most steps before a look."""
        return self.max_steps or self.problem.steps

    def decide(
        self, step: int, look: np.ndarray, blind: np.ndarray | None
    ) -> tuple[np.ndarray, np.ndarray]:
        """The action (m,) and whether to look after it (m,), from values (m, A)."""
        raise TypeError(f"{type(self).__name__} does not define decide(step, look, blind)")

    def spread_over(self, size: np.ndarray) -> CloudPolicy:
        return replace(self, spread=size)

    def plans(self, roots: np.ndarray, times: np.ndarray) -> Plans:
        A = self.problem.num_actions
        P = self.problem.cloud_size(self.particles)
        size = max(1, BLOCK // (P * A * max(1, self.looks_ahead)))
        blocks = [slice(i, i + size) for i in range(0, len(roots), size)]
        return Plans.joined([self._block(roots[block], times[block]) for block in blocks])

    def _block(self, roots: np.ndarray, times: np.ndarray) -> Plans:
        problem, n, limit = self.problem, len(roots), self.limit
        rng = np.random.default_rng(self.seed)
        P, d = problem.cloud_size(self.particles), problem.dimension
        clouds = clouds_at(problem, roots, P, self.spread, rng)
        times, live = np.array(times), np.arange(n)  # live: roots whose string still grows
        looks = np.zeros(n, bool)
        strings, lengths = np.zeros((n, limit), int), np.zeros(n, int)
        now = self._options(clouds, times, rng)
        for step in range(limit):
            rows = np.arange(len(live))
            tried = np.argsort(now.look, axis=1, kind="stable")[:, : self.looks_ahead]
            then = self._after(now, tried, times[live] + 1, rng) if self.looks_ahead else None
            blind = None if then is None else self._blind(now, tried, then)
            action, stop = self.decide(step, now.look, blind)
            if step == limit - 1:
                stop = np.full(len(live), limit < problem.steps)
            stop &= ~at_horizon(problem, times[live] + 1) | (problem.sensing_costs[action] == 0)
            strings[live, step], lengths[live] = action, step + 1
            clouds[live] = now.after[rows, action]
            times[live] += 1
            looks[live] = stop
            go = rows[~stop & ~at_horizon(problem, times[live])]
            if self.looks_ahead and len(go):
                done = (
                    problem.ended(clouds[live[go]].reshape(-1, d)).reshape(len(go), P).all(axis=1)
                )
                idle = live[go[done]]  # nothing is left to do or to know: blind for good
                strings[idle, step + 1 :], lengths[idle] = action[go[done], None], limit
                go = go[~done]
            if not len(go):
                break
            live = live[go]
            if then is None:
                now = self._options(clouds[live], times[live], rng)
            else:
                now = then.of(go, (tried == action[:, None]).argmax(axis=1)[go])
        return Plans(strings[:, : lengths.max(initial=1)], lengths, looks)

    def _blind(self, now: Options, tried: np.ndarray, then: Options) -> np.ndarray:
        """The value of a look one step later (m, A); infinite where a look is free now, and for
        actions that were not tried."""
        rows, later = np.arange(len(tried))[:, None], np.full(now.look.shape, np.inf)
        later[rows, tried] = now.paid[rows, tried] + self.problem.discount * then.look.min(axis=2)
        later[(now.price == 0).all(axis=1)] = np.inf  # what is free can do no harm
        return later

    def _options(self, clouds: np.ndarray, times: np.ndarray, rng: np.random.Generator) -> Options:
        """Each cloud (m, P, d) under each action; at the horizon nobody looks, so none is paid."""
        problem, (m, P, d) = self.problem, clouds.shape
        A, flat, seed = problem.num_actions, clouds.reshape(m * P, d), int(rng.integers(2**63))
        after, paid = np.empty((m, A, P, d)), np.empty((m, A))
        on = ~problem.ended(flat)
        for a in range(A):
            rng = np.random.default_rng(seed)
            moved, costs = move_some(problem, flat, np.full(m * P, a), on, rng)
            after[:, a], paid[:, a] = moved.reshape(m, P, d), costs.reshape(m, P).mean(axis=1)
        V, going = np.zeros((m, A, P)), np.broadcast_to(on.reshape(m, 1, P), (m, A, P))
        V[going] = self.critic(after[going], np.repeat(times + 1, A * P)[going.ravel()])
        price = np.where(at_horizon(problem, times + 1)[:, None], 0.0, problem.sensing_costs)
        if problem.end_is_seen:  # only the part of the cloud that goes on pays for a look
            price = price * on.reshape(m, P).mean(axis=1)[:, None]
        look = paid + price + problem.discount * V.mean(axis=2)
        return Options(after, paid, price, look)

    def _after(
        self, now: Options, tried: np.ndarray, times: np.ndarray, rng: np.random.Generator
    ) -> Options:
        """The options of every cloud after each action of ``tried`` (m, w): arrays (m, w, A …)."""
        (m, w), (P, d) = tried.shape, now.after.shape[2:]
        clouds = now.after[np.arange(m)[:, None], tried].reshape(m * w, P, d)
        then = self._options(clouds, np.repeat(times, w), rng)
        return Options(*(part.reshape(m, w, *part.shape[1:]) for part in vars(then).values()))


@dataclass
class SearchPolicy(CloudPolicy):
    """The greedy string of PolicyUpdate: go on blind while that is worth more than a look."""

    name: str = field(default="spi-continuous", kw_only=True)
    looks_ahead = WIDTH

    def decide(
        self, step: int, look: np.ndarray, blind: np.ndarray | None
    ) -> tuple[np.ndarray, np.ndarray]:
        assert blind is not None
        stop = look.min(axis=1) <= blind.min(axis=1)
        return np.where(stop, look.argmin(axis=1), blind.argmin(axis=1)), stop
