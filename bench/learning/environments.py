"""Every problem of the benchmark as a registered Gymnasium environment.

::

    import gymnasium, bench.learning
    env = gymnasium.make("sensebench/taxi-v0", sensing_cost=1.0, horizon=200)

Ids are ``sensebench/PROBLEM-v0``; the characters that Gymnasium does not allow in a name are
written as ``-``.  ``gymnasium.make("bench.learning:sensebench/taxi-v0")`` needs no
import of its own.  Keywords: ``sensing_cost`` (the problem's default when left out) and those of
:class:`solvers.learning.SensingEnv`.
"""

from __future__ import annotations

import re
from typing import Any

import gymnasium

from bench.problems import load_problem, problems
from solvers.core.sensing_cost import SensingCost
from solvers.learning import SensingEnv, SensingVectorEnv

NAMESPACE = "sensebench"


def environment_id(problem_id: str) -> str:
    """The id that Gymnasium knows a problem by."""
    return f"{NAMESPACE}/{re.sub(r'[^A-Za-z0-9_-]', '-', problem_id)}-v0"


def make_environment(
    problem_id: str, sensing_cost: SensingCost | None = None, **options: Any
) -> SensingEnv:
    """The environment of one problem id, which may carry settings (``ID@horizon=50``)."""
    return SensingEnv(load_problem(problem_id, sensing_cost), **options)


def make_vector_environment(
    problem_id: str, num_envs: int = 1, sensing_cost: SensingCost | None = None, **options: Any
) -> SensingVectorEnv:
    """Many episodes of one problem side by side: ``gymnasium.make_vec`` comes here."""
    return SensingVectorEnv(load_problem(problem_id, sensing_cost), num_envs, **options)


def register_environments() -> list[str]:
    """Register every problem known now; returns the ids."""
    ids = []
    for problem_id in problems():
        name = environment_id(problem_id)
        ids.append(name)
        if name in gymnasium.registry:
            continue
        gymnasium.register(
            name,
            entry_point=f"{__name__}:make_environment",
            vector_entry_point=f"{__name__}:make_vector_environment",
            disable_env_checker=True,
            kwargs={"problem_id": problem_id},
        )
    return ids


register_environments()
