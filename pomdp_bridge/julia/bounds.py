"""Which of a POMDP solver's bounds may be believed, and as what.

An upper bound on the reward of a POMDP is minus a lower bound on our cost, at a root if it holds
at the belief that is certain of that state.  Two cases:

*FIB.*  FIB.jl climbs to its fixed point from 0, so for positive rewards what it returns is below
the fixed point, and no bound.  But the fixed point is no further away than
``‖Hα − α‖ / (1 − discount)``, and with the structure one application of H is cheap, so the bound is
repaired here instead of believed.

*SARSOP.*  Its bound is as good as the one it starts from.  Stock NativeSARSOP starts from a FIB
that begins at 0 and is cut after a second: not a bound.  Where such figures contradict themselves
or the exact value of the policy, the result is marked.
"""

from __future__ import annotations

import numpy as np

from pomdp_bridge.export import REVEALED
from pomdp_bridge.julia.bridge import Answer
from solvers.core.evaluation import evaluate
from solvers.core.model import SensingMDP
from solvers.core.policy import AlphaVectorPolicy

CROSSED = "bounds cross: not trusted"
SLACK = 1e-9
"""Rounding of a bound, as a share of the cost scale."""


def fib_backup(problem: SensingMDP, alphas: np.ndarray) -> np.ndarray:
    """One round of the Fast Informed Bound in costs: (2A, S) -> (2A, S), blind actions first."""
    gamma, k = problem.discount, problem.sensing_costs()
    best = alphas.min(axis=0)
    blind, look = [], []
    for a, T in enumerate(problem.transitions):
        after = (T @ alphas.T).min(axis=1)
        blind.append(problem.costs[:, a] + gamma * after)
        look.append(problem.costs[:, a] + k[:, a] + gamma * (T @ best))
    return np.array(blind + look)


def fib_lower_bound(problem: SensingMDP, policy: AlphaVectorPolicy) -> tuple[np.ndarray, float]:
    """Proven lower bound (S,) from a FIB's vectors, converged or not, and their residual."""
    order = np.argsort(policy.actions + problem.num_actions * policy.senses)
    alphas = policy.alphas[order]
    residual = float(np.abs(fib_backup(problem, alphas) - alphas).max())
    bound = alphas.min(axis=0) - residual / (1 - problem.discount) - _slack(problem)
    bound[problem.terminal] = 0.0
    return bound, residual


def sarsop_bounds(
    problem: SensingMDP,
    policy: AlphaVectorPolicy,
    answer: Answer,
    start: str,
    reward_scale: float,
    *,
    proven: bool,
) -> tuple[np.ndarray | None, list[tuple[float, float, float]], dict]:
    """Lower bound on the cost (S,) if it is proven, the trace, and what to note.

    The solver's own root bounds are kept in ``info`` as costs under start.  For a start that is
    spread they are bounds for an agent that does not know where it begins, not for ours.
    """
    unit = reward_scale * (problem.discount if start == REVEALED else 1.0)
    # In costs the two change places: minus the upper bound on the reward is the lower one.
    lower = -float(answer.numbers["root_upper"]) / unit
    upper = -float(answer.numbers["root_lower"]) / unit
    roots = -answer.arrays["upper"][: problem.num_states] / reward_scale - _slack(problem)
    roots[problem.terminal] = 0.0
    exact = float(problem.start @ evaluate(problem, policy))
    ours = start == REVEALED or problem.start.max() == 1.0
    info = {"root_lower": lower, "root_upper": upper, "beliefs": answer.numbers["nodes"]}
    slack = max(1e-9 * abs(exact), _slack(problem))
    best = max(lower, float(problem.start @ roots)) if ours else float(problem.start @ roots)
    crossed = lower > upper + slack or best > exact + slack
    if crossed:
        info["note"] = CROSSED
    if not proven or crossed:
        return None, [], info
    if problem.start.max() == 1.0:
        root = int(problem.start.argmax())
        roots[root] = max(roots[root], lower - _slack(problem))
    trace = [(float(answer.numbers["seconds"]), float(problem.start @ roots), exact)]
    return roots, trace, info


def _slack(problem: SensingMDP) -> float:
    scale = float(np.abs(problem.costs).max()) + problem.max_sensing_cost
    return SLACK * scale / (1 - problem.discount)
