"""The wheel has all that a user without a checkout needs: suites, the page, the Julia package."""

import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BUILD = "from setuptools.build_meta import build_wheel; print(build_wheel('.'))"
NEEDED = ("pyproject.toml", "README.md", "LICENSE", "solvers", "pomdp_bridge", "bench", "julia")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    pytest.importorskip("setuptools", minversion="77", reason="building needs setuptools 77")
    folder = tmp_path_factory.mktemp("sources")
    for name in NEEDED:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, folder / name)
    command = [sys.executable, "-c", BUILD]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    with zipfile.ZipFile(folder / done.stdout.split()[-1]) as opened:
        yield opened


def tracked(folder, *patterns):
    return {p.relative_to(ROOT) for pattern in patterns for p in (ROOT / folder).rglob(pattern)}


def test_sources_suites_and_the_page_are_in_it(wheel):
    inside = set(wheel.namelist())
    for name in ("solvers", "pomdp_bridge", "bench"):
        wanted = tracked(name, "*.py", "*.toml", "*.csv", "*.js", "*.css", "*.html", "py.typed")
        assert {p.as_posix() for p in wanted} <= inside


def test_the_julia_package_is_in_it_and_found(wheel):
    inside = set(wheel.namelist())
    for path in tracked("julia", "*.jl", "Project.toml"):
        assert f"pomdp_bridge/julia_package/{path.relative_to('julia').as_posix()}" in inside
    described = json.loads(wheel.read("pomdp_bridge/juliapkg.json"))
    assert described["packages"]["SensingPOMDPs"]["path"] == "julia_package"
    assert not [name for name in inside if "Manifest" in name]
