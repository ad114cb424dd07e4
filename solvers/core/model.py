"""The sensing-cost MDP.

A finite discounted-cost MDP ``M(S, A, T, C, alpha)`` in which looking costs money.  Each step the
agent picks an action and says whether it will look at the next state: ``(a, sense)`` costs
``C(s, a) + k`` and reveals the next state, ``(a, blind)`` costs ``C(s, a)`` and leaves the agent
with the belief ``b T(a)``.

* Costs inside, rewards only at the edges: ``from_rewards`` negates once, on the way in.
* A terminal state is absorbing and free.  Once a look shows it, the episode is over (value 0);
  while the agent is blind it does not know, so a look that finds a terminal state still costs k.
  With ``end_is_seen`` the agent notices the end for free: the sensing cost is then 0 in terminal
  states, and nothing else changes, because a plan that goes on after the end costs nothing.
* The discount may be 1 where every way of acting surely ends, as with ``with_horizon(H)``.
* The agent knows its first state, which is drawn from ``start``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from solvers.core import ending
from solvers.core import validation as check
from solvers.core.horizon import layered
from solvers.core.sensing_cost import LookCosts, SensingCost, checked_cost
from solvers.kernels import blind_step
from solvers.kernels.repeated import Repeated
from solvers.kernels.returns import Rows

VALUE_FLOOR = 1e-6
"""Share of the least cost of a step or look below which a value counts as 0 in a relative gap."""

SHARED = (
    *("dense_transitions", "stacked_transitions", "_stacked_transposes"),  # of T alone
    *("remaining_steps", "expected_steps", "constant_action_values", "_repeated"),
)
"""What a model computes once and its copies with the same T, C and discount take over."""


@dataclass(frozen=True, eq=False)
class SensingMDP:
    """An immutable sensing-cost MDP; build one with :meth:`from_arrays` or :meth:`from_rewards`.

    Attributes
    ----------
    transitions : tuple of A CSR arrays, each (S, S), rows sum to 1
    costs : (S, A)
    discount : alpha in (0, 1], 1 only where every way of acting ends
    sensing_cost : number, (A,) or (S, A) array, or function of (belief (S,), action) -> number
    start : (S,), distribution of the first state
    terminal : (S,) bool
    name : str
    state_names, action_names : tuples of str
    end_is_seen : True if the agent notices the end without looking
    """

    transitions: tuple[sparse.csr_array, ...]
    costs: np.ndarray
    discount: float
    sensing_cost: SensingCost
    start: np.ndarray
    terminal: np.ndarray
    name: str
    state_names: tuple[str, ...]
    action_names: tuple[str, ...]
    end_is_seen: bool = False

    # ------------------------------------------------------------------ building
    @classmethod
    def from_arrays(
        cls,
        transitions: Any,
        costs: Any,
        discount: float,
        sensing_cost: SensingCost,
        *,
        start: Any = None,
        terminal: Any = None,
        name: str = "unnamed",
        state_names: Sequence[str] | None = None,
        action_names: Sequence[str] | None = None,
        end_is_seen: bool = False,
    ) -> SensingMDP:
        """Check everything and build the model.

        Parameters
        ----------
        transitions : dense (A, S, S), or a sequence of A dense or sparse (S, S) matrices
        costs : (S, A), or (S,) when the cost does not depend on the action
        start : (S,) probabilities, a state's index or name; left out: uniform over live states
        terminal : (S,) bool, or indices or names of terminal states; none when left out
        end_is_seen : True if the agent notices the end for free (no look costs in a terminal state)
        """
        T = check.transition_matrices(transitions)
        A, S = len(T), T[0].shape[0]
        states = check.names(state_names, S, "state")
        actions = check.names(action_names, A, "action")
        mask = check.terminal_mask(terminal, S, states)
        C = check.costs(costs, S, A)
        T = check.terminals(T, C, mask, states, actions)
        model = cls(
            transitions=T,
            costs=C,
            discount=check.discount(discount, T, mask, states),
            sensing_cost=checked_cost(sensing_cost, S, A, mask if end_is_seen else None),
            start=check.start(start, S, mask, states),
            terminal=mask,
            name=str(name),
            state_names=states,
            action_names=actions,
            end_is_seen=bool(end_is_seen),
        )
        parts = (part for T in model.transitions for part in (T.data, T.indices, T.indptr))
        for array in (model.costs, model.start, model.terminal, *parts):
            array.setflags(write=False)  # a solver that writes into its problem is told so
        return model

    @classmethod
    def from_rewards(
        cls, transitions: Any, rewards: Any, discount: float, sensing_cost: SensingCost, **rest: Any
    ) -> SensingMDP:
        """The same for a problem stated in rewards (S, A); the sensing cost stays a cost."""
        return cls.from_arrays(
            transitions, -check.numbers(rewards, "rewards"), discount, sensing_cost, **rest
        )

    def with_sensing_cost(self, sensing_cost: SensingCost) -> SensingMDP:
        """A copy with another sensing cost; everything else is shared, not copied."""
        free = self.terminal if self.end_is_seen else None
        k = checked_cost(sensing_cost, self.num_states, self.num_actions, free)
        copy = replace(self, sensing_cost=k)
        copy._share_transitions(self)
        return copy

    def with_end_seen(self) -> SensingMDP:
        """A copy in which the agent notices the end without looking."""
        copy = replace(self, end_is_seen=True)
        copy._share_transitions(self)
        return copy.with_sensing_cost(self.sensing_cost)

    def with_horizon(self, horizon: int, discount: float | None = None) -> SensingMDP:
        """The problem of ``horizon`` steps, by default with the same discount; see horizon.py."""
        return SensingMDP.from_arrays(**layered(self, horizon, discount))

    def with_discount(self, discount: float) -> SensingMDP:
        """A copy with another discount."""
        alpha = check.discount(discount, self.transitions, self.terminal, self.state_names)
        copy = replace(self, discount=alpha)
        copy._share_transitions(self, SHARED[:3])
        return copy

    def with_start(self, start: Any) -> SensingMDP:
        """A copy with another start: probabilities (S,), a state's index or its name."""
        new = check.start(start, self.num_states, self.terminal, self.state_names)
        new.setflags(write=False)
        copy = replace(self, start=new)
        copy._share_transitions(self)
        return copy

    def __getstate__(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in fields(self)}  # no computed arrays

    def _share_transitions(self, other: SensingMDP, names: Sequence[str] = SHARED) -> None:
        """Keep what another model with the same T, C and discount has already computed."""
        for name in names:
            if name in other.__dict__:
                self.__dict__[name] = other.__dict__[name]

    # ------------------------------------------------------------------ reading
    @property
    def num_states(self) -> int:
        return self.costs.shape[0]

    @property
    def num_actions(self) -> int:
        return self.costs.shape[1]

    @cached_property
    def look_costs(self) -> LookCosts:
        """The sensing cost, asked in any form."""
        return LookCosts(self.sensing_cost, self.num_states, self.num_actions, self.name)

    @property
    def has_linear_sensing_cost(self) -> bool:
        """True when the sensing cost is linear in the belief: a number or an array."""
        return self.look_costs.linear

    def sensing_costs(self) -> np.ndarray:
        """The sensing cost as an array (S, A), indexed by the state the action is taken in."""
        return self.look_costs.by_state()

    def sensing_cost_at(self, beliefs: Rows) -> np.ndarray:
        """Sensing cost of every action at each belief: (n, S) -> (n, A)."""
        return self.look_costs.at(
            np.atleast_2d(beliefs) if isinstance(beliefs, np.ndarray) else beliefs
        )

    @property
    def max_sensing_cost(self) -> float:
        """The largest sensing cost there can be; for a function see :class:`LookCosts`."""
        return self.look_costs.largest()

    def state_index(self, state: int | str) -> int:
        """The index of a state given by index or name."""
        return check.index(state, self.num_states, self.state_names, "state")

    def action_index(self, action: int | str) -> int:
        """The index of an action given by index or name."""
        return check.index(action, self.num_actions, self.action_names, "action")

    @cached_property
    def dense_transitions(self) -> np.ndarray | None:
        """T as (A, S, S) where dense products are the faster ones, else None."""
        return blind_step.made_dense(self.transitions) if self.is_dense else None

    @cached_property
    def is_dense(self) -> bool:
        """Whether dense products are the faster ones; told without making the dense T."""
        return blind_step.dense_is_faster(self.transitions)

    @cached_property
    def remaining_steps(self) -> np.ndarray:
        """The most steps there can be before the end, from each state: (S,), inf for no limit."""
        return ending.remaining_steps(self)

    @cached_property
    def expected_steps(self) -> np.ndarray:
        """At least the expected discounted number of live steps, however one acts: (S,)."""
        return ending.expected_steps(self)

    @cached_property
    def longest_stay(self) -> float:
        """At least every expected discounted number of live steps; finite at a discount of 1."""
        if self.discount == 1 or np.isfinite(self.remaining_steps).all():
            return float(self.expected_steps.max())
        return ending.endless_sum(self)

    def repeated(self, action: int) -> Repeated:
        """What repeating one action blind for good costs from each state, with its error."""
        if action not in self._repeated:
            P = self.discount * self.policy_matrix(np.full(self.num_states, action))
            self._repeated[action] = Repeated(P, self.costs[:, action], ~self.terminal)
        return self._repeated[action]

    @cached_property
    def _repeated(self) -> dict[int, Repeated]:
        return {}

    @cached_property
    def constant_action_values(self) -> np.ndarray:
        """Cost of repeating each action blind for good, ``(I - alpha T(a))^-1 C(a)``: (S, A)."""
        return np.stack([self.repeated(a).values for a in range(self.num_actions)], axis=1)

    @cached_property
    def cost_floor(self) -> float:
        """What a value must exceed to be told from 0: a share of the least cost of anything."""
        numbers = np.abs(self.costs[~self.terminal]).ravel()
        if self.look_costs.linear:
            numbers = np.append(numbers, self.look_costs.by_state())
        least = float(numbers[numbers > 0].min(initial=np.inf))
        return VALUE_FLOOR * least if np.isfinite(least) else 0.0

    def policy_matrix(self, policy: np.ndarray) -> sparse.csr_array:
        """Row s is that of T(policy[s]), empty where the episode is over: (S,) -> (S, S)."""
        return blind_step.picked_rows(*self.stacked_transitions, policy, ~self.terminal)

    @cached_property
    def stacked_transitions(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """All T(a) in one: row starts (A, S + 1) into shared columns and probabilities."""
        return blind_step.stack_transitions(self.transitions)

    def step(self, beliefs: np.ndarray, actions: np.ndarray) -> np.ndarray:
        """One blind step of each belief under its own action: (n, S), (n,) -> (n, S)."""
        wholly = self.is_dense and blind_step.steps_dense(self.transitions)
        dense = self.dense_transitions if wholly else None
        if dense is not None:
            return blind_step.by_action(beliefs, actions, dense)
        if self.is_dense:
            move, stacked = blind_step.gathered_steps, self._stacked_transposes
        else:
            move, stacked = blind_step.blind_steps, self.stacked_transitions
        return blind_step.sparse_steps(move, beliefs, actions, stacked)

    @cached_property
    def _stacked_transposes(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return blind_step.stack_transposes(self.transitions)

    def __repr__(self) -> str:
        uniform = self.look_costs.uniform
        k = "non-uniform" if uniform is None else uniform
        seen = ", the end is seen" if self.end_is_seen else ""
        return (
            f"SensingMDP({self.name!r}, {self.num_states} states, {self.num_actions} actions, "
            f"discount {self.discount}, k = {k}{seen})"
        )
