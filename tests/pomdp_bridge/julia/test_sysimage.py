"""System images: which one belongs to a Julia and a project, and when it no longer does."""

import sys

import pytest

from bench.cli import main
from pomdp_bridge.julia import environment, sysimage
from pomdp_bridge.julia.bridge import quick_start, worker_environment
from pomdp_bridge.julia.setup import install_image
from tests.pomdp_bridge.stand_ins import complete_manifest, prepared

IMAGE = "PYTHON_JULIACALL_SYSIMAGE"


@pytest.fixture
def env(bare, monkeypatch):
    """A prepared Julia with all packages, and an empty place for images."""
    prepared(monkeypatch, bare, packages=complete_manifest())
    monkeypatch.setattr(sys, "prefix", str(bare / "venv"))
    found, finding = environment.check()
    assert finding is None
    return found


def put_image(env):
    path = sysimage.image_of(env)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("image")
    return path


def test_a_worker_uses_the_image_that_was_built_for_it(env):
    assert sysimage.built_image(env) is None and IMAGE not in worker_environment(env, 4.0)
    path = put_image(env)
    assert worker_environment(env, 4.0)[IMAGE] == str(path)


def test_an_image_is_not_used_once_anything_in_it_has_changed(env, bare, monkeypatch):
    put_image(env)
    manifest = environment.manifest_path(env)
    manifest.write_text(manifest.read_text() + "\n# another version")
    assert sysimage.built_image(env) is None
    path = put_image(env)
    changed = bare / "julia_package"
    (changed / "src").mkdir(parents=True)
    declared = (environment.JULIA_PACKAGE / "Project.toml").read_text()
    (changed / "Project.toml").write_text(declared)
    monkeypatch.setattr(environment, "JULIA_PACKAGE", changed)
    assert sysimage.built_image(env) is None and path.is_file()


def test_building_replaces_the_image_before(env, bare):
    old = put_image(env)
    old.rename(old.with_name("0123456789abcdef.so"))
    part = sysimage.image_of(env).with_suffix(".part")
    script = (
        '[ "$1" = --version ] && echo julia version 1.10.5 && exit\n'
        f'case "$4" in *PackageCompiler*) echo made > "{part}";; esac\n'
        "echo compiled\n"
    )
    (bare / "julia").write_text(f"#!/bin/sh\n{script}")
    lines = []
    install_image(lines.append)  # the planner it then tries cannot work with a stand-in
    assert "  compiled" in lines
    assert [p.read_text() for p in sysimage.image_of(env).parent.glob("*.so")] == ["made\n"]


def test_a_build_that_fails_says_why_and_leaves_the_old_image(env, bare):
    path = put_image(env)
    script = '[ "$1" = --version ] && echo julia version 1.10.5 && exit\necho no compiler\nexit 1'
    (bare / "julia").write_text(f"#!/bin/sh\n{script}\n")
    found = install_image(lambda line: None)
    assert found.exit_code == 1 and "cannot be built: no compiler" in str(found)
    assert path.is_file()


def test_the_library_is_given_where_it_lies_beside_julia(env, bare):
    assert "PYTHON_JULIACALL_LIB" not in quick_start(env)
    name = "libjulia.dylib" if sys.platform == "darwin" else "libjulia.so"
    (bare.parent / "lib").mkdir(exist_ok=True)
    (bare.parent / "lib" / name).write_text("")
    try:
        given = quick_start(env)
    finally:
        (bare.parent / "lib" / name).unlink()
    assert given["PYTHON_JULIACALL_BINDIR"] == str(bare.resolve())


@pytest.mark.parametrize("words", [["doctor", "--sysimage"], ["setup", "x.jl", "--sysimage"]])
def test_an_image_is_built_by_setup_alone_and_for_the_main_project(words, capsys):
    assert main(["julia", *words]) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1
