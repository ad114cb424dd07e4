"""The doctor on broken installations: four different answers, each with its command, no traceback.

A Julia that cannot run is played by a script that only answers ``--version``.
"""

import tomllib
from importlib.metadata import version

from pomdp_bridge.julia import environment
from pomdp_bridge.julia.doctor import diagnose
from solvers import make_solver
from tests.pomdp_bridge.stand_ins import complete_manifest, prepared, stand_in


def test_no_julia(bare):
    found = diagnose()
    assert (found.code, found.exit_code) == (environment.NO_JULIA, 1)
    assert found.fix == "sensebench julia setup"
    assert "Julia is not set up" in str(found)


def test_solvers_say_the_same(bare):
    for name in ("sarsop", "sarsop-structured", "fib", "pomcp", "qmdp", "pbvi"):
        reason = make_solver(f"julia-{name}").available()
        assert reason == "Julia is not set up: run `sensebench julia setup`"


def test_only_one_of_the_two_variables(bare, monkeypatch):
    monkeypatch.setenv(environment.EXE, "julia")
    found = diagnose()
    assert found.code == environment.NO_JULIA
    assert "PYTHON_JULIACALL_PROJECT is not" in str(found)
    assert found.fix.startswith("export PYTHON_JULIACALL_PROJECT=")


def test_a_selected_julia_that_is_not_there(bare, monkeypatch):
    prepared(monkeypatch, bare)
    monkeypatch.setenv(environment.EXE, str(bare / "absent"))
    assert "there is no Julia at" in str(diagnose())


def test_something_else_than_julia(bare, monkeypatch):
    prepared(monkeypatch, bare, answer="Python 3.11")
    assert "does not answer `--version` like a Julia" in str(diagnose())


def test_a_julia_that_is_too_old(bare, monkeypatch):
    prepared(monkeypatch, bare, answer="julia version 1.6.7")
    found = diagnose()
    assert found.code == environment.TOO_OLD
    assert "Julia 1.6.7" in str(found) and "1.10.3 or newer" in str(found)
    assert "juliaup add 1.10" in found.fix


def test_an_old_julia_on_the_path(bare, monkeypatch):
    stand_in(bare, "julia version 1.9.0")
    monkeypatch.setenv("PATH", str(bare) + ":/bin:/usr/bin")
    found = diagnose()
    assert found.code == environment.TOO_OLD
    assert found.fix == "sensebench julia setup"


def test_a_project_without_the_packages(bare, monkeypatch):
    project = prepared(monkeypatch, bare, packages={"PythonCall": version("juliacall")})
    found = diagnose()
    assert found.code == environment.NO_PACKAGES
    assert "lacks SensingPOMDPs" in str(found)
    assert f"--project={project}" in found.fix and "Pkg.develop(path=" in found.fix


def test_a_project_with_another_version_of_a_solver(bare, monkeypatch):
    prepared(monkeypatch, bare, packages={**complete_manifest(), "NativeSARSOP": "0.0.9"})
    found = diagnose()
    assert found.code == environment.NO_PACKAGES
    needed = environment.required_packages()["NativeSARSOP"][1]
    assert f"lacks NativeSARSOP {needed}" in str(found)


def test_a_pythoncall_that_does_not_match(bare, monkeypatch):
    prepared(monkeypatch, bare, packages={**complete_manifest(), "PythonCall": "0.9.1"})
    found = diagnose()
    assert found.code == environment.MISMATCH
    assert "PythonCall 0.9.1" in str(found) and f"juliacall {version('juliacall')}" in str(found)
    assert f'version="{version("juliacall")}"' in found.fix


def test_a_project_with_another_copy_of_our_package(bare, monkeypatch):
    project = prepared(monkeypatch, bare, packages=complete_manifest())
    manifest = project / "Manifest.toml"
    manifest.write_text(manifest.read_text().replace(str(environment.JULIA_PACKAGE), "/elsewhere"))
    found = diagnose()
    assert found.code == environment.MISMATCH
    assert "has the SensingPOMDPs of /elsewhere" in str(found)
    assert f'Pkg.develop(path="{environment.JULIA_PACKAGE}")' in found.fix


def test_packages_that_are_listed_but_in_no_depot(bare, monkeypatch):
    project = prepared(monkeypatch, bare, packages=complete_manifest())
    manifest = project / "Manifest.toml"
    text = manifest.read_text()
    manifest.write_text(text.replace("[[deps.FIB]]", '[[deps.FIB]]\ngit-tree-sha1 = "aa"'))
    monkeypatch.delenv("JULIA_DEPOT_PATH", raising=False)
    monkeypatch.setenv("HOME", str(bare))
    found = diagnose()
    assert f"FIB is not in the depot {bare / '.julia'}" in str(found)
    assert found.fix.startswith("export JULIA_DEPOT_PATH=")
    monkeypatch.setenv("JULIA_DEPOT_PATH", f"{bare / 'empty'}:")
    found = diagnose()  # a prepared Julia is never filled, so only another depot can help
    assert f"FIB is not in the depot {bare / 'empty'}:{bare / '.julia'}" in str(found)
    assert found.fix.startswith("export JULIA_DEPOT_PATH=")
    (bare / "filled" / "packages" / "FIB").mkdir(parents=True)
    monkeypatch.setenv("JULIA_DEPOT_PATH", f"{bare / 'empty'}:{bare / 'filled'}")
    assert "is not in the depot" not in str(diagnose())


def test_everything_listed_but_julia_does_not_start(bare, monkeypatch):
    prepared(monkeypatch, bare, packages=complete_manifest())
    monkeypatch.setenv("JULIA_DEPOT_PATH", str(bare / "depot"))
    told = []
    found = diagnose(told.append)
    assert (found.code, found.exit_code) == ("broken", 1)
    assert "while starting Julia" in str(found)
    assert "takes minutes" in told[0]  # nothing was compiled in that depot
    compiled = bare / "depot" / "compiled" / "v1.10" / "SensingPOMDPs"
    compiled.mkdir(parents=True)
    (compiled / "a.ji").touch()
    diagnose(told.append)
    assert len(told) == 1


def test_exact_versions_are_pinned_for_every_solver_package():
    declared = tomllib.loads((environment.JULIA_PACKAGE / "Project.toml").read_text())["compat"]
    for name in (
        "POMDPs",
        "POMDPTools",
        "NativeSARSOP",
        "FIB",
        "BasicPOMCP",
        "QMDP",
        "PointBasedValueIteration",
    ):
        assert declared[name].startswith("="), name
