"""Checking a solver's options against its annotations, before anything runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from solvers import Solver, make_solver
from solvers.core.options import annotations_of, of_type, words


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
