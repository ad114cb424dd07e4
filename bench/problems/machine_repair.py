"""Machine repair: components that wear and break in silence.  (Krale et al., AAMAS 2025)

Each of N components in a row has a wear level 0 … 3; at 3 it is broken and stays so.  A step raises
the level of a working component by one with probability 0.2, or 0.5 and 0.9 if one or both of its
neighbours are broken.  An action says which components to repair (2^N of them): a repaired one is
at level 0 after the step.  A broken component costs 0.5 a step, a repair 0.25.  Start: level 1
everywhere.

* ``machine-repair`` has one component: inspect, or repair on suspicion;
* ``k-out-of-n-2`` and ``-3`` have two and three, where a neighbour's damage makes haste.

Source: repository MKrale/Tighter_Informed_Bound, ``Environments/K-out-of-N.jl``, discount 0.95,
inspection 0.05 a component.  There each component is inspected by itself; a look of ours shows all
of them, which is the limit of this model.  That puts the source's optimum between two of ours: at
k = 0.05 a look of ours does at least what any inspection there does and costs no more, and at
k = 0.05 N it costs no less than inspecting all, so

    optimum(k = 0.05 N)  ≤  optimum of the source  ≤  optimum(k = 0.05)       (as rewards).

For one component both ends are the same problem.  The K of the name does nothing in the source: its
cost counts broken components, whatever K is; nor does it here.
"""

from __future__ import annotations

from functools import partial
from itertools import product

import numpy as np
from scipy import sparse

from bench.problems.problem import Problem
from solvers import SensingMDP

DISCOUNT = 0.95
BROKEN = 3
WEAR = (0.2, 0.5, 0.9)  # by the number of broken neighbours
BREAK_COST, REPAIR_COST, INSPECT_COST = 0.5, 0.25, 0.05


def machines(sensing_cost: float, *, components: int, name: str) -> SensingMDP:
    """N components; 4^N states, 2^N actions."""
    levels = list(product(range(BROKEN + 1), repeat=components))
    repairs = list(product((0, 1), repeat=components))
    number = {state: i for i, state in enumerate(levels)}
    S = len(levels)
    transitions = []
    costs = np.zeros((S, len(repairs)))
    for a, repair in enumerate(repairs):
        rows, columns, chances = [], [], []
        for s, state in enumerate(levels):
            costs[s, a] = BREAK_COST * state.count(BROKEN) + REPAIR_COST * sum(repair)
            for after in product(*_each(state, repair)):
                rows.append(s)
                columns.append(number[tuple(level for level, _ in after)])
                chances.append(np.prod([chance for _, chance in after]))
        transitions.append(sparse.csr_array((chances, (rows, columns)), shape=(S, S)))
    start = np.zeros(S)
    start[number[(1,) * components]] = 1.0
    return SensingMDP.from_arrays(
        transitions,
        costs,
        DISCOUNT,
        sensing_cost,
        start=start,
        name=name,
        state_names=["wear " + "-".join(map(str, state)) for state in levels],
        action_names=[_repair_name(repair) for repair in repairs],
    )


def _each(state: tuple[int, ...], repair: tuple[int, ...]) -> list[list[tuple[int, float]]]:
    """What may become of each component: (level, probability) pairs."""
    padded = (0, *state, 0)
    found = []
    for i, level in enumerate(state):
        worse = WEAR[(padded[i] == BROKEN) + (padded[i + 2] == BROKEN)]
        if repair[i]:
            found.append([(0, 1.0)])
        elif level == BROKEN:
            found.append([(BROKEN, 1.0)])
        else:
            found.append([(level, 1 - worse), (level + 1, worse)])
    return found


def _repair_name(repair: tuple[int, ...]) -> str:
    if len(repair) == 1:
        return ("run", "repair")[repair[0]]
    which = [str(i + 1) for i, on in enumerate(repair) if on]
    return "repair " + "+".join(which) if which else "run"


def _problem(name: str, title: str, components: int) -> Problem:
    joint = round(INSPECT_COST * components, 10)
    return Problem(
        id=name,
        title=title,
        build=partial(machines, components=components, name=name),
        sensing_costs=(INSPECT_COST,) if components == 1 else (INSPECT_COST, joint),
        source="MKrale/Tighter_Informed_Bound K-out-of-N; Krale et al. 2025",
        size=(4**components, 2**components),
        digits=4,
    )


def k_out_of_n(components: int = 2) -> Problem:
    """Any number of components; each multiplies the states by four."""
    if components not in range(1, 7):
        raise ValueError(f"components is {components!r}; expected a whole number from 1 to 6")
    return _problem(f"k-out-of-n-{components}", f"{components} machines", components)


PROBLEMS = [
    _problem("machine-repair", "Machine repair", 1),
    k_out_of_n(2),
    k_out_of_n(3),
]
