"""Which Julia would run here, found without starting it and without any download.

Two ways lead to one: ``PYTHON_JULIACALL_EXE`` and ``PYTHON_JULIACALL_PROJECT`` together select a
prepared Julia (clusters, offline machines); otherwise the one that ``sensebench julia setup``
installed with juliacall's own installer.  Whether it can work is read from the project's manifest:
every package of ``julia/Project.toml`` in its exact version, and the PythonCall that belongs to
the juliacall installed here.
"""

from __future__ import annotations

import functools
import json
import os
import shlex
import shutil
import subprocess
import tomllib
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[1]
_CHECKOUT = _PACKAGE.parent / "julia"
JULIA_PACKAGE = _CHECKOUT if (_CHECKOUT / "Project.toml").is_file() else _PACKAGE / "julia_package"
"""Our Julia package: beside this one in a checkout, inside it where a wheel was installed."""
OLDEST = (1, 10, 3)
EXE, PROJECT = "PYTHON_JULIACALL_EXE", "PYTHON_JULIACALL_PROJECT"
SETUP = "sensebench julia setup"

# What can be wrong, by code.
NO_JULIA, TOO_OLD, NO_PACKAGES, MISMATCH = "no-julia", "too-old", "no-packages", "mismatch"


@dataclass(frozen=True)
class JuliaEnvironment:
    """A Julia executable and the project it runs in; ``version`` is its version."""

    executable: str
    project: str
    source: str
    version: tuple[int, ...] | None = None

    @property
    def version_text(self) -> str:
        return ".".join(map(str, self.version)) if self.version else "unknown version"


@dataclass(frozen=True)
class Finding:
    """Why Julia cannot run here, in a sentence, and the command that fixes it."""

    code: str
    what: str
    fix: str

    def __str__(self) -> str:
        return f"{self.what}: run `{self.fix}`"


def locate() -> JuliaEnvironment | Finding:
    """The Julia that was selected or installed, or why there is none."""
    exe, project = os.environ.get(EXE), os.environ.get(PROJECT)
    if exe or project:
        if not (exe and project):
            missing = PROJECT if exe else EXE
            value = "DIRECTORY" if exe else "PATH_OF_JULIA"
            return Finding(
                NO_JULIA,
                f"{EXE if exe else PROJECT} is set but {missing} is not; they select a prepared "
                "Julia only together",
                f"export {missing}={value}",
            )
        source = "environment variables"
    else:
        installed = _installed_by_juliapkg()
        if installed is None:
            return _nothing_installed()
        exe, project, source = *installed, "sensebench julia setup"
    found = shutil.which(exe)
    if found is None:
        fix = f"export {EXE}=PATH_OF_JULIA" if source.startswith("env") else SETUP
        return Finding(NO_JULIA, f"there is no Julia at {exe}", fix)
    return JuliaEnvironment(found, project, source, julia_version(found))


def check() -> tuple[JuliaEnvironment | None, Finding | None]:
    """The Julia environment and what is wrong with it, if anything; starts no Julia."""
    if not (JULIA_PACKAGE / "Project.toml").is_file():
        return None, Finding(
            NO_PACKAGES,
            f"our Julia package is not at {JULIA_PACKAGE}; the installation is not whole",
            "pip install --force-reinstall sensebench",
        )
    env = locate()
    if isinstance(env, Finding):
        return None, env
    if env.version is None:
        return env, Finding(
            NO_JULIA,
            f"{env.executable} does not answer `--version` like a Julia",
            f"export {EXE}=PATH_OF_JULIA" if env.source.startswith("env") else SETUP,
        )
    if env.version < OLDEST:
        return env, _too_old(env)
    return env, lacking(env)


def required_packages() -> dict[str, tuple[str, str | None]]:
    """Packages our Julia package needs: name -> (uuid, exact version or None)."""
    declared = tomllib.loads((JULIA_PACKAGE / "Project.toml").read_text(encoding="utf-8"))
    needed = {}
    for name, uuid in declared["deps"].items():
        compat = declared["compat"].get(name, "")
        needed[name] = uuid, compat[1:] if compat.startswith("=") else None
    return needed


def manifest_versions(env: JuliaEnvironment) -> dict[str, str]:
    """Versions in the project's manifest, by package name; empty if there is none."""
    return {name: entry.get("version", "") for name, entry in manifest(env).items()}


def manifest(env: JuliaEnvironment) -> dict[str, dict]:
    """The project's manifest, by package name; empty if there is none."""
    path = manifest_path(env)
    if path is None:
        return {}
    try:
        listed = tomllib.loads(path.read_text(encoding="utf-8")).get("deps", {})
    except (OSError, ValueError):
        return {}
    return {package: entries[0] for package, entries in listed.items()}


def manifest_path(env: JuliaEnvironment) -> Path | None:
    """The file with the project's manifest, None if there is none."""
    minor = ".".join(map(str, (env.version or OLDEST)[:2]))
    for name in (f"Manifest-v{minor}.toml", "JuliaManifest.toml", "Manifest.toml"):
        path = Path(env.project, name)
        if path.is_file():
            return path
    return None


def depots() -> list[Path]:
    """Where Julia keeps installed packages; an empty entry stands for the usual place."""
    given = os.environ.get("JULIA_DEPOT_PATH", "").split(os.pathsep)
    return [Path(p).expanduser() if p else Path.home() / ".julia" for p in given]


