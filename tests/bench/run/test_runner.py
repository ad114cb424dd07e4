"""The runner: failures are rows, a killed run goes on where it was, two runs share the work."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest

from bench.cli import main
from bench.store import result, status
from bench.store.store import Store

LITTLE = Path(__file__).parents[1] / "little_solvers.py"
NAN_REASON = "invalid: values is not a number (NaN) at state 0 in stock"
PROBLEMS = """
[[problem]]
id = "two-state"
sensing_costs = [0.25, 0.01]
[[problem]]
id = "inventory"
sensing_costs = [0.2]
"""


def write_suite(folder, solvers, settings="budget = 20"):
    path = folder / "tiny.toml"
    path.write_text(f"{settings}\nfiles = [{str(LITTLE)!r}]\n{PROBLEMS}\n{solvers}")
    return path


def one(solver, **keys):
    lines = [f"{k} = {v}" for k, v in keys.items()]
    return "\n".join(["[[solver]]", f'id = "{solver}"', *lines]) + "\n"


def run(path, results, *more):
    return main(["run", str(path), "--results", str(results), "--jobs", "2", *more])


def stored(results):
    return Store(results, "tiny").read()


def timeless(results):
    """What two runs of the same suite must have in common."""
    varying = {*result.TIMES, "peak_memory_mb", "clone", "finished"}
    kept = [row.model_dump(exclude=varying) for row in stored(results)]
    return sorted(kept, key=lambda row: row["key"])


def test_five_bad_cells_are_five_rows_with_their_reasons(tmp_path):
    bad = ["sleeps", "allocates", "segfaults", "returns-nan", "no-policy"]
    text = "".join(one(s, only_problems='["inventory"]') for s in [*bad, "first-action"])
    path = write_suite(tmp_path, text, "budget = 0.5\nmemory_mb = 400")
    assert run(path, tmp_path / "out") == 1
    assert run(path, tmp_path / "out", "--keep-going") == 0
    found = {row.solver: (row.status, row.reason) for row in stored(tmp_path / "out")}
    assert found == {
        "sleeps": (status.TIMEOUT, "timeout 0.5 s: still planning after 5.625 s"),
        "allocates": (status.MEMORY, "out of memory: more than 400 MiB"),
        "segfaults": (status.CRASHED, "segmentation fault"),
        "returns-nan": (status.INVALID, NAN_REASON),
        "no-policy": (status.INVALID, "invalid: the policy is a dict; expected solvers.Policy"),
        "first-action": (status.OK, ""),
    }


def test_an_error_is_one_line_and_a_refusal_is_skipped(tmp_path):
    text = "".join(one(s, only_problems='["inventory"]') for s in ["raises", "refuses"])
    run(write_suite(tmp_path, text), tmp_path / "out")
    found = {row.solver: (row.status, row.reason) for row in stored(tmp_path / "out")}
    assert found["raises"] == (status.FAILED, "failed: RuntimeError: no luck today")
    assert found["refuses"] == (status.SKIPPED, "skipped: too cold")
    (key,) = [row.key for row in stored(tmp_path / "out") if row.solver == "raises"]
    log = (tmp_path / "out" / "tiny" / "logs" / f"{key}.log").read_text()
    assert "Traceback" in log and 'raise RuntimeError("no luck' in log


def test_a_run_says_what_was_done_before_and_counts_from_one(tmp_path, capsys):
    path, out = write_suite(tmp_path, one("first-action")), tmp_path / "out"
    run(path, out, "--only", "*/inventory")
    told = capsys.readouterr().err.splitlines()
    assert told[0].startswith("1 cell: 0 done before") and told[0].endswith("to do: 1 new")
    assert told[1].startswith("[1/1] ")
    run(path, out)
    told = capsys.readouterr().err.splitlines()
    assert told[0].startswith("3 cells: 1 done before") and told[0].endswith("to do: 2 new")
    assert [line[:5] for line in told[1:]] == ["[1/2]", "[2/2]"]
    run(path, out, "--budget", "10")
    assert "3 again because their code, model or settings changed" in capsys.readouterr().err


def test_what_is_done_is_not_done_again_and_rerun_does_it_again(tmp_path):
    text = one("first-action") + one("raises", only_problems='["inventory"]')
    path, out = write_suite(tmp_path, text), tmp_path / "out"
    run(path, out)
    assert len(stored(out)) == 4
    run(path, out)
    assert len(stored(out)) == 4
    run(path, out, "--rerun", "failed")
    assert [row.solver for row in stored(out)[4:]] == ["raises"]
    run(path, out, "--rerun", "all", "--only", "first-action/two-state")
    assert [row.problem for row in stored(out)[5:]] == ["two-state", "two-state"]
    (out / ".clone").unlink()  # a fresh clone, with the committed rows of another
    run(path, out, "--only", "raises/*")
    assert len(stored(out)) == 8


def test_code_that_changes_under_a_run_stops_it_before_a_false_row(tmp_path, capsys):
    solver = tmp_path / "changing.py"
    changes = "    import pathlib; pathlib.Path(__file__).write_text(TEXT + '# changed')\n"
    text = LITTLE.read_text() + f"\n\nTEXT = {LITTLE.read_text()!r}\n"
    solver.write_text(text.replace("        time.sleep(self.nap)\n", f"    {changes}"))
    path = write_suite(tmp_path, one("first-action"), "budget = 20")
    path.write_text(path.read_text().replace(str(LITTLE), "changing.py"))
    assert main(["run", str(path), "--results", str(tmp_path / "out"), "--jobs", "1"]) == 2
    assert "is not what the run began with" in capsys.readouterr().err
    assert len(stored(tmp_path / "out")) == 1


def test_each_seed_is_a_cell_of_its_own(tmp_path):
    text = "".join(one(s, only_problems='["inventory"]') for s in ("seeded", "first-action"))
    path = write_suite(tmp_path, text, "seeds = [3, 5]")
    run(path, tmp_path / "out")
    found = stored(tmp_path / "out")
    seeds = {(r.seed, r.iterations) for r in found if r.solver == "seeded"}
    assert {s for s, _ in seeds} == {3, 5} and len(seeds) == 2
    assert [r.seed for r in found if r.solver == "first-action"] == [3]


def start(path, results):
    command = [sys.executable, "-m", "bench", "run", str(path), "--results", str(results)]
    return subprocess.Popen(
        [*command, "--jobs", "2"],
        stderr=subprocess.DEVNULL,
        cwd=path.parent,
        # A shell's background job ignores Ctrl-C, and so would all that it starts.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def test_killed_three_times_and_resumed_the_rows_are_those_of_one_run(tmp_path):
    options = [f"{{ nap = {0.3 * i}, action = {i % 2} }}" for i in range(3)]
    path = write_suite(tmp_path, "".join(one("first-action", options=o) for o in options))
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    run(path, whole)
    chance = random.Random(7)
    for _ in range(3):
        before = len(stored(killed))
        process = start(path, killed)
        wait_for(lambda n=before, p=process: len(stored(killed)) > n or p.poll() is not None)
        time.sleep(chance.uniform(0.0, 0.5))
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert run(path, killed) == 0
    assert timeless(killed) == timeless(whole)
    frame = pd.read_csv(killed / "tiny" / "rows.csv")
    assert list(frame.columns) == list(result.COLUMNS)
    assert len(frame) == 9 and frame["key"].is_unique and frame["value"].notna().all()
    assert all(Store(killed, "tiny").read_details(key)["values"] for key in frame["key"])


def test_a_killed_run_leaves_no_process_behind(tmp_path):
    import psutil

    path = write_suite(tmp_path, one("sleeps"))
    process = start(path, tmp_path / "out")
    family = wait_for(lambda: psutil.Process(process.pid).children(recursive=True))
    process.send_signal(signal.SIGKILL)
    process.wait()
    _, alive = psutil.wait_procs(family, timeout=20)
    assert not alive


def test_interrupting_stops_cleanly(tmp_path):
    text = one("first-action") + one("sleeps")
    path, out = write_suite(tmp_path, text), tmp_path / "out"
    process = start(path, out)
    wait_for(lambda: len(stored(out)) >= 3)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=30) == 130
    assert {row.solver for row in stored(out)} == {"first-action"}


def test_two_runs_at_once_share_the_work(tmp_path):
    naps = [one("first-action", options=f"{{ nap = {nap} }}") for nap in (0.3, 0.4)]
    path, out = write_suite(tmp_path, "".join(naps)), tmp_path / "out"
    both = [start(path, out), start(path, out)]
    assert [process.wait(timeout=120) for process in both] == [0, 0]
    keys = [row.key for row in stored(out)]
    assert len(keys) == len(set(keys)) == 6


def wait_for(condition, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.05)
    pytest.fail(f"waited {seconds} s in vain")


def test_threads_are_the_same_for_every_cell(tmp_path, monkeypatch):
    from bench.run.supervise import THREAD_VARIABLES, _environment

    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    assert all(_environment(2)[name] == "2" for name in THREAD_VARIABLES)
    assert os.environ["OMP_NUM_THREADS"] == "7"
