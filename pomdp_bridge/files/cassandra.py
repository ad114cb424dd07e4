"""Writing Cassandra's ``.pomdp`` format, for pomdp-solve, APPL's pomdpsol, AI-Toolbox and R.

The POMDP is the one of :mod:`pomdp_bridge.export`: actions 0 … A−1 are blind, A … 2A−1 look, the
last observation is "nothing".  Numbers are written so that reading them back gives the same
doubles.  States and actions are numbered, because the format allows few characters in a name; the
real names stand in a comment that only our reader understands
(:mod:`pomdp_bridge.files.cassandra_comment`); it also says how many entries there are and how the
file ends, so that a file that was cut is noticed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from pomdp_bridge.export import FlatPOMDP, flatten
from pomdp_bridge.files.cassandra_comment import LAST_LINE, names_line
from solvers.core.model import SensingMDP

CHUNK = 50_000
"""Lines joined before they are written."""


def write_pomdp(problem: SensingMDP, path: str | Path) -> None:
    """Write a problem as a ``.pomdp`` file."""
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        write_lines(file, _lines(problem, flatten(problem)))


def write_lines(file, lines: Iterable[str]) -> None:
    """Write many short lines in few calls."""
    pending: list[str] = []
    for line in lines:
        pending.append(line)
        if len(pending) >= CHUNK:
            file.write("\n".join(pending) + "\n")
            pending.clear()
    file.write("\n".join(pending) + "\n")


def number(x: float) -> str:
    """A double, exactly, with the digit on both sides of the point that the format asks for."""
    text = repr(float(x))
    if "e" in text and "." not in text:
        text = text.replace("e", ".0e")
    return text


def _lines(problem: SensingMDP, pomdp: FlatPOMDP) -> Iterator[str]:
    S, A = problem.num_states, problem.num_actions
    names = {
        "name": problem.name,
        "state_names": problem.state_names,
        "action_names": problem.action_names,
    }
    entries = {
        "T": 2 * sum(int(T.nnz) for T in problem.transitions),
        "O": 2 * A * S,
        "R": max(1, int(np.count_nonzero(pomdp.rewards))),
        "start": 1,
    }
    yield "# A Markov decision process with a state sensing cost, as a POMDP."
    yield f"# Actions 0 to {A - 1} stay blind, actions {A} to {2 * A - 1} are the same with a look;"
    yield f"# observation {S} is nothing, observation s is a look that shows state s."
    yield names_line(names, entries)
    yield f"discount: {number(pomdp.discount)}"
    yield "values: reward"
    yield f"states: {S}"
    yield f"actions: {2 * A}"
    yield f"observations: {S + 1}"
    yield "start: " + " ".join(number(p) for p in pomdp.start)
    for a in range(2 * A):
        T = pomdp.transition(a)
        rows = np.repeat(np.arange(S), np.diff(T.indptr)).tolist()
        for s, after, p in zip(rows, T.indices.tolist(), T.data.tolist(), strict=True):
            yield f"T: {a} : {s} : {after} {number(p)}"
    for a in range(2 * A):  # each state by its number: `pomdpsol --fast` reads no "*" here
        for s in range(S):
            yield f"O: {a} : {s} : {S if a < A else s} 1.0"
    if not pomdp.rewards.any():
        yield "R: 0 : 0 : * : * 0.0"  # a file without rewards would look cut short
    for a in range(2 * A):
        for s in np.flatnonzero(pomdp.rewards[:, a]):
            yield f"R: {a} : {s} : * : * {number(pomdp.rewards[s, a])}"
    yield LAST_LINE
