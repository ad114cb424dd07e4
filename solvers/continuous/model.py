"""The sensing-cost problem with continuous states, given by a simulator.

States are points of R^d, actions are finitely many, and the transition law is known only through a
function that moves many states at once.  Everything else is as in :class:`solvers.SensingMDP`: an
action may be followed by a look at the next state, which costs k, or by none, which leaves a
belief.

Conventions
-----------
* ``step`` moves n states under n actions and draws what it needs from the generator it is given.
  It must draw the same amount whatever the states and actions are: two policies that are run with
  equally seeded generators then meet the same chance, and their difference has little noise.
* Once ``ended(states)`` is true the episode is over: nothing moves and no step costs anything.  A
  blind agent does not notice, so its next look still costs k, unless ``end_is_seen``.
* With a ``horizon`` of H the episode ends for everyone after H steps, which the agent knows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

Step = Callable[[np.ndarray, np.ndarray, np.random.Generator], tuple[np.ndarray, np.ndarray]]


class ContinuousError(ValueError):
    """A continuous problem that cannot be used; the message names the culprit and the fix."""


def _never(states: np.ndarray) -> np.ndarray:
    return np.zeros(len(states), bool)


@dataclass(frozen=True)
class ContinuousSensingMDP:
    """A simulator with a price on looking.

    Attributes
    ----------
    step : (states (n, d), actions (n,), generator) -> next states (n, d), costs (n,)
    start : (n, generator) -> states (n, d), where the first state, which is seen, is drawn from
    low, high : (d,), the box in which states of interest lie
    sensing_cost : a number, or one per action (A,)
    ended : states (n, d) -> (n,) bool, whether the episode is over there
    horizon : the number of steps of an episode, or None for one that the discount alone limits
    scale : what printed values are multiplied by; −1 for a problem stated in rewards
    """

    name: str
    num_actions: int
    step: Step
    start: Callable[[int, np.random.Generator], np.ndarray]
    low: np.ndarray
    high: np.ndarray
    discount: float
    sensing_cost: float | np.ndarray
    ended: Callable[[np.ndarray], np.ndarray] = _never
    horizon: int | None = None
    end_is_seen: bool = False
    scale: float = 1.0
    state_names: tuple[str, ...] = ()
    action_names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "low", np.asarray(self.low, float))
        object.__setattr__(self, "high", np.asarray(self.high, float))
        check(self)

    @property
    def dimension(self) -> int:
        return len(self.low)

    @property
    def sensing_costs(self) -> np.ndarray:
        """The price of a look after each action: (A,)."""
        return np.broadcast_to(np.asarray(self.sensing_cost, float), (self.num_actions,))

    @property
    def steps(self) -> int:
        """How many steps matter: the horizon, or until the discount leaves a ten-thousandth."""
        by_discount = (
            int(np.ceil(np.log(1e-4) / np.log(self.discount))) if self.discount < 1 else None
        )
        return min(n for n in (by_discount, self.horizon) if n is not None)

    def cloud_size(self, particles: int) -> int:
        """How many particles a belief needs: one where ``step`` draws no random number at all."""
        rng = np.random.default_rng(0)
        states = np.asarray(self.start(3, rng), float)
        before = rng.bit_generator.state
        self.step(states, np.zeros(3, int), rng)
        return 1 if rng.bit_generator.state == before else particles

    def with_sensing_cost(self, sensing_cost: float | np.ndarray) -> ContinuousSensingMDP:
        """The same problem with another price of looking."""
        return replace(self, sensing_cost=sensing_cost)

    def move(
        self, states: np.ndarray, actions: np.ndarray, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        """One step of each state; those whose episode is over stay and cost nothing."""
        over = self.ended(states)
        after, costs = self.step(states, actions, rng)
        if not over.any():
            return after, costs
        return np.where(over[:, None], states, after), np.where(over, 0.0, costs)


def at_horizon(problem: ContinuousSensingMDP, times: np.ndarray) -> np.ndarray:
    """Whether an episode is over at these times (n,), whatever its state: (n,) bool."""
    return np.zeros(len(times), bool) if problem.horizon is None else times >= problem.horizon


def move_some(
    problem: ContinuousSensingMDP,
    states: np.ndarray,
    actions: np.ndarray,
    on: np.ndarray,
    rng: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray]:
    """One step of states (n, d), of which ``on`` (n,) are not over: next states, costs (n,).

    Where most are over, only the others are moved.
    """
    if 2 * on.sum() > len(on):
        return problem.move(states, actions, rng)
    some, costs, after = np.flatnonzero(on), np.zeros(len(states)), states.copy()
    if len(some):
        after[some], costs[some] = problem.move(states[some], actions[some], rng)
    return after, costs


def clouds_at(
    problem: ContinuousSensingMDP,
    roots: np.ndarray,
    particles: int,
    spread: np.ndarray | float,
    rng: np.random.Generator,
) -> np.ndarray:
    """Clouds (n, P, d) at roots (n, d), or evenly spread over boxes of this size around them.

    A particle that would begin where the episode is over begins at its root instead.
    """
    clouds = np.repeat(roots[:, None, :], particles, axis=1)
    if particles == 1 or not np.any(spread):
        return clouds
    moved = clouds + spread * (rng.random(clouds.shape) - 0.5)
    moved = np.clip(moved, problem.low, problem.high)
    ended = problem.ended(moved.reshape(-1, problem.dimension)).reshape(clouds.shape[:2])
    return np.where(ended[:, :, None], clouds, moved)


def check(problem: ContinuousSensingMDP) -> None:
    """Refuse a problem that cannot be run, saying what is wrong and what is expected."""
    name, d = problem.name, problem.dimension
    if problem.low.shape != problem.high.shape or not (problem.low < problem.high).all():
        raise ContinuousError(f"{name}: low must lie below high in each of the {d} coordinates")
    if not 0 < problem.discount <= 1 or (problem.discount == 1 and problem.horizon is None):
        raise ContinuousError(
            f"{name}: discount is {problem.discount}; expected a number in (0, 1), "
            "or 1 together with a horizon"
        )
    if problem.horizon is not None and problem.horizon < 1:
        raise ContinuousError(f"{name}: horizon is {problem.horizon}; expected at least one step")
    k = np.asarray(problem.sensing_cost, float)
    if k.shape not in ((), (problem.num_actions,)) or not (k >= 0).all():
        raise ContinuousError(
            f"{name}: the sensing cost is {problem.sensing_cost}; expected a number >= 0, "
            f"or {problem.num_actions} of them, one per action"
        )
    rng = np.random.default_rng(0)
    states = np.asarray(problem.start(3, rng), float)
    if states.shape != (3, d):
        raise ContinuousError(f"{name}: start(3, rng) gave shape {states.shape}; expected (3, {d})")
    after, costs = problem.step(states, np.zeros(3, int), rng)
    if np.shape(after) != (3, d) or np.shape(costs) != (3,):
        raise ContinuousError(
            f"{name}: step of 3 states gave shapes {np.shape(after)} and {np.shape(costs)}; "
            f"expected (3, {d}) and (3,)"
        )
    if np.shape(problem.ended(after)) != (3,):
        raise ContinuousError(f"{name}: ended(states) must give one truth value per state")
