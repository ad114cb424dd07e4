"""Kill −9 at random moments, then look at what is on disk: the campaign behind ``test_kills``.

    python -m tests.bench.run.kills --kills 200 --seed 0

Four kinds of victims: the runner, the process of a cell, a Dask worker and the Dask scheduler.
A suite is run over and over, here and on a cluster, and each time something of it is killed.  After
every kill, and once the suite is done, the store must hold

* what it held before, byte for byte, and after that only whole lines (nothing lost or corrupt),
* at most one good row for each cell (nothing duplicated), and
* rows equal to those of a run that nobody disturbed, details too (nothing false).  The one
  exception is a cell whose own process was killed: its row may say so, or may keep a claim that
  was not verified any more.

``--record results/reference/robustness/kills.csv`` adds the counts to those of the project.
"""

from __future__ import annotations

import argparse
import csv
import math
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import psutil

from bench.store import result, status
from bench.store.store import Store
from tests.bench.run.kill_cluster import Cluster, cluster_or_none, descendants, slay

ROOT = Path(__file__).parents[3]
SUITE = """
budget = 600
files = ["{little}"]
[[problem]]
id = "two-state"
sensing_costs = [0.25, 0.01]
[[problem]]
id = "inventory"
sensing_costs = [0.2]
[[solver]]
id = "first-action"
each = {{ nap = [0.0, 0.4] }}
[[solver]]
id = "fib"
[[solver]]
id = "raises"
only_problems = ["inventory"]
"""
VICTIMS = RUNNER, CELL, WORKER, SCHEDULER = "runner", "cell", "dask worker", "dask scheduler"
MOST_ROWS = 1
LONGEST_WAIT = 3.0
"""A run is struck up to so many seconds after it has written up to so many rows."""
KILLS_A_ROUND = 25
VARYING = {*result.TIMES, "peak_memory_mb", "clone", "finished"}
KILLED = "killed from outside"


def start(path: Path, results: Path, *more: str) -> psutil.Popen:
    """A run as a process of its own."""
    command = [sys.executable, "-m", "bench", "run", str(path), "--results", str(results)]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return psutil.Popen([*command, *more], cwd=ROOT, **quiet)


class Round:
    """One results folder: struck some times, finished, and looked at after each step."""

    def __init__(self, path: Path, results: Path, truth: dict, chance: random.Random) -> None:
        self.path, self.results, self.truth, self.chance = path, results, truth, chance
        self.kills: Counter[str] = Counter()
        self.before = b""

    def strike(self, process: psutil.Popen, cluster: Cluster | None) -> None:
        """Kill something of a run that has just begun, at a random moment."""
        kinds = [RUNNER, CELL] if cluster is None else VICTIMS
        kind = self.chance.choice(kinds)
        rows = self.lines() + self.chance.randint(0, MOST_ROWS)
        while self.lines() < rows and process.poll() is None:
            time.sleep(0.05)
        time.sleep(self.chance.uniform(0.0, LONGEST_WAIT))
        parents = [process] if cluster is None else cluster.workers
        victim: psutil.Process | None = process
        if kind == CELL:
            victim = a_cell(process, parents)
        elif cluster is not None and kind == WORKER:
            victim = self.chance.choice([w for w in cluster.workers if w.poll() is None])
        elif cluster is not None and kind == SCHEDULER:
            victim = cluster.scheduler
        if victim is None or process.poll() is not None:
            return
        family = descendants(victim)
        slay(victim)
        self.kills[kind] += 1
        _, alive = psutil.wait_procs(family, timeout=300)
        assert not alive, f"{alive} outlived the {kind} that started them"
        if cluster is not None and kind != SCHEDULER:
            cluster.mend()  # as a nanny would

    def lines(self) -> int:
        """How many whole lines there are."""
        path = self.results / "kills" / "rows.csv"
        return path.read_bytes().count(b"\n") if path.exists() else 1  # the header comes first

    def check(self) -> None:
        """What is on disk is what was there before and whole, true, single rows after it."""
        path = self.results / "kills" / "rows.csv"
        data = path.read_bytes() if path.exists() else b""
        data = data[: data.rfind(b"\n") + 1]
        assert data.startswith(self.before), "rows were lost or changed"
        self.before = data
        good: Counter[str] = Counter()
        rows = result.parse(data.decode(), path) if data else []
        assert len(rows) == max(0, data.count(b"\n") - 1), "a line is no row"
        for row in rows:
            good[row.key] += row.ok
            self.check_row(row)
        assert max(good.values(), default=0) <= 1, "a cell has two rows"

    def check_row(self, row: result.Result) -> None:
        expected, details = self.truth[row.key]
        if row.status == status.CRASHED:
            assert self.kills[CELL] and row.reason.startswith(KILLED), row.reason
            return
        found = row.model_dump(exclude=VARYING)
        cut_short = expected["verified"] == status.VERIFIED and row.verified == status.CLAIMED
        if cut_short:
            assert self.kills[CELL], "a claim was not verified though nobody disturbed it"
            found["verified"] = status.VERIFIED
        assert found == expected, f"a false row: {found} instead of {expected}"
        kept = Store(self.results, "kills").read_details(row.key)
        assert (details is None) == (kept is None), f"the details of {row.key} are lost"
        if details is not None and not cut_short:
            assert timeless(kept) == timeless(details), f"the details of {row.key} are false"

    def finish(self) -> None:
        """Go on to the end, undisturbed: every cell has its row."""
        more = ("--jobs", "2", "--keep-going", "--rerun", "failed")
        start(self.path, self.results, *more).wait()
        self.check()
        last = {row.key: row for row in Store(self.results, "kills").read()}
        assert set(last) == set(self.truth), "a cell has no row"
        assert not any(row.status == status.CRASHED for row in last.values())


