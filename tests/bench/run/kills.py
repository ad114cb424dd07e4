"""Kill −9 at random moments, then look at what is on disk: the campaign behind ``test_kills``.

    python -m tests.bench.run.kills --kills 200 --seed 0

Four kinds of victims: the runner, the process of a cell, a Dask worker and the Dask scheduler.
A suite is run over and over, here and on a cluster, and each time something of it is killed, a
quarter of each kind.  Drawn blindly, Dask would get far less: it is there in some rounds only, and
those are slow.  So a kind is drawn the more often the more of it is still wanted, counting what is
recorded already.  Only a process that was there to be killed counts.

After every kill, and once the suite is done, the store must hold

* what it held before, byte for byte, and after that only whole lines (nothing lost or corrupt),
* at most one good row for each cell (nothing duplicated), and
* rows equal to those of a run that nobody disturbed, details too (nothing false).  The one
  exception is a cell whose own process was killed: its row may say so, or may keep a claim that
  was not verified any more.

A run that has lost its scheduler, and one that is left alone, must come to its end by itself.

``--record results/reference/robustness/kills.csv`` adds the counts to those of the project.  Ctrl-C
ends a campaign early: the rounds that were finished are recorded.
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
from tests.bench.run.kill_cluster import Cluster, cluster_or_none, descendants, slay, wait_for

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
KILLS_A_ROUND = 12
LONGEST_RUN = 900.0
"""Seconds after which a run that does not go on hangs: some hundred times as long as it takes."""
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

    def strike(self, process: psutil.Popen, cluster: Cluster | None, kind: str) -> None:
        """Kill something of a run that has just begun, at a random moment."""
        rows = self.lines() + self.chance.randint(0, MOST_ROWS)
        wait_for(lambda: self.lines() >= rows or process.poll() is not None, "a row", LONGEST_RUN)
        time.sleep(self.chance.uniform(0.0, LONGEST_WAIT))
        victim = self.victim(process, cluster, kind)
        if victim is None or process.poll() is not None:
            return
        family = descendants(victim)
        if not slay(victim):
            return
        self.kills[kind] += 1
        _, alive = psutil.wait_procs(family, timeout=300)
        assert not alive, f"{alive} outlived the {kind} that started them"
        if kind == SCHEDULER:
            ended(process)
        elif cluster is not None:
            cluster.mend()  # as a nanny would

    def victim(
        self, process: psutil.Popen, cluster: Cluster | None, kind: str
    ) -> psutil.Process | None:
        """A process of this kind; None if the run ends before there is one."""
        if kind == CELL:
            return a_cell(process, [process] if cluster is None else cluster.workers)
        if cluster is not None and kind == WORKER:
            return self.chance.choice(cluster.workers)
        return cluster.scheduler if cluster is not None and kind == SCHEDULER else process

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
        ended(start(self.path, self.results, *more))
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


class Campaign:
    """Rounds until so many were killed, a quarter of each kind.  AssertionError on any loss.

    before : kills of earlier campaigns; kills : of this one, in rounds that were finished
    """

    def __init__(self, wanted: int, seed: int, folder: Path, before: Counter[str] | None = None):
        self.wanted, self.folder, self.before = wanted, folder, before or Counter()
        self.chance = random.Random(seed)
        self.path = folder / "kills.toml"
        self.kills: Counter[str] = Counter()

    def run(self, minutes: float = math.inf) -> Counter[str]:
        """How many of which kind were killed; no round is begun after so many minutes."""
        end = time.monotonic() + 60 * minutes
        truth = undisturbed(self.path, self.folder)
        for number in range(10**6):
            if self.kills.total() >= self.wanted or time.monotonic() > end:
                break
            this = Round(self.path, self.folder / f"round-{number}", truth, self.chance)
            far = number % 3 > 0 or not any(self.missing([RUNNER, CELL], this))
            with cluster_or_none(self.folder, far) as cluster:
                self.strike(this, cluster)
            this.finish()
            self.kills += this.kills
            counts = dict(self.kills)
            print(f"round {number}: {self.kills.total()} kills so far: {counts}", flush=True)
        return self.kills

    def strike(self, this: Round, cluster: Cluster | None) -> None:
        """Run the suite and kill, again and again, until it is done or enough was killed."""
        most = min(KILLS_A_ROUND, -(-self.wanted // 2), self.wanted - self.kills.total())
        kinds = [RUNNER, CELL] if cluster is None else list(VICTIMS)
        while this.kills.total() < most and not finished(this):
            more = ["--jobs", "2"]
            if cluster is not None:
                more = ["--executor", "dask", "--scheduler", cluster.mend()]
            process = start(this.path, this.results, "--keep-going", *more)
            try:
                while this.kills.total() < most and process.poll() is None:
                    missing = self.missing(kinds, this)
                    kind = self.chance.choices(kinds, missing if any(missing) else None)[0]
                    this.strike(process, cluster, kind)
                    this.check()
                    with suppress(psutil.TimeoutExpired):
                        process.wait(1.0)
            finally:
                slay(process)

    def missing(self, kinds: list[str], this: Round) -> list[int]:
        """How many of each kind are still wanted."""
        done = self.before + self.kills + this.kills
        quarter = -(-(self.before.total() + self.wanted) // len(VICTIMS))
        return [max(0, quarter - done[kind]) for kind in kinds]


def ended(process: psutil.Popen) -> None:
    """Wait until a run has come to its end by itself."""
    wait_for(lambda: process.poll() is not None, "the end of a run", LONGEST_RUN)


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


def recorded(path: Path) -> Counter[str]:
    """The counts of all campaigns so far."""
    counts: Counter[str] = Counter()
    with path.open(newline="", encoding="utf-8") as file:
        for line in csv.DictReader(file):
            counts.update({kind: int(line[kind]) for kind in VICTIMS})
    return counts


def record(path: Path, seed: int, kills: Counter[str]) -> None:
    """Add a line to the counts; there is one only where nothing was lost, doubled or false."""
    asked = ["git", "rev-parse", "--short=10", "HEAD"]
    commit = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True).stdout.strip()
    with path.open("a", newline="", encoding="utf-8") as file:
        counts = [kills[kind] for kind in VICTIMS]
        csv.writer(file, lineterminator="\n").writerow([seed, *counts, *"0000", commit])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=math.inf, help="begin no round later")
    parser.add_argument("--record", type=Path, help="a CSV file that gets a line with the counts")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        before = recorded(asked.record) if asked.record else None
        campaign = Campaign(asked.kills, asked.seed, Path(made), before)
        with suppress(KeyboardInterrupt):
            campaign.run(asked.minutes)
    if asked.record and campaign.kills:
        record(asked.record, asked.seed, campaign.kills)
    print(campaign.kills)
