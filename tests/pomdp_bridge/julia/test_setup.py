"""Setting up with a prepared Julia, played by scripts; nothing may be downloaded."""

from pomdp_bridge.julia import environment
from pomdp_bridge.julia.setup import install
from tests.pomdp_bridge.stand_ins import complete_manifest, prepared


def test_a_prepared_julia_that_is_too_old_is_not_touched(bare, monkeypatch):
    prepared(monkeypatch, bare, answer="julia version 1.6.7")
    lines = []
    found = install(lines.append)
    assert found.code == environment.TOO_OLD
    assert lines == ["A prepared Julia is selected: nothing will be downloaded."]


def test_a_compilation_that_fails_is_reported_with_its_last_words(bare, monkeypatch):
    prepared(monkeypatch, bare, packages=complete_manifest())
    script = '[ "$1" = --version ] && echo julia version 1.10.5 && exit\necho one\necho two\nexit 1'
    (bare / "julia").write_text(f"#!/bin/sh\n{script}\n")
    lines = []
    found = install(lines.append)
    assert found.exit_code == 1
    assert "Compiling failed: two" in str(found)
    assert "Pkg.develop" in found.fix
    assert lines[-2:] == ["  one", "  two"]


def test_an_installation_that_fails_is_reported(bare, monkeypatch):
    monkeypatch.setattr("pomdp_bridge.julia.setup.RESOLVE", "raise SystemExit('no network')")
    found = install(lambda line: None)
    assert found.exit_code == 1
    assert "The installation failed: no network" in str(found)
    assert "PYTHON_JULIACALL_PROJECT" in str(found)
    assert found.fix is None  # the command that has just failed would be no advice
