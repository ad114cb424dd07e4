"""``sensebench perf budgets``: whether planning ends when its budget does, and evaluation soon.

Every solver is run on every instance of Table 1 and on a random 40 × 40 lake, with a budget of 1 s,
each in a process of its own.  Those that used the budget up are run again with 5 and then 20 s.
A solver may take 1.1 × its budget + 0.5 s.  What is judged is CPU time: budgets are counted by the
clock, so on a machine shared with others planning has less CPU time than its budget, and one that
is over it there is over it anywhere.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from bench.perf.perf import TABLE_ONE, say
from bench.problems import load_problem, problems
from bench.run.environment import describe
from bench.run.supervise import THREAD_VARIABLES
from bench.store.files import write_json
from solvers import Budget, SensingMDP
from solvers.core.budget import SolverError
from solvers.core.solver import complete, make_solver, solver_classes

BUDGETS = (1.0, 5.0, 20.0)
EVALUATION = 2.0
"""CPU seconds that evaluating a row may take."""
LAKE = "lake-40x40"
LAKE_COST = 0.01


def allowed(budget: float) -> float:
    """Planning seconds that count as within a budget."""
    return 1.1 * budget + 0.5


def main(args: argparse.Namespace) -> int:
    """Measure, print what is over, and write ``results/perf/budgets.json``."""
    out = Path(getattr(args, "results", None) or "results") / "perf" / "budgets.json"
    out.parent.mkdir(parents=True, exist_ok=True)
    rows: list[dict[str, Any]] = []
    for problem, k in instances():
        for name in solvers_here():
            for budget in BUDGETS:
                row = run_alone(name, problem, k, budget)
                rows.append(row)
                if row.get("status") != "budget":
                    break
            say(line(rows[-1]))
        write_json(out, {"rows": rows, "environment": describe(jobs=1)}, indent=1)
    over = [row for row in rows if row["over"]]
    say(f"\n{len(rows)} runs, {len(over)} over; written to {out}")
    return 1 if over else 0


def instances() -> list[tuple[str, float]]:
    """The instances of Table 1, and the lake: problem id and sensing cost."""
    table = [(name, float(k)) for name in TABLE_ONE for k in problems()[name].sensing_costs]
    return [*table, (LAKE, LAKE_COST)]


def solvers_here() -> list[str]:
    """The solvers that plan in Python."""
    return [name for name in solver_classes() if not name.startswith("julia")]


def line(row: dict[str, Any]) -> str:
    """One run in words."""
    what = f"{row['solver']}, {row['problem']}, k = {row['k']:g}, {row['budget']:g} s"
    if "failed" in row:
        return f"{what}: {row['failed']}"
    over = "  OVER" if row["over"] else ""
    return f"{what}: planned {row['planning']:.2f} s, evaluated {row['evaluation']:.2f} s{over}"


def run_alone(name: str, problem: str, k: float, budget: float) -> dict[str, Any]:
    """One run in a process of its own, with one thread."""
    command = [sys.executable, "-m", __name__, name, problem, str(k), str(budget)]
    one_thread = {**os.environ, **dict.fromkeys(THREAD_VARIABLES, "1")}
    row: dict[str, Any] = {"solver": name, "problem": problem, "k": k, "budget": budget}
    done = subprocess.run(command, capture_output=True, text=True, env=one_thread, check=False)
    if done.returncode:
        return {**row, "failed": done.stderr.strip().splitlines()[-1:], "over": True}
    return {**row, **json.loads(done.stdout)}


def load(problem: str, k: float) -> SensingMDP:
    """An instance; the lake is drawn as ``perf`` draws its lakes."""
    if problem != LAKE:
        return load_problem(problem, k)
    from gymnasium.envs.toy_text.frozen_lake import generate_random_map

    from bench.problems.frozen_lake import lake

    return lake(tuple(generate_random_map(size=40, p=0.9, seed=0)), k, name=LAKE)


def measure(name: str, problem: SensingMDP, budget: float) -> dict[str, Any]:
    """CPU seconds of planning and of evaluating, compiling not counted."""
    method = make_solver(name)
    reason = method.supports(problem)
    if reason is not None:
        return {"failed": reason, "over": False}
    getattr(method, "warm_up", lambda: None)()
    began = time.process_time()
    try:
        found = method.solve(problem, Budget(budget))
    except SolverError as refusal:  # said before the memory or time was taken
        return {"failed": str(refusal), "over": False}
    planning = time.process_time() - began
    complete(found, problem, name, planning)
    evaluation = time.process_time() - began - planning
    over = planning > allowed(budget) or evaluation > EVALUATION
    times = {"planning": planning, "evaluation": evaluation}
    return {**times, "status": found.status, "over": over}


if __name__ == "__main__":
    solver, instance, cost, seconds = sys.argv[1:]
    print(json.dumps(measure(solver, load(instance, float(cost)), float(seconds))))
