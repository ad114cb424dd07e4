"""Controllers: a plain loop earns what the exact evaluator says; the JSON needs nothing of ours."""

import json
import random
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from bench import load_problem
from solvers import Plan, PlanPolicy, load_controller, solve
from solvers.core.controller import ControllerError, runs_of

PAGE = Path(__file__).parents[3] / "docs" / "advise.md"
SCRIPT = re.compile(r"```python\n(import json, random, sys.*?)```", re.DOTALL)
READER = SCRIPT.search(PAGE.read_text("utf-8")).group(1)
"""The script of the page, as it stands there."""


def run(model, control, episodes, seed):
    """Costs of episodes in which nothing but the controller decides."""
    draw = random.Random(seed)
    T = [matrix.toarray().tolist() for matrix in model.transitions]
    starts, chances = zip(*control.start, strict=True)
    found = []
    for _ in range(episodes):
        state = draw.choices(starts, chances)[0]
        control.see(int(state))
        total, discount = 0.0, 1.0
        while discount > 1e-6 and state not in control.terminal:
            action, look = control.act()
            k = model.sensing_costs()[state, action]
            total += discount * (model.costs[state, action] + look * k)
            state = draw.choices(range(model.num_states), T[action][state])[0]
            discount *= model.discount
            if look:
                control.see(state)
        found.append(total)
    return np.array(found)


@pytest.mark.parametrize(
    ("problem_id", "k", "solver"),
    [("inventory", 0.2, "spi"), ("measuring-value", 0.05, "spi"), ("machine-repair", 0.05, "atm")],
)
def test_a_plain_loop_earns_the_exact_value(problem_id, k, solver):
    model = load_problem(problem_id, k)
    found = solve(model, solver)
    costs = run(model, found.policy.controller(), 400, seed=3)
    error = costs.std() / np.sqrt(len(costs))
    assert abs(costs.mean() - found.value) <= 4 * error + 1e-5


def test_its_file_is_run_by_a_script_that_has_nothing_of_ours(tmp_path):
    model = load_problem("frozen-lake-4x4", 0.01)
    found = solve(model, "spi")
    path = found.policy.controller().save(tmp_path / "lake.json")
    plain = {
        "T": [matrix.toarray().tolist() for matrix in model.transitions],
        "costs": model.costs.tolist(),
        "k": model.sensing_cost,
        "discount": model.discount,
    }
    (tmp_path / "model.json").write_text(json.dumps(plain))
    (tmp_path / "reader.py").write_text(READER)
    command = [sys.executable, "-I", "reader.py", str(path), "model.json", "1500"]
    told = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    mean, error = map(float, told.stdout.split())
    assert abs(mean - found.value) <= 4 * error
    assert len(READER.strip().splitlines()) <= 22 and "solvers" not in READER


def test_it_comes_back_from_its_file_and_follows_runs(tmp_path):
    model = load_problem("two-state", 0.25)
    policy = PlanPolicy(model, [Plan((0, 0, 1), True), Plan((1, 0), False)])
    control = load_controller(policy.controller().save(tmp_path / "two.json"))
    control.see(0)
    assert [control.act() for _ in range(3)] == [(0, False), (0, False), (1, True)]
    with pytest.raises(ControllerError, match="call see"):
        control.act()
    control.see("1")
    assert [control.act() for _ in range(4)] == [(1, False), (0, False), (0, False), (0, False)]
    with pytest.raises(ControllerError, match="no state 'nowhere'"):
        control.see("nowhere")
    (tmp_path / "wrong.json").write_text('{"format": "other"}')
    with pytest.raises(ControllerError, match="not a controller"):
        load_controller(tmp_path / "wrong.json")
    assert runs_of((2, 2, 1)) == [[2, 2], [1, 1]] and runs_of(()) == []
