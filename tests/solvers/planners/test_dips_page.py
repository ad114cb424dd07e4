"""The page on DIPS names every number that can be tuned."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
SOURCES = (
    "solvers/planners/dips.py",
    "solvers/bounds/root_bounds.py",
    "solvers/bounds/plan_search.py",
    "solvers/bounds/visits.py",
)
MORE = {"DEEPEST_COMMON", "MAX_DEPTH", "LONGEST_LOOP", "SAME", "MEMORY_UNASKED", "SHORT_RUN"}


def constants(path):
    """The names in capitals that a module gives a value to."""
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Assign):
            for name in ast.walk(node.targets[0]):
                if isinstance(name, ast.Name) and name.id.isupper():
                    yield name.id


@pytest.mark.parametrize("source", SOURCES)
def test_every_constant_is_on_the_page(source):
    page = (ROOT / "docs" / "dips.md").read_text()
    named = set(constants(ROOT / source))
    assert named
    assert not [name for name in sorted(named | MORE) if f"`{name}`" not in page]
