"""The key of a cell: a hash of what it is and of the code that matters to it.

The code that matters is the source of the cell's own process, of the solver's module and of the
problem's module, with every module of this project that these import, however deep.  Tables,
plots and documentation are not among them, and nor is another solver's file: editing one solver
makes only its own cells stale.  A solver that runs through Julia also depends on ``julia/``.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import inspect
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from bench.problems import find_problem
from solvers import solver_classes

PACKAGES = ("solvers", "pomdp_bridge", "bench")
KEY_DIGITS = 16
CODE_DIGITS = 10
ROOT = Path(__file__).resolve().parents[2]


def cell_key(identity: Mapping[str, Any]) -> str:
    """The key of a cell given by plain values (code hash included): 16 hexadecimal digits."""
    text = json.dumps(identity, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:KEY_DIGITS]


def code_hash(solver_id: str, problem_id: str) -> str:
    """Short hash of the code that matters to a solver on a problem."""
    solver = Path(inspect.getfile(solver_classes()[solver_id])).resolve()
    found = set(_closure(ROOT / "bench" / "run" / "cell.py")) | set(_closure(solver))
    problem = Path(problem_id)
    if problem.suffix in (".npz", ".pomdp") and problem.is_file():
        found.add(problem.resolve())
    facts = find_problem(problem_id)
    for build in (facts.build, facts.plain or facts.build):
        found |= set(_closure(_source_of(build)))
    if ROOT / "pomdp_bridge" in solver.parents:
        found |= set((ROOT / "julia" / "src").glob("**/*.jl"))
        found |= {p for p in [ROOT / "julia" / "Project.toml"] if p.exists()}
    digest = hashlib.sha256()
    for path in sorted(found):
        digest.update(_digest(path))
    return digest.hexdigest()[:CODE_DIGITS]


def _source_of(build: Callable) -> Path:
    while isinstance(build, functools.partial):
        build = build.func
    return Path(inspect.getsourcefile(inspect.unwrap(build))).resolve()


@functools.cache
def _digest(path: Path) -> bytes:
    return hashlib.sha256(path.read_bytes()).digest()


@functools.cache
def _closure(path: Path) -> frozenset[Path]:
    """A source file and all files of this project that it imports, directly or not."""
    found = {path}
    waiting = [path]
    while waiting:
        for imported in _imports(waiting.pop()):
            if imported not in found:
                found.add(imported)
                waiting.append(imported)
    return frozenset(found)


@functools.cache
def _imports(path: Path) -> frozenset[Path]:
    """The files of this project that one source file imports, in functions too."""
    found: set[Path | None] = set()
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            found |= {_module_file(alias.name) for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                found.add(_name_file(node.module, alias.name))
    return frozenset(p for p in found if p is not None and p != path)


def _name_file(module: str, name: str) -> Path | None:
    """Where ``from module import name`` gets the name: a package's face is looked through."""
    submodule = _module_file(f"{module}.{name}")
    if submodule is not None:
        return submodule
    here = _module_file(module)
    if here is not None and here.name == "__init__.py":
        return _exports(here).get(name, here)
    return here


@functools.cache
def _exports(init: Path) -> dict[str, Path]:
    """Names that a package's ``__init__`` takes from its own modules, and their files."""
    return {
        alias.asname or alias.name: file
        for node in ast.parse(init.read_bytes()).body
        if isinstance(node, ast.ImportFrom) and node.module and not node.level
        for alias in node.names
        if (file := _module_file(node.module)) is not None
    }


@functools.cache
def _module_file(module: str) -> Path | None:
    """The source file of a module of this project; None for any other module."""
    parts = module.split(".")
    if parts[0] not in PACKAGES:
        return None
    base = ROOT.joinpath(*parts)
    for path in (base.with_suffix(".py"), base / "__init__.py"):
        if path.is_file():
            return path
    return None
