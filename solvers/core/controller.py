"""A policy as a controller: what to run in the field, without numpy and without this library.

Between looks a deterministic policy is one plan per root, so all it needs at run time is the list
of plans and a place in one of them::

    control = policy.controller()
    control.see("r0c0")                    # the state the agent starts in, by name or number
    while not done:
        action, look = control.act()       # what to do now, and whether to look at where it leads
        ...                                # do it
        if look:
            control.see(state)             # what the look showed

``save`` writes it as JSON that any language can follow::

    {"format": "sensebench controller 1", "problem": …, "states": [names], "actions": [names],
     "start": [[state, probability], …], "terminal": [states],
     "plans": [{"runs": [[action, times], …], "look": true}, …]}

One plan per state: its runs in order, then a look together with the last action; with ``look``
false the last action goes on for good.  A terminal state has no runs.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

FORMAT = "sensebench controller 1"


class ControllerError(ValueError):
    """The controller cannot do what is asked; the message says why."""


class Controller:
    """Follows one plan per state; plain lists and numbers only.

    plans : for each state its runs [[action, times], …] and whether the last action looks
    """

    def __init__(
        self,
        problem: str,
        states: Sequence[str],
        actions: Sequence[str],
        start: Sequence[Sequence[float]],
        terminal: Sequence[int],
        plans: Sequence[dict[str, Any]],
    ) -> None:
        self.problem, self.states, self.actions = problem, list(states), list(actions)
        self.start, self.terminal = [list(pair) for pair in start], list(terminal)
        self.plans = list(plans)
        self._numbers = {name: i for i, name in enumerate(self.states)}
        self._runs: list[list[int]] | None = None
        self._look, self._run, self._done = False, 0, 0

    def see(self, state: int | str) -> None:
        """Take note of the state the agent is in; the plan begins from there."""
        number = self._numbers.get(state) if isinstance(state, str) else int(state)
        if number is None or not 0 <= number < len(self.states):
            raise ControllerError(f"{self.problem} has no state {state!r}")
        plan = self.plans[number]
        self._runs, self._look = plan["runs"], plan["look"]
        self._run = self._done = 0

    def act(self) -> tuple[int, bool]:
        """The action to take now (its number), and whether to look at the state it leads to."""
        if self._runs is None:
            raise ControllerError("call see(state) first: with the start, and after every look")
        if not self._runs:
            raise ControllerError("the episode is over: there is nothing to do in this state")
        action, times = self._runs[self._run]
        last = self._run + 1 == len(self._runs)
        self._done += 1
        if self._done >= times and not last:
            self._run, self._done = self._run + 1, 0
            return action, False
        looks = self._look and last and self._done >= times
        if looks:
            self._runs = None
        return action, looks

    def to_json(self) -> str:
        """The controller as text."""
        content = {
            "format": FORMAT,
            "problem": self.problem,
            "states": self.states,
            "actions": self.actions,
            "start": self.start,
            "terminal": self.terminal,
            "plans": self.plans,
        }
        return json.dumps(content)

    def save(self, path: str | Path) -> Path:
        """Write the controller as JSON."""
        Path(path).write_text(self.to_json(), encoding="utf-8")
        return Path(path)


def load_controller(path: str | Path) -> Controller:
    """A controller that :meth:`Controller.save` wrote."""
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
        if content.pop("format") != FORMAT:
            raise KeyError("format")
        return Controller(**content)
    except (json.JSONDecodeError, KeyError, TypeError, AttributeError) as error:
        raise ControllerError(
            f"{path} is not a controller of this format ({FORMAT}): {error}"
        ) from None


def runs_of(actions: Sequence[int]) -> list[list[int]]:
    """``(2, 2, 1)`` as runs ``[[2, 2], [1, 1]]``."""
    return [[int(a), len(list(same))] for a, same in groupby(actions)]
