"""The most memory that a process has held."""

from __future__ import annotations

import resource
from pathlib import Path


def peak_memory_mb() -> float:
    """Of this process, in MiB; rusage would count what its parent held, too."""
    try:
        status = Path("/proc/self/status").read_text()
        return int(status.split("VmHWM:")[1].split()[0]) / 1024
    except (OSError, IndexError):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