@functools.cache
def julia_version(executable: str) -> tuple[int, ...] | None:
    """The version an executable answers with, None if it is no Julia."""
    try:
        answer = subprocess.run(
            [executable, "--version"], capture_output=True, text=True, timeout=60, check=True
        ).stdout.split()
        if answer[:2] == ["julia", "version"]:
            return tuple(int(part) for part in answer[2].split("-")[0].split("+")[0].split("."))
    except (OSError, subprocess.SubprocessError, ValueError, IndexError):
        pass
    return None


def _installed_by_juliapkg() -> tuple[str, str] | None:
    """Executable and project that juliacall's installer recorded; nothing is resolved here."""
    from juliapkg.state import STATE  # plain paths; this does not look for Julia

    try:
        meta = json.loads(Path(STATE["meta"]).read_text(encoding="utf-8"))
        return meta["executable"], STATE["project"]
    except (OSError, ValueError, KeyError):
        return None


def _nothing_installed() -> Finding:
    on_path = shutil.which("julia")
    version_on_path = julia_version(on_path) if on_path else None
    if version_on_path and version_on_path < OLDEST:
        return _too_old(JuliaEnvironment(on_path, "", "PATH", version_on_path))
    return Finding(NO_JULIA, "Julia is not set up", SETUP)


def _too_old(env: JuliaEnvironment) -> Finding:
    needed = ".".join(map(str, OLDEST))
    prepared = env.source.startswith("env")
    return Finding(
        TOO_OLD,
        f"Julia {env.version_text} at {env.executable} is too old; {needed} or newer is needed",
        f"juliaup add 1.10 && export {EXE}=PATH_OF_THE_NEW_JULIA" if prepared else SETUP,
    )


def lacking(env: JuliaEnvironment) -> Finding | None:
    """What keeps a project from running our solvers, as far as its files tell; None if nothing."""
    listed = manifest(env)
    found = {name: entry.get("version", "") for name, entry in listed.items()}
    bridge = version("juliacall")
    wrong = [
        f"{name} {exact}" if exact else name
        for name, (_, exact) in {"SensingPOMDPs": ("", None), **required_packages()}.items()
        if name not in found or (exact and found[name] != exact)
    ]
    if "PythonCall" not in found:
        wrong.append(f"PythonCall {bridge}")
    if wrong:
        some = ", ".join(wrong[:4]) + (f" and {len(wrong) - 4} more" if len(wrong) > 4 else "")
        return Finding(
            NO_PACKAGES, f"the Julia project {env.project} lacks {some}", repair_command(env)
        )
    if found["PythonCall"] != bridge:
        same = f'using Pkg; Pkg.add(name="PythonCall", version="{bridge}")'
        return Finding(
            MISMATCH,
            f"the Julia project {env.project} has PythonCall {found['PythonCall']}, but juliacall "
            f"{bridge} is installed here, and the two must have the same version",
            _julia(env, same) if env.source.startswith("env") else SETUP,
        )
    return _another_copy(env, listed) or _not_in_depot(env, listed)


def _another_copy(env: JuliaEnvironment, listed: dict[str, dict]) -> Finding | None:
    """The project must use this installation's Julia package, not another one's."""
    given = listed["SensingPOMDPs"].get("path", "")
    if given and Path(env.project, given).resolve() == JULIA_PACKAGE.resolve():
        return None
    where = Path(env.project, given).resolve() if given else "a registry"
    develop = f'using Pkg; Pkg.develop(path="{JULIA_PACKAGE}")'
    return Finding(
        MISMATCH,
        f"the Julia project {env.project} has the SensingPOMDPs of {where}, not the one that "
        f"belongs here, {JULIA_PACKAGE}",
        _julia(env, develop) if env.source.startswith("env") else SETUP,
    )


def _not_in_depot(env: JuliaEnvironment, listed: dict[str, dict]) -> Finding | None:
    """A manifest only names packages; they lie in a depot, which may be another than Julia's."""
    places = depots()
    absent = [
        name
        for name in required_packages()
        if "git-tree-sha1" in listed.get(name, {})
        and not any((place / "packages" / name).is_dir() for place in places)
    ]
    if not absent:
        return None
    return Finding(
        NO_PACKAGES,
        f"the package {absent[0]} is not in the depot {os.pathsep.join(map(str, places))}",
        # Into a prepared Julia nothing is installed, so only another depot can help.
        "export JULIA_DEPOT_PATH=FOLDER_WITH_THE_PACKAGES:"
        if env.source.startswith("env") or "JULIA_DEPOT_PATH" not in os.environ
        else SETUP,
    )


def repair_command(env: JuliaEnvironment) -> str:
    """The command that puts everything needed into a project and compiles it."""
    if not env.source.startswith("env"):
        return SETUP
    script = (
        f'using Pkg; Pkg.develop(path="{JULIA_PACKAGE}"); '
        f'Pkg.add(name="PythonCall", version="{version("juliacall")}"); Pkg.precompile()'
    )
    return _julia(env, script)


def _julia(env: JuliaEnvironment, script: str) -> str:
    return shlex.join([env.executable, f"--project={env.project}", "-e", script])
