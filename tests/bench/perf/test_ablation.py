"""What is taken out of DIPS is really out, and nothing but that."""

import json
import subprocess
import sys

import pytest

from bench.cli import main
from bench.perf import ablation
from solvers import solve

ALONE = """
import json, sys
from bench.perf import ablation
from solvers import solve
ablation.PARTS[sys.argv[1]]()
found = solve(ablation.four_states(), "dips", budget=3)
print(json.dumps({**found.info, "value": found.value, "gap": found.gap}))
"""


def without(part):
    command = [sys.executable, "-c", ALONE, part]
    return json.loads(subprocess.run(command, capture_output=True, check=True).stdout)


@pytest.mark.parametrize("part", list(ablation.PARTS))
def test_a_part_is_out_and_bounds_still_hold(part):
    optimum = -(0.8 * 0.9999 - 0.15) / (1 - 0.2 * 0.9999**2)
    found = without(part)
    assert found["value"] >= optimum - 1e-9
    assert found["value"] - found["gap"] * abs(found["value"]) <= optimum + 1e-9
    if part == "without merging and loops":
        assert found["dropped"] == 0
    elif part == "without deepening (n = 1)":
        assert found["depth"] == 1
    elif part == "without leaps":
        assert found["leaps"] == 0
    elif part == "all of it":
        assert found["dropped"] > 0
        assert found["gap"] <= 1e-6


def test_this_process_is_left_as_it_was():
    assert solve(ablation.four_states(), "dips", budget=20).info["dropped"] > 0


def test_the_table_says_seconds_or_the_gap_that_is_left(tmp_path, monkeypatch, capsys):
    line = {name: {"seconds": 0.5, "gap": 0.0} for name in ablation.PROBLEMS}
    line["Taxi, k = 1"] = {"seconds": 20.0, "gap": 0.0123}
    monkeypatch.setattr(ablation, "measured_alone", lambda part: line)
    assert main(["perf", "ablation", "--results", str(tmp_path)]) == 0
    text = capsys.readouterr().out
    assert "| all of it | 0.50 | 0.50 | 1.2 % |" in text
    kept = json.loads((tmp_path / "perf" / "ablation.json").read_text())
    assert list(kept["lines"]) == list(ablation.PARTS)


def test_a_line_that_fails_says_which():
    with pytest.raises(RuntimeError, match="no such part"):
        ablation.measured_alone("no such part")
