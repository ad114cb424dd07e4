"""Writing down the plans that a deterministic policy follows.

A plan is a string of actions that ends in a look or goes on blind, repeating its last action for
good.  A policy that stays blind in another way, going round in a cycle of actions, is written for
as long as it counts: until all that can still be paid is below ``NEGLIGIBLE`` of what the root has
paid.  A plan that is too long for that is none: cut, it would be another plan.
"""

from __future__ import annotations

import numpy as np

from solvers.core.blind_moves import most_cost
from solvers.core.model import SensingMDP
from solvers.core.plan import Follows, Plan, PolicyError
from solvers.core.unrolling import NEGLIGIBLE, Walker, walks

MOST_WRITTEN = 100_000
"""Actions of a plan that are written out at most."""


def unroll_plans(
    problem: SensingMDP, policy: Follows, roots: np.ndarray, limit: int | None = None
) -> list[Plan]:
    """The plans that a deterministic policy follows from many roots (n,), side by side.

    limit : a plan that has not ended by then is cut after this many actions; when left out, one of
    more than MOST_WRITTEN actions is refused
    """
    refuse, limit = limit is None, MOST_WRITTEN if limit is None else limit
    actions: dict[int, list[int]] = {int(root): [] for root in roots}
    senses, paid = dict.fromkeys(actions, False), dict.fromkeys(actions, 0.0)
    live = np.array([root for root in actions if not problem.terminal[root]], int)
    going_on = set(live.tolist())
    for step in walks(problem, policy, live, Walker(problem, policy, longest=limit)):
        for i, root in enumerate(step.roots.tolist()):
            if step.period[i]:
                if _write_cycle(problem, actions[root], int(step.period[i]), paid[root], limit):
                    going_on.remove(root)
                continue
            actions[root].extend([int(step.actions[i])] * min(int(step.span[i]), limit))
            senses[root] |= bool(step.looks[i])
            paid[root] += problem.discount**step.depth * float(step.costs[1][i])
            if step.ends[i] and not step.cut[i]:
                going_on.remove(root)
    if refuse and going_on:
        root = min(going_on)
        raise PolicyError(
            f"the plan of state {problem.state_names[root]} is too long to be written: after "
            f"{len(actions[root])} actions it has not ended"
        )
    return [Plan(tuple(actions[int(r)][:limit]), senses[int(r)]).shortest() for r in roots]


def _write_cycle(
    problem: SensingMDP, actions: list[int], period: int, paid: float, limit: int
) -> bool:
    """Write the last ``period`` actions again and again, for as long as they count; False if the
    limit comes first."""
    cycle, alpha = actions[-period:], problem.discount
    if len(set(cycle)) == 1 or alpha == 1:  # without a discount, only where all is over
        return True
    most, enough = most_cost(problem), NEGLIGIBLE * max(paid, problem.cost_floor)
    while alpha ** len(actions) * most > enough:
        if len(actions) >= limit:
            return False
        actions.extend(cycle)
    return True
