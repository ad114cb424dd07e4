"""A system image: a Julia with our packages already inside, so that a worker need not load them.

``sensebench julia setup --sysimage`` builds one with PackageCompiler, which needs a C compiler.
Experimental: no build has been carried to its end by us yet, and nothing was measured.  Its name
says what went into it: the Julia, the manifest, our own Julia code and juliacall.  When any of
these changes the image is simply not found, and a worker loads the packages as before; so an image
is never older than what it stands for.
"""

from __future__ import annotations

import hashlib
import shutil
import sys
from importlib.metadata import version
from pathlib import Path

from pomdp_bridge.julia import environment
from pomdp_bridge.julia.environment import JuliaEnvironment

INSIDE = ("SensingPOMDPs", "PythonCall")
"""The packages of an image; those they need come with them."""


def image_of(env: JuliaEnvironment) -> Path:
    """Where the image of a Julia and a project lies, if it was built."""
    seen = hashlib.sha256()
    for text in (env.executable, env.version_text, version("juliacall")):
        seen.update(text.encode() + b"\0")
    for path in (environment.manifest_path(env), *_sources()):
        seen.update(path.read_bytes() if path else b"")
        seen.update(b"\0")
    return _home() / f"{seen.hexdigest()[:16]}.so"


def built_image(env: JuliaEnvironment) -> Path | None:
    """The image of a Julia and a project, None if none was built for just these."""
    path = image_of(env)
    return path if path.is_file() else None


def build_script(env: JuliaEnvironment) -> str:
    """The Julia code that builds the image; it runs in a project of its own."""
    packages = ", ".join(f'"{name}"' for name in INSIDE)
    part = _part(env)
    return "; ".join(
        [
            "using Pkg",
            'haskey(Pkg.project().dependencies, "PackageCompiler") || Pkg.add("PackageCompiler")',
            "using PackageCompiler",
            f'create_sysimage([{packages}]; sysimage_path="{part}", project="{env.project}", '
            "include_transitive_dependencies=false)",
        ]
    )


def compiler_project() -> Path:
    """The Julia project that holds PackageCompiler."""
    return _home() / "compiler"


def keep(env: JuliaEnvironment) -> Path:
    """Put a finished image in its place; those of other states are removed."""
    path = image_of(env)
    for old in _home().glob("*.so"):
        old.unlink()
    shutil.move(_part(env), path)
    return path


def _part(env: JuliaEnvironment) -> Path:
    return image_of(env).with_suffix(".part")


def _sources() -> list[Path]:
    root = environment.JULIA_PACKAGE
    return [root / "Project.toml", *sorted(root.glob("src/*.jl")), *sorted(root.glob("ext/*.jl"))]


def _home() -> Path:
    return Path(sys.prefix, "julia_sysimage")
