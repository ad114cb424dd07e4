"""No module of ours needs itself: also an import inside a function, which could hide it, counts."""

import ast
import graphlib
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = ("solvers", "pomdp_bridge", "bench")


def modules():
    """The file of every module of ours, by the module's name."""
    found = {}
    for path in (p for package in PACKAGES for p in (ROOT / package).rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts).removesuffix(".__init__")] = path
    return found


def imported(tree, known):
    """The modules of ours that a file imports at any depth; what only types need is left out."""
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            node.body = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                yield from {name if name in known else node.module} & known.keys()


def test_no_import_leads_back_to_where_it_began():
    known = modules()
    assert len(known) > 200
    needs = {
        name: set(imported(ast.parse(path.read_text(encoding="utf-8")), known)) - {name}
        for name, path in known.items()
    }
    graphlib.TopologicalSorter(needs).prepare()  # raises CycleError with the way round
