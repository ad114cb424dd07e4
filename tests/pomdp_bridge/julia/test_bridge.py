"""Calls with a stand-in for juliacall: answers, limits, failures and what is left behind."""

import os
import time
from pathlib import Path

import numpy as np
import psutil
import pytest

from pomdp_bridge.julia.bridge import Call, call_julia
from pomdp_bridge.julia.errors import BridgeError
from pomdp_bridge.julia.solver_file import SolverFile
from pomdp_bridge.process.status import CRASHED, FAILED, MEMORY, TIMEOUT
from solvers import SensingMDP
from tests.pomdp_bridge.stand_ins import complete_manifest, prepared

STAND_IN = Path(__file__).parent / "stand_in"
ROOT = Path(__file__).parents[3]


@pytest.fixture
def julia(bare, monkeypatch):
    prepared(monkeypatch, bare, packages=complete_manifest())
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(STAND_IN), str(ROOT)]))
    monkeypatch.setenv("SENSEBENCH_JULIA_LOGS", str(bare / "logs"))


def ask(name="good.jl", **options):
    problem = SensingMDP.from_arrays([np.eye(2)], [[1.0], [2.0]], 0.5, 0.1)
    return call_julia(problem, Call(SolverFile(f"/there/{name}"), **{"budget": 1.0, **options}))


def family():
    return psutil.Process().children(recursive=True)


def test_an_answer_comes_back_and_bad_manners_end_in_one_line(julia):
    answer = ask()
    np.testing.assert_array_equal(answer.arrays["alphas"], [[1.0, 2.0]])
    assert answer.numbers["seconds"] == 0.5 and answer.peak_memory_mb > 5
    for name, kind, text in (
        ("throw.jl", FAILED, "throw.jl, line 3: no luck"),
        ("crash.jl", CRASHED, "segmentation fault, while planning"),
        ("sleep.jl", TIMEOUT, "timeout after"),
        ("grow.jl", MEMORY, "out of memory"),
    ):
        with pytest.raises(BridgeError, match=text) as caught:
            ask(name, budget=-3.0 if name == "sleep.jl" else 60.0, memory_gb=0.3)
        assert (caught.value.kind, caught.value.stage) == (kind, "planning"), name
        assert "\n" not in str(caught.value)
    assert len(ask().arrays["alphas"]) == 1  # the next one runs
    deadline = time.monotonic() + 10
    while any("julia" in " ".join(p.cmdline()) for p in family()) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not [p for p in family() if "pomdp_bridge.julia" in " ".join(p.cmdline())]
