"""Broken Julia installations: a script that only answers ``--version``, a manifest written here."""

from __future__ import annotations

from importlib.metadata import version

from pomdp_bridge.julia import environment


def stand_in(folder, answer):
    julia = folder / "julia"
    julia.write_text(f"#!/bin/sh\necho '{answer}'\n")
    julia.chmod(0o755)
    return julia


def prepared(monkeypatch, folder, answer="julia version 1.10.5", packages=None):
    """Select a stand-in Julia with a project whose manifest lists the given versions."""
    project = write_project(folder / "project", packages or {})
    monkeypatch.setenv(environment.EXE, str(stand_in(folder, answer)))
    monkeypatch.setenv(environment.PROJECT, str(project))
    return project


def write_project(project, packages, more=""):
    """A Julia project whose manifest lists the given versions; ours is this checkout's."""
    project.mkdir(exist_ok=True)
    entries = "".join(
        f'[[deps.{name}]]\nversion = "{number}"\n'
        + (f'path = "{environment.JULIA_PACKAGE}"\n' if name == "SensingPOMDPs" else "")
        for name, number in packages.items()
    )
    (project / "Manifest.toml").write_text('manifest_format = "2.0"\n' + entries + more)
    return project


def complete_manifest():
    exact = {n: v or "1.0.0" for n, (_, v) in environment.required_packages().items()}
    return {"SensingPOMDPs": "0.1.0", "PythonCall": version("juliacall"), **exact}
