"""A Dask cluster of processes that can be killed and started again."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
from distributed import Client


class Cluster:
    """A Dask scheduler and two workers, which can be killed and started again."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.scheduler: psutil.Popen | None = None
        self.workers: list[psutil.Popen] = []

    def _dask(self, *arguments: str) -> psutil.Popen:
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        options = ["--host", "127.0.0.1", "--no-dashboard", "--scheduler-file", str(self.file)]
        command = [sys.executable, "-m", "dask", *arguments, *options]
        return psutil.Popen(command, cwd=self.folder, **quiet)

    @property
    def file(self) -> Path:
        return self.folder / "scheduler.json"

    def mend(self) -> str:
        """Start whatever is not there; the scheduler's address."""
        if self.scheduler is None or self.scheduler.poll() is not None:
            self.end()
            self.file.unlink(missing_ok=True)
            self.scheduler = self._dask("scheduler", "--port", "0")
            wait_for(self.file.is_file, "a scheduler")
        self.workers = [w for w in self.workers if w.poll() is None]
        while len(self.workers) < 2:
            self.workers.append(self._dask("worker", "--nthreads", "1", "--no-nanny"))
        address = json.loads(self.file.read_text())["address"]
        with Client(address) as client:
            client.wait_for_workers(2, timeout=600)
        return str(address)

    def end(self) -> None:
        for process in [*self.workers, *([self.scheduler] if self.scheduler else [])]:
            slay(process)
        self.workers, self.scheduler = [], None


@contextmanager
def cluster_or_none(folder: Path, far: bool):
    """A cluster for as long as it is used, or None for a run on this machine alone."""
    if not far:
        yield None
        return
    cluster = Cluster(folder)
    try:
        yield cluster
    finally:
        cluster.end()


def descendants(process: psutil.Process) -> list[psutil.Process]:
    with suppress(psutil.Error):
        return list(process.children(recursive=True))
    return []


def slay(process: psutil.Process) -> bool:
    """Kill −9, and wait until it is gone; whether there was anything to kill."""
    there = False
    with suppress(psutil.Error):
        there = process.is_running() and process.status() != psutil.STATUS_ZOMBIE
        process.kill()
    with suppress(psutil.Error):
        process.wait(60)
    return there


def wait_for(condition, what: str, seconds: float = 600) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"waited {seconds} s for {what}"
        time.sleep(0.05)
