"""A hash of the code that can change a result: of what a solver, or a figure, really uses.

From some symbols on, everything they use, however deep (:mod:`bench.run.source`).  Editing a
comment or a docstring changes no hash; editing a function changes those of the solvers that reach
it.  A solver that runs through Julia reaches its worker's module and with it the Julia sources.
The problem's code is not looked at: the model it builds is (:mod:`bench.run.model_hash`).
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from bench.run.source import WHOLE, Source, Symbol, joined, module_file, source_of
from pomdp_bridge.julia.environment import JULIA_PACKAGE
from solvers import solver_classes
from solvers.core.solver import FILE_MODULES

DIGITS = 10
JUDGES: tuple[Symbol, ...] = (
    ("solvers.core.solver", "complete"),
    ("solvers.core.solver", "Budget"),
    ("bench.run.cell_result", "checked"),
    ("bench.run.cell_result", "figures"),
    ("bench.run.cell_result", "detail"),
    ("bench.run.verification", "verified"),
)
"""What judges every solver's answer, and makes the row of it."""
WORKER = "pomdp_bridge.julia.worker"
FILE = "file:"
"""Before a path: the module in a file that belongs to no package."""
JULIA_TOKENS = re.compile(
    r'#=.*?=#|#[^\n]*|(?P<doc>^"""(?:\\.|[^\\])*?"""[ \t]*$|^"(?:\\.|[^"\\\n])*"[ \t]*$)'
    r'|(?P<text>"""(?:\\.|[^\\])*?"""|"(?:\\.|[^"\\])*")',
    re.DOTALL | re.MULTILINE,
)


def code_hash(solver_id: str) -> str:
    """Short hash of the code that matters to a solver."""
    cls = solver_classes()[solver_id]
    code = hash_of((solver_symbol(cls), *JUDGES))
    file = getattr(cls, "file", None)  # a solver of POMDPs.jl is a Julia file
    if file is None:
        return code
    said = replace(file, source="", title="", project=None)
    path = Path(file.source)
    text = bare_julia(path.read_text(encoding="utf-8")) if path.is_file() else file.source
    return hashlib.sha256(f"{code}\n{said}\n{text}".encode()).hexdigest()[:DIGITS]


def solver_symbol(cls: type) -> Symbol:
    """Where a solver's class is: in a package, or all of a file that belongs to none."""
    file = Path(inspect.getfile(cls)).resolve()
    if not cls.__module__.startswith(FILE_MODULES):
        joined.add(cls.__module__.split(".")[0])
        if module_file(cls.__module__) is not None:
            return (cls.__module__, cls.__name__)
    return (f"{FILE}{file}", WHOLE)


@functools.cache
def hash_of(roots: tuple[Symbol, ...]) -> str:
    """Short hash of some symbols and of all they use."""
    digest = hashlib.sha256()
    reached = closure(roots)
    for symbol in sorted(reached):
        # A file that belongs to no package counts by what is in it, not by where it lies.
        module, name = symbol
        named = FILE if module.startswith(FILE) else module
        digest.update(f"{named}:{name}\n{_text(symbol)}\n".encode())
    if any(module == WORKER for module, _ in reached):
        digest.update(julia_text().encode())
    return digest.hexdigest()[:DIGITS]


def closure(roots: Iterable[Symbol]) -> set[Symbol]:
    """The symbols reached from some; (module, "") is what a module does when it is imported."""
    found: set[Symbol] = set()
    waiting = list(roots)
    while waiting:
        for symbol in _resolved(waiting.pop()):
            if symbol not in found:
                found.add(symbol)
                waiting += _source(symbol[0]).uses(symbol[1])
    return found


def _resolved(symbol: Symbol) -> list[Symbol]:
    """Where a symbol is defined, with what its module does on import; all symbols for WHOLE."""
    module, name = symbol
    source = _source(module)
    here = [(module, "")] if source.always else []
    if name == "":
        return here
    if name == WHOLE:
        return [*here, *((module, each) for each in source.definitions)]
    if name in source.definitions:
        return [*here, (module, name)]
    if name in source.imports and source.imports[name] != symbol:
        return _resolved(source.imports[name])
    return [*here, *((module, each) for each in source.definitions)]


def _source(module: str) -> Source:
    if module.startswith(FILE):
        return source_of(module, Path(module.removeprefix(FILE)))
    return source_of(module)


def _text(symbol: Symbol) -> str:
    return _source(symbol[0]).text(symbol[1])


@functools.cache
def julia_text(package: Path = JULIA_PACKAGE) -> str:
    """The Julia sources without comments and docstrings, and which packages they need."""
    files = sorted((package / "src").glob("**/*.jl"))
    parts = [bare_julia(path.read_text(encoding="utf-8")) for path in files]
    project = package / "Project.toml"
    return "\n".join([*parts, project.read_text(encoding="utf-8") if project.is_file() else ""])


def bare_julia(text: str) -> str:
    """Julia code without comments, docstrings and blank lines; strings in the code stay."""
    bare = JULIA_TOKENS.sub(lambda found: found["text"] or "", text)
    return "\n".join(line.rstrip() for line in bare.splitlines() if line.strip())
