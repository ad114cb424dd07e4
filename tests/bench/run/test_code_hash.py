"""Code hashes: prose changes none, a line of code changes those of the solvers that use it."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bench.problems import load_problem
from bench.run.code_hash import JUDGES, bare_julia, closure, code_hash, julia_text, solver_symbol
from solvers import Budget, make_solver, solver_classes
from solvers.core.solver import complete

ROOT = Path(__file__).parents[3]
HASHES = """
from bench.run.code_hash import code_hash, hash_of
from solvers import solver_classes
for name in sorted(solver_classes()):
    print(name, code_hash(name))
print("figures", hash_of((("bench.plots", "figures"), ("bench.plots.style", "save"))))
"""
DOCSTRING = re.compile(r'"""(?=[A-Z])')


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A copy of the sources, to edit."""
    folder = tmp_path_factory.mktemp("tree")
    for package in ("solvers", "pomdp_bridge", "bench", "julia"):
        shutil.copytree(ROOT / package, folder / package, ignore=shutil.ignore_patterns("*.pyc"))
    return folder


def hashes(tree):
    done = subprocess.run(
        [sys.executable, "-c", HASHES],
        cwd=tree,
        # Nothing is run, so nothing need be compiled anew where a file was edited.
        env={"PYTHONPATH": str(tree), "PATH": "/usr/bin:/bin", "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    return dict(line.split() for line in done.stdout.splitlines())


@pytest.fixture(scope="module")
def before(tree):
    """The hashes of the sources as they are; every test leaves the tree as it found it."""
    return hashes(tree)


def edit(path, old, new):
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    return lambda: path.write_text(text, encoding="utf-8")


def test_editing_prose_anywhere_changes_no_hash(tree, before):
    edited = 0
    for path in [*tree.glob("**/*.py"), *tree.glob("**/*.jl")]:
        text = path.read_text(encoding="utf-8")
        new = DOCSTRING.sub('"""Said otherwise. ', text) + "\n# a comment\n"
        edited += new.count("Said otherwise.")
        path.write_text(new, encoding="utf-8")
    assert edited > 300
    try:
        assert hashes(tree) == before
    finally:
        for package in ("solvers", "pomdp_bridge", "bench", "julia"):
            shutil.copytree(ROOT / package, tree / package, dirs_exist_ok=True)


def changed(before, after):
    return {name for name in before if before[name] != after[name]}


def test_one_line_of_spi_changes_only_what_uses_it(tree, before):
    spi = tree / "solvers" / "planners" / "spi.py"
    undo = edit(spi, "delta: float = 1e-6", "delta: float = 2e-6")
    found = changed(before, hashes(tree))
    undo()
    users = {n for n in before if "spi" in _modules_reached(n)}
    assert "spi" in found and found == users
    assert not found & {"atm", "always-sense", "fib", "qmdp", "truncation", "julia-fib", "figures"}


def _modules_reached(name):
    if name == "figures":
        return set()
    reached = closure([solver_symbol(solver_classes()[name]), *JUDGES])
    used = {(m, s) for m, s in reached if m == "solvers.planners.spi"}
    return {"spi"} if ("solvers.planners.spi", "SPI") in used else set()


def test_the_evaluator_concerns_all_and_a_figure_only_figures(tree, before):
    evaluation = tree / "solvers" / "core" / "evaluation.py"
    undo = edit(evaluation, "step.blur + 2 * self", "step.blur + 3 * self")
    assert changed(before, hashes(tree)) >= set(before) - {"figures"}
    undo()
    undo = edit(tree / "bench" / "plots" / "profile.py", "LEAST_SHARE = ", "LEAST_SHARE = 0 + ")
    assert changed(before, hashes(tree)) == {"figures"}
    undo()


def test_the_julia_side_concerns_julia_solvers_alone(tree, before):
    julia = {name for name in before if name.startswith("julia-")}
    for path, old, new in (
        (tree / "julia" / "src" / "structured_fib.jl", "end\n", "end\nconst another = 1\n"),
        (tree / "pomdp_bridge" / "julia" / "worker.py", "announce(done=True)", "announce(done=1)"),
    ):
        undo = edit(path, old, new)
        assert changed(before, hashes(tree)) == julia
        undo()


def test_strings_in_julia_code_count_and_prose_does_not():
    text = '"""\n    f(x)\n\nOne.\n"""\nf(x) = "a # b"  # why\n#= long\nword =# g() = 2\n'
    assert bare_julia(text) == 'f(x) = "a # b"\n g() = 2'
    assert "function" in julia_text() and "# " not in julia_text().split("[deps]")[0]


@pytest.mark.parametrize(
    "name", ["always-sense", "atm", "spi", "dips", "pbvi", "truncation", "qmdp"]
)
def test_all_that_runs_is_in_the_hash(name):
    """Every function of ours that a solver calls on a small problem is among what was hashed."""
    solver = make_solver(name)
    reached = closure([solver_symbol(type(solver)), *JUDGES])
    problem = load_problem("frozen-lake-4x4", 0.01)
    solver.solve(problem, Budget(3.0))  # what is compiled is compiled before one looks
    called = set()

    def note(frame, event, argument):
        path = Path(frame.f_code.co_filename)
        if event == "call" and ROOT / "solvers" in path.parents:
            module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            called.add((module, frame.f_code.co_qualname.split(".")[0]))

    sys.setprofile(note)
    try:
        complete(solver.solve(problem, Budget(3.0)), problem, name, 1.0)
    finally:
        sys.setprofile(None)
    assert len(called) > 5
    unseen = {symbol for symbol in called - reached if not symbol[1].startswith("<")}
    assert unseen == set()


def test_the_hash_of_a_file_follows_its_code_and_not_its_place(tmp_path):
    from solvers import load_solver_file

    text = (Path(__file__).parents[1] / "little_solvers.py").read_text()
    found = []
    for i, source in enumerate(
        [text, text + "\n# prose\n", text.replace("nap: float = 0.0", "nap: float = 1.0")]
    ):
        folder = tmp_path / str(i)
        folder.mkdir()
        (folder / "mine.py").write_text(source)
        load_solver_file(folder / "mine.py") if i == 0 else _replace(folder / "mine.py")
        found.append(code_hash("first-action"))
    assert found[0] == found[1] != found[2]


def _replace(path):
    from solvers.core import solver

    for cls in solver._register_from(solver.import_file(path)):
        assert cls.__module__.startswith("sensebench_file_")
