"""Checking a solver's options against its annotations, before anything runs."""

from __future__ import annotations

import types
import typing
from collections.abc import Callable
from typing import Any

from pydantic import TypeAdapter, ValidationError
from pydantic.errors import PydanticSchemaGenerationError

from solvers import Solver, make_solver

WORDS = {int: "a whole number", float: "a number", str: "a text", bool: "true or false"}


def check_options(
    wrong: Callable[[str, str], None],
    key: str,
    cls: type[Solver],
    options: dict[str, Any],
    seed_allowed: bool = False,
) -> None:
    """Check names, types and values of a solver's options; tell mistakes to ``wrong(key, text)``.

    A suite gives seeds apart from options, so there ``seed`` is a mistake too.
    """
    known = cls.options()
    hints = annotations_of(cls)
    right = True
    for option, value in options.items():
        where, mistake = f"{key}.{option}", None
        if option == "seed" and not seed_allowed:
            mistake = "give seeds at the top of the file: seeds = [0, 1]"
        elif option not in known:
            has = ", ".join(f"{n} (default {d!r})" for n, d in known.items()) or "none"
            mistake = f"{cls.name} has no such option; its options: {has}"
        elif not of_type(value, hints.get(option, Any)):
            mistake = f"expected {words(hints[option])}, found {value!r}"
        if mistake:
            right = False
            wrong(where, mistake)
    if right:
        try:
            make_solver(cls.name, **options)
        except (ValueError, TypeError) as error:
            wrong(key, str(error))


def annotations_of(cls: type[Solver]) -> dict[str, Any]:
    """The annotations of a solver's options; none if they cannot be resolved."""
    try:
        return typing.get_type_hints(cls)
    except NameError:  # a name imported for type checkers only
        return {}


def of_type(value: Any, hint: Any) -> bool:
    """Whether a plain value fits an annotation; a whole number fits a float."""
    try:
        TypeAdapter(hint).validate_python(value, strict=True)
    except ValidationError:
        return False
    except PydanticSchemaGenerationError:  # a type of the solver's own: it knows better
        return True
    return True


def words(hint: Any) -> str:
    """An annotation in words."""
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return " or ".join(words(p) for p in typing.get_args(hint) if p is not type(None))
    if typing.get_origin(hint) is typing.Literal:
        return "one of " + ", ".join(repr(v) for v in typing.get_args(hint))
    return WORDS.get(hint, str(hint))
