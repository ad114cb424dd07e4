"""Workers that hang, crash, are killed or eat memory: each ends with its reason, and in time."""

import os
import sys
import textwrap
import time

import psutil
import pytest

from pomdp_bridge.julia.errors import BridgeError
from pomdp_bridge.julia.supervise import Job, Worker, do_alone
from pomdp_bridge.process.status import CRASHED, FAILED, MEMORY, TIMEOUT

PROMPT = 5.0
"""Seconds within which a limit must have been enforced."""
PREAMBLE = """
import os, sys, time
from pomdp_bridge.process.child import Announcer
announce = Announcer.from_environment()
"""


def job(tmp_path, **limits):
    return Job("folder", str(tmp_path / "worker.log"), limits, 300, dict(os.environ))


def command(script):
    return [sys.executable, "-c", PREAMBLE + textwrap.dedent(script)]


def watch(tmp_path, script, **limits):
    return do_alone(job(tmp_path, **limits), command(script))


def failure(tmp_path, script, **limits):
    with pytest.raises(BridgeError) as caught:
        watch(tmp_path, script, **limits)
    return caught.value


def test_a_good_worker_is_timed_stage_by_stage(tmp_path):
    seen = watch(
        tmp_path,
        """
        announce(phase="planning"); time.sleep(0.5); print("hello"); announce(done=True)
        """,
    )
    assert set(seen.seconds) == {"starting Julia", "planning"}
    assert seen.seconds["planning"] >= 0.5
    assert "hello" in (tmp_path / "worker.log").read_text()


def test_a_worker_that_hangs_is_stopped_in_time(tmp_path):
    began = time.monotonic()
    error = failure(tmp_path, 'announce(phase="planning"); time.sleep(600)', planning=1.0)
    assert time.monotonic() - began < 1.0 + PROMPT + 10  # the interpreter has to start, too
    assert (error.stage, error.kind) == ("planning", TIMEOUT)
    assert error.reason == "timeout after 1 s"


def test_children_are_stopped_too(tmp_path):
    error = failure(
        tmp_path,
        """
        import subprocess
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        print(child.pid, flush=True)
        announce(phase="planning"); time.sleep(600)
        """,
        planning=1.0,
    )
    child = int((tmp_path / "worker.log").read_text())
    assert error.kind == TIMEOUT
    gone = time.monotonic() + PROMPT
    while psutil.pid_exists(child) and psutil.Process(child).status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() < gone
        time.sleep(0.1)


def test_a_worker_that_eats_memory_is_stopped(tmp_path):
    error = failure(
        tmp_path,
        """
        announce(phase="planning")
        held = []
        while True:
            held.append(bytearray(20 * 2**20)); time.sleep(0.01)
        """,
        planning=60.0,
    )
    assert (error.stage, error.kind) == ("planning", MEMORY)
    assert "more than 300 MiB" in error.reason


@pytest.mark.parametrize(
    ("how", "reason"),
    [
        ("os.kill(os.getpid(), 11)", "segmentation fault"),
        ("os.kill(os.getpid(), 9)", "killed from outside"),
        ("os.abort()", "aborted"),
    ],
)
def test_a_worker_that_crashes_says_how(tmp_path, how, reason):
    error = failure(tmp_path, f'announce(phase="planning"); {how}')
    assert (error.stage, error.kind) == ("planning", CRASHED)
    assert reason in error.reason


def test_a_worker_that_just_ends_shows_its_last_words(tmp_path):
    error = failure(tmp_path, 'print("no such library"); sys.exit(3)')
    assert error.stage == "starting Julia"
    assert error.reason == "the worker ended with exit code 3: no such library"


def test_a_reported_error_keeps_its_reason_and_the_log(tmp_path):
    error = failure(
        tmp_path, 'announce(phase="planning"); announce(error="ArgumentError: no"); sys.exit(1)'
    )
    assert (error.stage, error.reason, error.kind) == ("planning", "ArgumentError: no", FAILED)
    assert str(tmp_path / "worker.log") in str(error)


def test_the_next_worker_runs_after_a_failure(tmp_path):
    failure(tmp_path, 'announce(phase="planning"); os.kill(os.getpid(), 11)')
    assert "planning" in watch(tmp_path, 'announce(phase="planning"); announce(done=True)').seconds


def test_no_worker_at_all(tmp_path):
    with pytest.raises(BridgeError, match="cannot start /no/such/program"):
        Worker(job(tmp_path), ["/no/such/program"])


def test_a_worker_does_one_job_after_another_and_the_first_failure_ends_it(tmp_path):
    script = """
        for line in sys.stdin:
            announce(phase="planning")
            if announce.served == 2:
                announce(error="no luck")
            announce.served += 1
            announce(done=True)
    """
    worker = Worker(
        job(tmp_path), command("announce.served = 0" + script.replace("\n        ", "\n"))
    )
    assert [set(worker.do(job(tmp_path)).seconds) for _ in range(2)] == [
        {"starting Julia", "planning"}
    ] * 2
    assert worker.alive() and 5 < worker.fresh_mb < 300
    with pytest.raises(BridgeError, match="no luck") as caught:
        worker.do(job(tmp_path))
    assert not worker.alive() and caught.value.peak_memory_mb > 5
