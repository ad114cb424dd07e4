"""One run of one learner in a process of its own: ``python -m bench.learning.one_run``.

A task (:mod:`bench.run.task`): it is given its run as JSON and answers with a line per checkpoint
and a last one with ``"end": true``.  Given ``"optimum": seconds`` in place of a learner
it answers with what is proven of the problem's optimum.

A checkpoint says, in costs as everywhere inside:

    step, looks          environment steps and looks so far
    value                exact cost of the greedy policy from the start
    rate                 share of (discounted) steps at which the greedy policy looks
    returns, episodes    mean return of training episodes since the last checkpoint, how many
    seconds              processor seconds of the learner so far
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from bench.problems import load_problem
from bench.run.task import answer
from pomdp_bridge.process.child import peak_memory_mb
from solvers import PlanPolicy, evaluate_fully, solve
from solvers.learning import SensingEnv, load_learner_file, make_learner, task_of, train

LAST = 0.1
"""The share of the episodes, at the end, whose mean return papers report."""


def run(spec: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The lines of one run."""
    for file in spec.get("files", ()):
        load_learner_file(file)
    problem = load_problem(spec["problem"], spec["sensing_cost"])
    env = SensingEnv(problem, horizon=spec["horizon"])
    task = task_of(env, spec["steps"], spec["max_return"])
    learner = make_learner(spec["learner"], **spec["options"])
    all_returns: list[np.ndarray] = []
    for at in train(
        env,
        learner,
        task,
        spec["checkpoints"],
        seed=spec["seed"],
        max_looks=spec["max_looks"],
        discounted=spec["discounted_returns"],
    ):
        exact = evaluate_fully(problem, PlanPolicy(problem, at.plans))
        all_returns.append(at.returns)
        yield {
            "step": at.step,
            "looks": at.looks,
            "value": float(problem.start @ exact.values),
            "rate": exact.sensing_rate(problem.start),
            "returns": float(at.returns.mean()) if len(at.returns) else None,
            "episodes": len(at.returns),
            "seconds": at.seconds,
        }
    returns = np.concatenate(all_returns)
    last = returns[-max(1, int(LAST * len(returns))) :]
    yield {
        "end": True,
        "last_returns": float(last.mean()) if len(last) else None,
        "last_episodes": len(last),
        "peak_mb": peak_memory_mb(),
    }


def optimum(spec: Mapping[str, Any]) -> dict[str, Any]:
    """What is proven of the problem's optimal cost: a policy's exact value and a lower bound."""
    problem = load_problem(spec["problem"], spec["sensing_cost"])
    found = solve(problem, "dips", budget=spec["optimum"])
    return {"end": True, "value": found.value, "lower": found.lower}


def lines_of(spec: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """What a run, or a search for an optimum, has to say."""
    if "optimum" in spec:
        yield optimum(spec)
    else:
        yield from run(spec)


if __name__ == "__main__":
    answer(lines_of)
