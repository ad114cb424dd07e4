"""The machine and the code a clone's rows were made with, for ``environment.json``."""

from __future__ import annotations

import os
import platform
import subprocess
from importlib.metadata import PackageNotFoundError, distributions, version
from pathlib import Path
from typing import Any

import psutil

from pomdp_bridge.julia import environment as bridge

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = (
    *("sensebench", "numpy", "scipy", "numba", "pandas", "matplotlib", "gymnasium"),
    *("icu-sepsis", "psutil", "juliacall", "distributed"),
)
CODE = ("solvers", "pomdp_bridge", "julia", "bench", "pyproject.toml")


def describe(jobs: int) -> dict[str, Any]:
    """Machine, system, Python, packages, Julia, commit and whether the code differs from it.

    jobs : how many cells ran at once, since they share the machine
    """
    return {
        "cpu": _cpu(),
        "cores": os.cpu_count(),
        "memory_mb": psutil.virtual_memory().total // 2**20,
        "system": f"{platform.system()} {platform.release()}",
        "architecture": platform.machine(),
        "python": platform.python_version(),
        "packages": {p: v for p in PACKAGES if (v := _version(p)) is not None},
        "solver_packages": _solver_packages(),
        **_julia(),
        "jobs": jobs,
        "commit": _git("rev-parse", "HEAD"),
        "dirty": bool(_git("status", "--porcelain", "--", *CODE)),
    }


def _cpu() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or "unknown"


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _solver_packages() -> dict[str, str]:
    """Other packages that bring solvers or problems, and their versions."""
    return {
        found.metadata["Name"]: found.version
        for found in distributions()
        if any(point.group.startswith("sensebench.") for point in found.entry_points)
        and found.metadata["Name"] != "sensebench"
    }


def _julia() -> dict[str, Any]:
    """Julia's version and those of the packages we use there; nothing where it is not set up."""
    env, wrong = bridge.check()
    if env is None or wrong is not None:
        return {"julia": None}
    versions = bridge.manifest_versions(env)
    packages = {p: versions[p] for p in bridge.required_packages() if versions.get(p)}
    return {"julia": env.version_text, "julia_packages": packages}


def _git(*arguments: str) -> str | None:
    """What git says of the project's own directory; None without git."""
    command = ["git", "-C", str(ROOT), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()
