"""One source file as its definitions: which names it defines, and which names each of them uses.

A *symbol* is (module, name) of something defined at the top of a module: a function, a class or a
constant.  Its text is its syntax tree written out again, so comments, docstrings and layout do not
count.  What it uses are the symbols of this project that its code names, looked through the faces
of packages and imports inside functions.  A module started by name ("-m", "pkg.mod") is used, too.
"""

from __future__ import annotations

import ast
import functools
import importlib.util
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("solvers", "pomdp_bridge", "bench")
WHOLE = "*"
"""In place of a name: everything a module defines."""
joined: set[str] = set()
"""Other packages whose solvers joined: their own modules count as well."""

Symbol = tuple[str, str]


@dataclass
class Source:
    """A parsed module."""

    module: str
    path: Path
    package: str
    definitions: dict[str, list[ast.stmt]] = field(default_factory=dict)
    imports: dict[str, Symbol] = field(default_factory=dict)
    always: list[ast.stmt] = field(default_factory=list)
    _texts: dict[str, str] = field(default_factory=dict)
    _uses: dict[str, set[Symbol]] = field(default_factory=dict)

    def text(self, name: str) -> str:
        """A definition without docstrings and comments."""
        if name not in self._texts:  # most solvers use most of the core
            self._texts[name] = "\n".join(ast.unparse(node) for node in self._nodes(name))
        return self._texts[name]

    def uses(self, name: str) -> set[Symbol]:
        """The symbols of this project that a definition names."""
        if name not in self._uses:
            visitor = _Names(self)
            for node in self._nodes(name):
                visitor.visit(node)
            self._uses[name] = visitor.found
        return self._uses[name]

    def _nodes(self, name: str) -> list[ast.stmt]:
        return self.always if name == "" else self.definitions[name]


def source_of(module: str, path: Path | None = None) -> Source:
    """The source of a module that :func:`module_file` knows, or of the one in a file."""
    path = path or module_file(module)
    if path is None:
        raise KeyError(module)
    return _parse(module, path)


def module_file(module: str) -> Path | None:
    """The source file of a module of this project or of a package that joined; None for others."""
    top = module.split(".")[0]
    if top in PACKAGES:
        return _file_below(module)
    return _file_of_package(module) if top in joined else None


@functools.cache
def _file_below(module: str) -> Path | None:
    base = ROOT.joinpath(*module.split("."))
    for path in (base.with_suffix(".py"), base / "__init__.py"):
        if path.is_file():
            return path
    return None


@functools.cache
def _file_of_package(module: str) -> Path | None:
    try:
        spec = importlib.util.find_spec(module)
    except (ImportError, ValueError):
        return None
    found = Path(spec.origin) if spec is not None and spec.origin else None
    return found if found is not None and found.suffix == ".py" else None


@functools.cache
def _parse(module: str, path: Path) -> Source:
    tree = ast.parse(path.read_bytes())
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    source = Source(module, path, package)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            source.imports.update(_imported(node, package))
    _Bare().visit(tree)
    for node in tree.body:
        _place(source, node)
    return source


def _place(source: Source, node: ast.stmt) -> None:
    """Put a statement of the top level where it belongs."""
    if isinstance(node, ast.Import | ast.ImportFrom | ast.Pass):
        return
    names = sorted(set(_defined(node)))
    if not names:
        source.always.append(node)
    for name in names:
        source.definitions.setdefault(name, []).append(node)


def _defined(node: ast.stmt) -> Iterator[str]:
    """The names that a statement of the top level defines, inside ``if`` and ``try`` too."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
        return
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
            yield inner.id
        elif isinstance(inner, ast.FunctionDef | ast.ClassDef):
            yield inner.name


def _imported(node: ast.Import | ast.ImportFrom, package: str) -> dict[str, Symbol]:
    """The names an import gives, and what of this project they are; a module has the name *."""
    found: dict[str, Symbol] = {}
    if isinstance(node, ast.Import):
        for alias in node.names:
            if module_file(alias.name):
                found[alias.asname or alias.name] = (alias.name, WHOLE)
        return found
    base = node.module or ""
    if node.level:
        above = package.split(".")[: len(package.split(".")) - node.level + 1]
        base = ".".join([*above, base] if base else above)
    for alias in node.names:
        name = alias.asname or alias.name
        if module_file(f"{base}.{alias.name}"):
            found[name] = (f"{base}.{alias.name}", WHOLE)
        elif module_file(base):
            found[name] = (base, alias.name)
    return found


class _Bare(ast.NodeTransformer):
    """Takes docstrings, and the strings that stand after constants to explain them, away."""

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        if isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            return None
        return self.generic_visit(node)

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        body = getattr(node, "body", None)
        if isinstance(body, list) and not body and not isinstance(node, ast.Module):
            node.body = [ast.Pass()]  # type: ignore[attr-defined]
        return node


class _Names(ast.NodeVisitor):
    """Collects the symbols that a piece of code names."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.found: set[Symbol] = set()

    def visit_Name(self, node: ast.Name) -> None:
        if node.id in self.source.imports:
            self.found.add(self.source.imports[node.id])
        elif node.id in self.source.definitions:
            self.found.add((self.source.module, node.id))

    def visit_Attribute(self, node: ast.Attribute) -> None:
        """``module.name`` is that name alone, not the whole module."""
        chain = _chain(node)
        for length in range(len(chain) - 1, 0, -1):
            known = self.source.imports.get(".".join(chain[:length]))
            if known is not None and known[1] == WHOLE:
                self.found.add((known[0], chain[length]))
                return
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, str) and "." in node.value and module_file(node.value):
            self.found.add((node.value, WHOLE))


def _chain(node: ast.expr) -> list[str]:
    """``a.b.c`` as its parts; none if it does not begin with a name."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return [node.id, *reversed(parts)] if isinstance(node, ast.Name) else []
