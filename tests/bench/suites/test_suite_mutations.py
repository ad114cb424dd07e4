"""No text makes the reading of suites crash, or mean another suite than the file says."""

import itertools
import random
import re
import tomllib

import numpy as np
import pytest

from bench.problems import find_problem
from bench.suites.suite import SuiteError, load_suite
from solvers import solver_classes

MANY = 800
"""Mutations tried here; the slow test tries 5,000."""
TEXT = """
title = "Mine"
description = "A suite of everything."
budget = 5
threads = 2
memory_mb = 900
seeds = [3, 5]
[[problem]]
id = "two-state"
sensing_costs = [0.25, 1, [0.1, 0.3]]
[[problem]]
id = "inventory"
[[problem]]
id = "two-state-b"
sensing_costs = { from = 0.01, to = 1.0, count = 3 }
[[solver]]
id = "spi"
label = "SPI from {init}, {max_steps}"
only_problems = ["two-*", "inventory"]
budget = 7.5
[solver.each]
max_steps = [5, 9]
init = ["blind", "best"]
[[solver]]
id = "truncation"
options = { depth = 4 }
[[solver]]
id = "pomcp"
only_problems = ["inventory"]
"""
WORDS = (
    *("budget", "=", "5", "0.5", "-1", "inf", "nan", "true", "[]", "{}", '""', '"spi"', '"two-b"'),
    *("[[solver]]", "[[problem]]", "[solver.each]", "id", "seed = 1", "label", "{", "}", "[", "]"),
    *('"{depth}"', "depth = 3", '"inventory"', "1e400", "9" * 30, "2.0", "#", '"""', "\n", "each"),
)


def mutated(text, rng):
    """One to three pieces cut, doubled, swapped or replaced; now and then a single letter."""
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        if rng.random() < 0.3:
            at = rng.randrange(len(text))
            text = text[:at] + rng.choice("0123456789.,-=[]{}\"'#\n x") + text[at + 1 :]
            continue
        pieces = re.split(r"(\s+|[\[\]{},])", text)
        at = rng.randrange(len(pieces))
        pieces[at] = rng.choice(["", pieces[at] * 2, rng.choice(pieces), rng.choice(WORDS)])
        text = "".join(pieces)
    return text


def costs_of(entry):
    """The sensing costs that a ``[[problem]]`` asks for, as nested tuples of numbers."""
    asked = entry.get("sensing_costs", list(find_problem(entry["id"]).sensing_costs))
    if isinstance(asked, dict):
        assert set(asked) == {"from", "to", "count"}
        asked = [
            float(f"{k:.3g}") for k in np.geomspace(asked["from"], asked["to"], asked["count"])
        ]
    return [tuple(np.ravel(k).tolist()) for k in asked]


def meaning(text):
    """The cells that a suite's text asks for, by a reading that shares nothing but TOML itself."""
    said = tomllib.loads(text)
    known = {"title", "description", "budget", "threads", "memory_mb", "seeds", "files"}
    assert set(said) <= known | {"problem", "solver"}, "an unknown key was passed over"
    assert all(set(p) <= {"id", "sensing_costs"} for p in said["problem"])
    keys = {"id", "label", "options", "each", "budget", "only_problems"}
    assert all(set(s) <= keys for s in said["solver"])
    cells = []
    for solver in said["solver"]:
        defaults = solver_classes()[solver["id"]].options()
        each = solver.get("each", {})
        for chosen in itertools.product(*each.values()):
            options = {**solver.get("options", {}), **dict(zip(each, chosen, strict=True))}
            assert set(options) <= set(defaults) - {"seed"}
            label = solver.get("label", solver["id"])
            for name, value in {**defaults, **options}.items():
                label = label.replace("{" + name + "}", str(value))
            for problem in said["problem"]:
                patterns = solver.get("only_problems", ["*"])
                if not any(re.fullmatch(p.replace("*", ".*"), problem["id"]) for p in patterns):
                    continue
                seeds = said.get("seeds", [0])
                for k in costs_of(problem):
                    for seed in seeds if "seed" in defaults else seeds[:1]:
                        budget = solver.get("budget", said.get("budget", 60))
                        limits = (
                            float(budget),
                            said.get("threads", 1),
                            said.get("memory_mb", 4096),
                        )
                        cells.append(
                            (problem["id"], k, solver["id"], options, label, seed, *limits)
                        )
    return cells


def loaded(path):
    """The cells of a suite as it was loaded, in the same form."""
    return [
        (
            *(c.problem, tuple(np.ravel(c.cost()).tolist()), c.solver, dict(c.options), c.label),
            *(c.seed, c.budget, c.threads, c.memory_mb),
        )
        for c in load_suite(path).cells()
    ]


def tally(path, seeds):
    """How many mutated files were loaded and how many refused; anything else is an error."""
    read = refused = 0
    for seed in seeds:
        text = mutated(TEXT, random.Random(seed))
        path.write_text(text)
        try:
            found = loaded(str(path))
        except SuiteError as error:
            assert all(line.startswith(str(path)) for line in str(error).splitlines())
            refused += 1
            continue
        assert found == meaning(text), f"seed {seed}: another suite was loaded"
        read += 1
    return read, refused


def test_the_text_itself_means_what_it_says(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(TEXT)
    assert len(loaded(str(path))) == len(meaning(TEXT)) == 4 * 8 + 8 + 2 * 2
    assert loaded(str(path)) == meaning(TEXT)


def test_mutated_suite_files_are_refused_or_mean_what_they_say(tmp_path):
    read, refused = tally(tmp_path / "mine.toml", range(MANY))
    assert read > MANY / 10 and refused > MANY / 3


@pytest.mark.slow
def test_five_thousand_mutations(tmp_path):
    read, refused = tally(tmp_path / "mine.toml", range(5000))
    print(f"{read} files loaded as they are, {refused} refused")
    assert read + refused == 5000
