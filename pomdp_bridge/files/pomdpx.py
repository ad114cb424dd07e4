"""Writing POMDPX, the XML format of APPL's ``pomdpsol`` and DESPOT.

The POMDP is the one of :mod:`pomdp_bridge.export`.  Values are numbered: POMDPX itself names them
s0, s1, … for states, a0, … for actions and o0, … for observations.  Entries left out are zero.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from pomdp_bridge.export import FlatPOMDP, flatten
from pomdp_bridge.files.cassandra import number, write_lines
from solvers.core.model import SensingMDP


def write_pomdpx(problem: SensingMDP, path: str | Path) -> None:
    """Write a problem as a ``.pomdpx`` file."""
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        write_lines(file, _lines(problem, flatten(problem)))


def _lines(problem: SensingMDP, pomdp: FlatPOMDP) -> Iterator[str]:
    S, A = problem.num_states, problem.num_actions
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield (
        f'<pomdpx version="1.0" id={quoteattr(problem.name)} '
        'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" '
        'xsi:noNamespaceSchemaLocation="pomdpx.xsd">'
    )
    about = (
        f"{problem.name}: a sensing-cost MDP. Actions a0 to a{A - 1} stay blind, a{A} to "
        f"a{2 * A - 1} are the same with a look; observation o{S} is nothing."
    )
    yield f"<Description>{escape(about)}</Description>"
    yield f"<Discount>{number(pomdp.discount)}</Discount>"
    yield from _variables(pomdp)
    yield "<InitialStateBelief>"
    yield from _table("CondProb", "state_0", "null", _start(pomdp))
    yield "</InitialStateBelief>"
    yield "<StateTransitionFunction>"
    yield from _table("CondProb", "state_1", "action state_0", _transitions(pomdp))
    yield "</StateTransitionFunction>"
    yield "<ObsFunction>"
    yield from _table("CondProb", "obs", "action state_1", _observations(pomdp))
    yield "</ObsFunction>"
    yield "<RewardFunction>"
    yield from _table("Func", "reward", "action state_0", _rewards(pomdp))
    yield "</RewardFunction>"
    yield "</pomdpx>"


def _variables(pomdp: FlatPOMDP) -> Iterator[str]:
    yield "<Variable>"
    yield '<StateVar vnamePrev="state_0" vnameCurr="state_1" fullyObs="false">'
    yield f"<NumValues>{pomdp.num_states}</NumValues></StateVar>"
    yield f'<ObsVar vname="obs"><NumValues>{pomdp.num_observations}</NumValues></ObsVar>'
    yield f'<ActionVar vname="action"><NumValues>{pomdp.num_actions}</NumValues></ActionVar>'
    yield '<RewardVar vname="reward"/>'
    yield "</Variable>"


def _table(kind: str, var: str, parents: str, entries: Iterator[tuple[str, float]]):
    value = "ProbTable" if kind == "CondProb" else "ValueTable"
    yield f'<{kind}><Var>{var}</Var><Parent>{parents}</Parent><Parameter type="TBL">'
    for instance, x in entries:
        yield (f"<Entry><Instance>{instance}</Instance><{value}>{number(x)}</{value}></Entry>")
    yield f"</Parameter></{kind}>"


def _start(pomdp: FlatPOMDP) -> Iterator[tuple[str, float]]:
    for s in np.flatnonzero(pomdp.start):
        yield f"s{s}", pomdp.start[s]


def _transitions(pomdp: FlatPOMDP) -> Iterator[tuple[str, float]]:
    for a in range(pomdp.num_actions):
        T = pomdp.transition(a)
        rows = np.repeat(np.arange(pomdp.num_states), np.diff(T.indptr)).tolist()
        for s, after, p in zip(rows, T.indices.tolist(), T.data.tolist(), strict=True):
            yield f"a{a} s{s} s{after}", p


def _observations(pomdp: FlatPOMDP) -> Iterator[tuple[str, float]]:
    S = pomdp.num_states
    for a in range(pomdp.num_actions):
        if a < pomdp.num_actions // 2:
            yield f"a{a} * o{S}", 1.0
        else:
            for s in range(S):
                yield f"a{a} s{s} o{s}", 1.0


def _rewards(pomdp: FlatPOMDP) -> Iterator[tuple[str, float]]:
    for a in range(pomdp.num_actions):
        for s in np.flatnonzero(pomdp.rewards[:, a]):
            yield f"a{a} s{s}", pomdp.rewards[s, a]
