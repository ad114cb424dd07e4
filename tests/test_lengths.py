"""Files and functions have a length one can hold in the head, as CONTRIBUTING.md asks."""

import ast
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MOST_LINES = 300
MOST_IN_FUNCTION = 60
SOURCES = ("*.py", "*.jl", "*.js", "*.css", "*.md")
KERNELS = "solvers/kernels/"
LONGER = {"solvers/bounds/verify.py": {"follow"}}
"""The checker's kernel stands in the checker's own file, which imports nothing of ours."""


def tracked():
    """The files of the project; results are not written by hand."""
    command = ["git", "-C", str(ROOT), "ls-files", *SOURCES, ":!results"]
    try:
        listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not a git checkout")
    return [name for name in listed.splitlines() if (ROOT / name).is_file()]


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


def test_no_file_is_over_300_lines():
    long = {name: text(name).count("\n") for name in tracked()}
    assert {name: lines for name, lines in long.items() if lines > MOST_LINES} == {}


def test_no_function_is_over_60_lines_outside_the_kernels():
    long = {}
    for name in tracked():
        if not name.endswith(".py") or name.startswith(KERNELS):
            continue
        for node in ast.walk(ast.parse(text(name))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = node.end_lineno - node.lineno + 1
                if lines > MOST_IN_FUNCTION and node.name not in LONGER.get(name, ()):
                    long[f"{name}: {node.name}"] = lines
    assert long == {}
