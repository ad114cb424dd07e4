"""Does a learner file conform?  ``sensebench check FILE`` comes here for files of learners.

The learner is trained as in a suite, in a process of its own under hard limits, on three small
problems: one that never ends, one whose end is seen and one whose end only a look shows.  Its plans
must be policies, the same run must repeat, and no policy may be better than the proven optimum.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path

from bench.learning.runner import FAILED, Job, run_job
from bench.problems import load_problem
from solvers import solve
from solvers.core.solver import import_file
from solvers.learning import Learner
from solvers.learning.learner import learner_classes, learners_in

NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
PROBLEMS = ("two-state", "measuring-value@horizon=none,discount=none", "frozen-lake-4x4")
STEPS, CHECKPOINTS, HORIZON = 400, (50, 400), 100
SECONDS, MEMORY_MB = 600.0, 4096
TOLERANCE = 1e-9


def defines_learners(path: Path) -> bool:
    """Whether a file's own classes are learners; a file that cannot be loaded is not ours."""
    try:
        return bool(learners_in(import_file(path)))
    except Exception:  # whoever checks it next will say what is wrong
        return False


def check_learner_file(path: Path) -> int:
    """Check a file and print what passes and what fails; 0 if it conforms, else 1."""
    print(f"checking {path}")
    failed = total = 0
    for what, wrong in examine(path):
        total += 1
        failed += wrong is not None
        mark, reason = ("ok  ", "") if wrong is None else ("FAIL", f": {wrong}")
        print(f"  {mark}  {what}{reason}")
    print("it conforms" if not failed else f"it does not conform: {failed} of {total} failed")
    return 1 if failed else 0


def examine(path: Path) -> Iterator[tuple[str, str | None]]:
    """Pairs of what is checked and what is wrong with it, None if nothing is."""
    found = learners_in(import_file(path))
    names = ", ".join(cls.name for cls in found)
    yield "it has one learner", None if len(found) == 1 else f"it has several: {names}"
    for cls in found:
        form = list(_form(cls, path))
        yield from form
        sound = all(wrong is None for _, wrong in form)
        for problem in PROBLEMS:
            if not sound:  # what fails on one problem fails on the next
                break
            for what, wrong in _behaviour(cls.name, path, problem):
                yield what, wrong
                sound &= wrong is None


def _form(cls: type[Learner], path: Path) -> Iterator[tuple[str, str | None]]:
    right = isinstance(cls.name, str) and NAME.fullmatch(cls.name)
    wrong = None if right else f"{cls.name!r}; expected small letters, digits and single hyphens"
    if right and cls.name in learner_classes():
        wrong = f"{cls.name} is the name of another learner; choose another"
    yield f"its name, {cls.name}, is well-formed and free", wrong
    wrong = None
    if vars(cls).get("__annotations__") and not is_dataclass(cls):
        wrong = "options are annotated, but the class lacks @dataclass"
    elif is_dataclass(cls):
        none = (MISSING, MISSING)
        bare = [f.name for f in fields(cls) if (f.default, f.default_factory) == none]
        wrong = f"no default for: {', '.join(bare)}" if bare else None
    yield "its options have defaults", wrong


def _behaviour(name: str, path: Path, problem_id: str) -> Iterator[tuple[str, str | None]]:
    problem = load_problem(problem_id)
    spec = {
        "problem": problem_id,
        "sensing_cost": float(problem.max_sensing_cost),
        "horizon": HORIZON,
        "steps": STEPS,
        "max_return": 1.0,
        "max_looks": None,
        "discounted_returns": False,
        "checkpoints": list(CHECKPOINTS),
        "learner": name,
        "options": {},
        "seed": 0,
        "files": [str(path.resolve())],
    }
    job = Job("run", f"check {name}", spec, SECONDS, MEMORY_MB, "check")
    short = problem_id.partition("@")[0]
    one = run_job(job)
    yield f"on {short} it learns, and its plans are a policy", one[-1].get(FAILED)
    if FAILED in one[-1]:
        return
    lower = solve(problem, "dips", budget=5.0).lower
    best = min(line["value"] for line in one[:-1])
    wrong = (
        None if best >= lower - TOLERANCE else f"its cost is {best:.8g}; none is below {lower:.8g}"
    )
    yield f"on {short} its policy is not better than the optimum", wrong
    same = [_without_times(line) for line in one] == [_without_times(line) for line in run_job(job)]
    wrong = None if same else "two runs of one seed differ; take all chance from the rng of begin"
    yield f"on {short} a seed repeats", wrong


def _without_times(line: dict) -> dict:
    return {k: v for k, v in line.items() if k not in ("seconds", "peak_mb")}
