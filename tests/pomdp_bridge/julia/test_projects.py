"""Which Julia project a solver file runs in, told from manifests alone."""

import pytest

from pomdp_bridge.julia import environment, projects
from pomdp_bridge.julia.solver_file import Package, SolverFile
from tests.pomdp_bridge.stand_ins import complete_manifest, prepared, write_project


@pytest.fixture
def main_project(bare, monkeypatch):
    monkeypatch.setattr(projects, "_home", lambda: bare / "made")
    monkeypatch.delenv(projects.PROJECTS, raising=False)
    return prepared(monkeypatch, bare, packages=complete_manifest())


def test_what_the_main_project_has_runs_there(main_project):
    file = SolverFile("mine.jl", packages=(Package("FIB", "0.4"),))
    env, finding = projects.project_for(file)
    assert finding is None and env.project == str(main_project)


def test_a_missing_package_is_named_with_the_command(main_project):
    file = SolverFile("/there/mine.jl", packages=(Package("ARDESPOT", "0.3"),))
    _, finding = projects.project_for(file)
    assert str(finding) == (
        "no Julia project here has ARDESPOT 0.3: run `sensebench julia setup /there/mine.jl`"
    )


def test_further_projects_are_looked_through(main_project, bare, monkeypatch):
    file = SolverFile("mine.jl", packages=(Package("ARDESPOT", "0.3"),))
    old = write_project(bare / "old", {**complete_manifest(), "ARDESPOT": "0.2.9"})
    bald = write_project(bare / "bald", {"ARDESPOT": "0.3.8"})  # nothing of ours in it
    good = write_project(bare / "good", {**complete_manifest(), "ARDESPOT": "0.3.8"})
    monkeypatch.setenv(projects.PROJECTS, f"{old}:{bald}:{good}")
    env, finding = projects.project_for(file)
    assert finding is None and env.project == str(good)


def test_a_project_that_was_made_for_a_file_is_found(main_project, bare):
    file = SolverFile("mine.jl", packages=(Package("ARDESPOT", "0.3"),))
    (bare / "made").mkdir()
    made = write_project(projects.made_project(file), {**complete_manifest(), "ARDESPOT": "0.3.8"})
    env, finding = projects.project_for(file)
    assert finding is None and env.project == str(made)


def test_a_file_with_its_own_project_runs_nowhere_else(main_project, bare):
    own = bare / "own"
    file = SolverFile("mine.jl", packages=(Package("FIB", "0.4"),), project=own)
    _, finding = projects.project_for(file)
    assert f"the project {own} lacks FIB 0.4" in str(finding)
    write_project(own, complete_manifest())
    env, finding = projects.project_for(file)
    assert finding is None and env.project == str(own)


def test_the_script_adds_every_package_as_it_is_named():
    packages = (Package("A", "0.3"), Package("B", path="/b"), Package("C", url="https://c"))
    script = projects.make_script(SolverFile("mine.jl", packages=packages))
    assert f'Pkg.develop(path="{environment.JULIA_PACKAGE}")' in script
    assert 'Pkg.add(name="A", version="0.3")' in script
    assert 'Pkg.develop(path="/b")' in script and 'Pkg.add(url="https://c")' in script