def undisturbed(path: Path, folder: Path) -> dict:
    """What a run that nobody disturbs gives: for each key its row and its details."""
    path.write_text(SUITE.format(little=Path(__file__).parents[1] / "little_solvers.py"))
    assert start(path, folder / "whole", "--jobs", "2", "--keep-going").wait() == 0
    store = Store(folder / "whole", "kills")
    rows = store.read()
    assert len(rows) == 10
    return {r.key: (r.model_dump(exclude=VARYING), store.read_details(r.key)) for r in rows}


def campaign(
    wanted: int, seed: int, folder: Path, told=print, minutes: float = math.inf
) -> Counter[str]:
    """Strike until so many were killed; how many of which.  Raises AssertionError on any loss.

    minutes : no round is begun after so many; what is counted are rounds that were finished
    """
    end = time.monotonic() + 60 * minutes
    path = folder / "kills.toml"
    truth = undisturbed(path, folder)
    kills: Counter[str] = Counter()
    chance = random.Random(seed)
    for number in range(10**6):
        if kills.total() >= wanted or time.monotonic() > end:
            return kills
        most = min(KILLS_A_ROUND, -(-wanted // 2), wanted - kills.total())  # here and on Dask
        this = Round(path, folder / f"round-{number}", truth, chance)
        with cluster_or_none(folder, far=number % 2 == 1) as cluster:
            while this.kills.total() < most:
                more = ["--jobs", "2"]
                if cluster is not None:
                    more = ["--executor", "dask", "--scheduler", cluster.mend()]
                process = start(path, this.results, "--keep-going", *more)
                while this.kills.total() < most and process.poll() is None:
                    this.strike(process, cluster)
                    this.check()
                    with suppress(psutil.TimeoutExpired):
                        process.wait(1.0)
                if this.kills.total() >= most:
                    slay(process)
                elif not this.kills:  # done before anything was struck: begin anew
                    break
                if finished(this):
                    break
        this.finish()
        kills += this.kills
        told(f"round {number}: {kills.total()} kills so far: {dict(kills)}", flush=True)
    return kills


def timeless(details: dict) -> dict:
    """The details of a cell without the seconds in its trace and in what the checker says."""
    told = dict(details.get("verification", {}))
    told["reason"] = re.sub(r"[0-9.]+ s\b", "… s", told.get("reason", ""))
    trace = [point[1:] for point in details["trace"] or ()]
    return {**details, "trace": trace, "verification": told}


def finished(this: Round) -> bool:
    rows = Store(this.results, "kills").read()
    return {row.key for row in rows} == set(this.truth)


def a_cell(run: psutil.Popen, parents: list[psutil.Popen]) -> psutil.Process | None:
    """A process that works on a cell, as soon as there is one; None if the run ends first."""
    while run.poll() is None:
        for parent in parents:
            for child in descendants(parent):
                with suppress(psutil.Error):
                    if "bench.run.cell" in child.cmdline():
                        return child
        time.sleep(0.02)
    return None


def record(path: Path, seed: int, kills: Counter[str]) -> None:
    """Add a line to the counts; there is one only where nothing was lost, doubled or false."""
    with path.open("a", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerow(
            [seed, *(kills[v] for v in VICTIMS), *"0000"]
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=math.inf, help="begin no round later")
    parser.add_argument("--record", type=Path, help="a CSV file that gets a line with the counts")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        counted = campaign(asked.kills, asked.seed, Path(made), minutes=asked.minutes)
    if asked.record:
        record(asked.record, asked.seed, counted)
    print(counted)
