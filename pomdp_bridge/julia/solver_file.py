"""The head of a Julia solver file: what it needs and what it takes, read without starting Julia.

A solver file defines ``make_solver(m; budget, seed, options...)``, which returns a solver of
POMDPs.jl.  Comments at its top, all of them optional, say the rest::

    # title: ARDESPOT, online
    # packages: ARDESPOT 0.3, Mine path=../Mine.jl, Other url=https://example.org/Other.jl
    # options: K::Int=500, lambda=0.01, T_max
    # policy: random            it plans with chance, so it is simulated
    # start: asked              it plans from a belief: it has an option start
    # bounds: proven            of a SARSOP: its initial upper bound is one
    # project: my_project       a Julia project of its own, relative to the file

An option without a type is a number; without a default it is left to the Julia solver.  Without a
line ``options`` every option is passed on by name.
"""

from __future__ import annotations

import ast
import keyword
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from solvers.core.solver import SolverError

RANDOM = "random"
ASKED = "asked"
PROVEN, CLAIMED, VECTORS = "proven", "claimed", "vectors"
BOUNDS = (PROVEN, CLAIMED, VECTORS)
"""Which bounds count: those of a tree that starts from a bound; those of a tree that may not, which
are only kept as notes; those of one vector per action, which are repaired (see bounds.py)."""
KEYS = ("title", "packages", "options", "policy", "start", "bounds", "project")
TYPES = {"Int": int, "Float64": float, "Bool": bool, "String": str}
_LINE = re.compile(r"#\s*([a-z]+):\s*(.*?)\s*$")
_PACKAGE = re.compile(r"([A-Za-z]\w*)(?:\s+(?:v?(\d+(?:\.\d+)*)|(path|url)=(\S+)))?")
_OPTION = re.compile(r"([A-Za-z]\w*)(?:::(\w+))?(?:\s*=\s*(.+))?")


@dataclass(frozen=True)
class Package:
    """A Julia package: by version (a prefix, ``0.3`` allows 0.3.7), path or url."""

    name: str
    version: str = ""
    path: str = ""
    url: str = ""

    def fits(self, version: str) -> bool:
        """Whether a version is the one asked for."""
        asked = self.version.split(".") if self.version else []
        return version.split(".")[: len(asked)] == asked

    def __str__(self) -> str:
        return f"{self.name} {self.version}".strip()


@dataclass(frozen=True)
class Option:
    """An option: its type, and its default, None for the Julia solver's own."""

    name: str
    type: type
    default: Any = None


@dataclass(frozen=True)
class SolverFile:
    """What the head of a solver file says; ``source`` is what Julia is given."""

    source: str
    title: str = ""
    packages: tuple[Package, ...] = ()
    options: tuple[Option, ...] | None = None
    random: bool = False
    asks_start: bool = False
    bounds: str = ""
    project: Path | None = None


def read_head(path: Path) -> SolverFile:
    """The head of a solver file; a mistake in it is told with its line."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        raise SolverError(f"no such solver file: {path}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise SolverError(f"{path} cannot be read: {error}") from None
    said: dict[str, tuple[int, str]] = {}
    for at, line in enumerate(lines, 1):
        if line.strip() and not line.startswith("#"):
            break
        found = _LINE.match(line)
        if found and found[1] in KEYS:
            said[found[1]] = at, found[2]

    def of(key: str) -> tuple[str, str]:
        at, text = said.get(key, (0, ""))
        return text, f"{path}, line {at}: {key}"

    return SolverFile(
        source=str(path.resolve()),
        title=of("title")[0],
        packages=tuple(
            _package(part, of("packages")[1], path) for part in _parts(of("packages")[0])
        ),
        options=_options(*of("options")) if "options" in said else None,
        random=_word(*of("policy"), ("", RANDOM)) == RANDOM,
        asks_start=_word(*of("start"), ("", ASKED)) == ASKED,
        bounds=_word(*of("bounds"), ("", *BOUNDS)),
        project=(path.parent / of("project")[0]).resolve() if "project" in said else None,
    )


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _word(text: str, where: str, allowed: tuple[str, ...]) -> str:
    if text not in allowed:
        expected = ", ".join(word for word in allowed if word)
        raise SolverError(f"{where}: {text!r}; expected {expected}, or no such line")
    return text


def _package(text: str, where: str, path: Path) -> Package:
    found = _PACKAGE.fullmatch(text)
    if not found:
        raise SolverError(
            f"{where}: {text!r}; expected NAME, NAME VERSION, NAME path=FOLDER or NAME url=ADDRESS"
        )
    name, version, kind, place = found.groups()
    if kind == "path":
        return Package(name, path=str((path.parent / place).resolve()))
    return Package(name, version or "", url=place or "")


def _options(text: str, where: str) -> tuple[Option, ...]:
    options = []
    for part in _parts(text):
        found = _OPTION.fullmatch(part)
        if not found or found[2] not in (None, *TYPES):
            raise SolverError(
                f"{where}: {part!r}; expected NAME, NAME::TYPE or NAME::TYPE=VALUE, "
                f"with TYPE one of {', '.join(TYPES)}"
            )
        if keyword.iskeyword(found[1]):
            raise SolverError(f"{where}: {found[1]} is a word of Python; choose another name")
        kind = TYPES[found[2] or "Float64"]
        options.append(Option(found[1], kind, _default(found[3], kind, f"{where}: {part!r}")))
    return tuple(options)


def _default(text: str | None, kind: type, where: str) -> Any:
    if text is None:
        return None
    value = {"true": True, "false": False}.get(text)
    if value is None:
        try:
            value = ast.literal_eval(text)
        except (ValueError, SyntaxError):
            raise SolverError(f"{where}: {text!r} is no number, text or truth value") from None
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if type(value) is not kind:
        raise SolverError(
            f"{where}: the default is a {type(value).__name__}, not a {kind.__name__}"
        )
    return value
