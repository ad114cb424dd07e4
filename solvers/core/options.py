"""Whether a value fits the annotation of a solver's option, and annotations in words."""

from __future__ import annotations

import types
import typing
from typing import Any

import numpy as np
from pydantic import TypeAdapter, ValidationError
from pydantic.errors import PydanticSchemaGenerationError

WORDS = {int: "a whole number", float: "a number", str: "a text", bool: "true or false"}


def annotations_of(cls: type) -> dict[str, Any]:
    """The annotations of a solver's options; none if they cannot be resolved."""
    try:
        return typing.get_type_hints(cls)
    except NameError:  # a name imported for type checkers only
        return {}


def of_type(value: Any, hint: Any) -> bool:
    """Whether a plain value fits an annotation; a whole number fits a float."""
    try:
        plain = value.item() if isinstance(value, np.generic) else value
        TypeAdapter(hint).validate_python(plain, strict=True)
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
