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

from dataclasses import dataclass, field

import numpy as np

from solvers.continuous.critic import Critic, at_horizon, over
from solvers.continuous.model import ContinuousSensingMDP
from solvers.continuous.plans import ContinuousPolicy, Plans

BLOCK = 2**18
"""Most particles moved at once: it bounds the memory of a search, whatever the number of roots."""


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
    """

    problem: ContinuousSensingMDP
    critic: Critic
    particles: int = 32
    max_steps: int | None = None
    seed: int = 0
    name: str = field(default="", kw_only=True)
    looks_ahead = False
    """Whether the rule asks what a look one step later would be worth."""

    @property
    def limit(self) -> int:
        """Most steps before a look."""
        return self.max_steps or self.problem.steps

    def decide(
        self, step: int, look: np.ndarray, blind: np.ndarray | None
    ) -> tuple[np.ndarray, np.ndarray]:
        """The action (m,) and whether to look after it (m,), from values (m, A)."""
        raise TypeError(f"{type(self).__name__} does not define decide(step, look, blind)")

    def plans(self, roots: np.ndarray, times: np.ndarray) -> Plans:
        A = self.problem.num_actions
        P = self.problem.cloud_size(self.particles)
        size = max(1, BLOCK // (P * (A * A if self.looks_ahead else A)))
        blocks = [slice(i, i + size) for i in range(0, len(roots), size)]
        return Plans.joined([self._block(roots[block], times[block]) for block in blocks])

    def _block(self, roots: np.ndarray, times: np.ndarray) -> Plans:
        problem, n, limit = self.problem, len(roots), self.limit
        rng = np.random.default_rng(self.seed)
        P, d = problem.cloud_size(self.particles), problem.dimension
        clouds = np.repeat(roots[:, None, :], P, axis=1)
        times, live = np.array(times), np.arange(n)  # live: roots whose string still grows
        looks = np.zeros(n, bool)
        strings, lengths = np.zeros((n, limit), int), np.zeros(n, int)
        now = self._options(clouds, times, rng)
        for step in range(limit):
            rows = np.arange(len(live))
            then = self._after_each(now, times[live] + 1, rng) if self.looks_ahead else None
            blind = None if then is None else self._blind(now, then)
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
                now = then.of(go, action[go])
        return Plans(strings[:, : lengths.max(initial=1)], lengths, looks)

    def _blind(self, now: Options, then: Options) -> np.ndarray:
        """The value of a look one step later (m, A); infinite where a look is free now."""
        later = now.paid + self.problem.discount * then.look.min(axis=2)
        later[(now.price == 0).all(axis=1)] = np.inf  # what is free can do no harm
        return later

    def _options(self, clouds: np.ndarray, times: np.ndarray, rng: np.random.Generator) -> Options:
        """Each cloud (m, P, d) under each action; at the horizon nobody looks, so none is paid."""
        problem, (m, P, d) = self.problem, clouds.shape
        A, flat, seed = problem.num_actions, clouds.reshape(m * P, d), int(rng.integers(2**63))
        after, paid = np.empty((m, A, P, d)), np.empty((m, A))
        for a in range(A):
            moved, costs = problem.move(flat, np.full(m * P, a), np.random.default_rng(seed))
            after[:, a], paid[:, a] = moved.reshape(m, P, d), costs.reshape(m, P).mean(axis=1)
        V = self.critic(after.reshape(-1, d), np.repeat(times + 1, A * P))
        price = np.where(at_horizon(problem, times + 1)[:, None], 0.0, problem.sensing_costs)
        if problem.end_is_seen:  # only the part of the cloud that goes on pays for a look
            on = ~over(problem, flat, np.repeat(times, P))
            price = price * on.reshape(m, P).mean(axis=1)[:, None]
        look = paid + price + problem.discount * V.reshape(m, A, P).mean(axis=2)
        return Options(after, paid, price, look)

    def _after_each(self, now: Options, times: np.ndarray, rng: np.random.Generator) -> Options:
        """The options of every cloud after every action: arrays with two action axes."""
        m, A, P, d = now.after.shape
        then = self._options(now.after.reshape(m * A, P, d), np.repeat(times, A), rng)
        return Options(*(part.reshape(m, A, *part.shape[1:]) for part in vars(then).values()))


@dataclass
class SearchPolicy(CloudPolicy):
    """The greedy string of PolicyUpdate: go on blind while that is worth more than a look."""

    name: str = field(default="spi-continuous", kw_only=True)
    looks_ahead = True

    def decide(
        self, step: int, look: np.ndarray, blind: np.ndarray | None
    ) -> tuple[np.ndarray, np.ndarray]:
        assert blind is not None
        stop = look.min(axis=1) <= blind.min(axis=1)
        return np.where(stop, look.argmin(axis=1), blind.argmin(axis=1)), stop
