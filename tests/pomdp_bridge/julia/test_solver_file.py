"""The head of a Julia solver file, read without Julia."""

import pytest

from bench.cli import main
from pomdp_bridge.julia import environment
from pomdp_bridge.julia.solver_file import Option, Package, read_head
from solvers import SolverError, make_solver, solver_classes

HEAD = """# title: Mine, for a test
# packages: ARDESPOT 0.3, Mine path=../Mine.jl, Other url=https://example.org/Other.jl, Plain
# options: K::Int=500, lambda_=0.01, T_max, fast::Bool=true, how::String="well"
# policy: random
# start: asked
# bounds: proven
# project: my_project
using ARDESPOT
# title: too late to count
make_solver(m; budget, seed, options...) = DESPOTSolver(; options...)
"""


@pytest.fixture
def file(tmp_path):
    (tmp_path / "mine.jl").write_text(HEAD)
    return tmp_path / "mine.jl"


def test_a_head_is_read(file):
    found = read_head(file)
    assert found.title == "Mine, for a test"
    assert found.packages == (
        Package("ARDESPOT", "0.3"),
        Package("Mine", path=str((file.parent.parent / "Mine.jl").resolve())),
        Package("Other", url="https://example.org/Other.jl"),
        Package("Plain"),
    )
    assert found.options == (
        Option("K", int, 500),
        Option("lambda_", float, 0.01),
        Option("T_max", float, None),
        Option("fast", bool, True),
        Option("how", str, "well"),
    )
    assert found.random and found.asks_start and found.bounds == "proven"
    assert found.project == (file.parent / "my_project").resolve()


@pytest.mark.parametrize(
    ("version", "fits"), [("0.3.7", True), ("0.3", True), ("0.30.1", False), ("1.0.0", False)]
)
def test_a_version_is_a_prefix(version, fits):
    assert Package("ARDESPOT", "0.3").fits(version) is fits
    assert Package("ARDESPOT").fits(version)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("K::Int=500", "K::Real=500", "line 3: options: 'K::Real=500'"),
        ("K::Int=500", "K::Int=5.5", "the default is a float, not a int"),
        ("K::Int=500", "K::Int=many", "'many' is no number"),
        ("lambda_=0.01", "lambda=0.01", "lambda is a word of Python"),
        ("ARDESPOT 0.3,", "ARDESPOT = 0.3,", "line 2: packages: 'ARDESPOT = 0.3'"),
        ("policy: random", "policy: sometimes", "line 4: policy: 'sometimes'; expected random"),
        ("bounds: proven", "bounds: good", "expected proven, claimed, vectors"),
    ],
)
def test_mistakes_name_file_and_line(file, old, new, message):
    assert old in HEAD
    file.write_text(HEAD.replace(old, new))
    with pytest.raises(SolverError, match=message.replace("(", r"\(")) as caught:
        read_head(file)
    assert str(file) in str(caught.value)


def test_a_file_is_a_solver_wherever_an_id_is_asked_for(file, bare, capsys):
    name = f"julia:{file}"
    assert name in solver_classes()
    solver = make_solver(name, K=7, seed=3)
    assert (solver.K, solver.fast, solver.T_max, solver.seed) == (7, True, None, 3)
    assert solver.julia_options() == {"K": 7, "lambda_": 0.01, "fast": True, "how": "well"}
    assert "Julia is not set up" in solver.available()
    with pytest.raises(SolverError, match="has no option 'speed'"):
        make_solver(name, speed=1)
    assert main(["solve", "two-state", name]) == 2
    assert "cannot take two-state: Julia is not set up" in capsys.readouterr().err
    assert main(["solve", "two-state", f"julia:{file.parent / 'absent.jl'}"]) == 2
    assert "no such solver file" in capsys.readouterr().err


def test_a_plain_type_takes_any_option():
    solver = make_solver("julia:ARDESPOT.DESPOTSolver", K=3, max_trials=9, memory_gb=2.0)
    assert solver.julia_options() == {"K": 3, "max_trials": 9} and solver.memory_gb == 2.0
    assert solver.file.packages == (Package("ARDESPOT"),)
    with pytest.raises(SolverError, match=r"julia:FILE\.jl or julia:Package\.SolverType"):
        make_solver("julia:nonsense")


def test_every_shipped_file_has_a_good_head_and_an_id():
    files = sorted((environment.JULIA_PACKAGE / "solvers").glob("*.jl"))
    assert len(files) >= 15
    for path in files:
        head = read_head(path)
        assert head.title and head.packages and head.options is not None
        cls = solver_classes()["julia-" + path.stem.replace("_", "-")]
        assert cls.file == head and cls.__doc__ == head.title
        assert "make_solver" in path.read_text()
