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
    project = folder / "project"
    project.mkdir()
    entries = "".join(
        f'[[deps.{name}]]\nversion = "{number}"\n' for name, number in (packages or {}).items()
    )
    (project / "Manifest.toml").write_text('manifest_format = "2.0"\n' + entries)
    monkeypatch.setenv(environment.EXE, str(stand_in(folder, answer)))
    monkeypatch.setenv(environment.PROJECT, str(project))
    return project


def complete_manifest():
    exact = {n: v or "1.0.0" for n, (_, v) in environment.required_packages().items()}
    return {"SensingPOMDPs": "0.1.0", "PythonCall": version("juliacall"), **exact}
