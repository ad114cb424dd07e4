"""What a suite asks for twice.

Results are told apart by problem, sensing cost, solver, options and seed.  Two entries that agree
in all of them would share one row, and one of the two would vanish from every table.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from bench.store import costs as cost_text
from solvers import Solver

Wrong = Callable[[str, str], None]
"""Takes the key and the text of a mistake."""
SHOWN = 3
"""Problems or sensing costs that a message lists before it only counts."""


def check_costs(wrong: Wrong, entries: Sequence[tuple[str, str, Sequence[Any]]]) -> None:
    """Check that no problem has a sensing cost twice.

    entries : the place of each ``[[problem]]``, such as ``problem[2]``, its id and sensing costs
    """
    first: dict[tuple[str, str], tuple[str, int]] = {}  # problem and cost -> where they stand
    for where, problem, costs in entries:
        shared: dict[str, list[str]] = {}  # an earlier entry -> the costs it has too
        for i, k in enumerate(map(cost_text.to_text, costs), 1):
            other, at = first.setdefault((problem, k), (where, i))
            if other != where:
                shared.setdefault(other, []).append(k)
            elif at != i:
                key = f"{where}.sensing_costs"
                wrong(f"{key}[{i}]", f"{k} stands already in {key}[{at}]; delete one of the two")
        for other, both in shared.items():
            listed = _listed(list(dict.fromkeys(both)))
            wrong(
                where,
                f"{problem} at the sensing cost {listed} stands already in {other}; delete it from "
                "one of the two",
            )


def check_solvers(
    wrong: Wrong,
    entries: Sequence[tuple[str, Mapping[str, Any]]],
    classes: Mapping[str, type[Solver]],
    problems: Sequence[str],
) -> None:
    """Check that no two solver entries with the same options run on the same problem.

    entries : the place of each, such as ``solver[2]``, with its id, label, options, budget and
        only_problems; the variants of one ``[[solver]]`` have the same place
    classes : the solver classes by id; an option left out has its class's default
    """
    same: dict[Hashable, list[tuple[str, Mapping[str, Any]]]] = {}
    for where, entry in entries:
        kind = entry["id"], _plain({**classes[entry["id"]].options(), **entry["options"]})
        before = same.setdefault(kind, [])
        for other, earlier in before:
            both = [p for p in dict.fromkeys(problems) if _takes(entry, p) and _takes(earlier, p)]
            if both:
                wrong(where, _told(entry, other, earlier, both, within=other == where))
                break
        before.append((where, entry))


def _told(
    entry: Mapping[str, Any], other: str, earlier: Mapping[str, Any], both: list[str], within: bool
) -> str:
    if within:
        return (
            f"'each' gives {entry['id']} with the same options twice ({earlier['label']!r} and "
            f"{entry['label']!r}); list every value once"
        )
    text = (
        f"{entry['label']!r} is {entry['id']} with the same options as {earlier['label']!r} "
        f"({other}) on {_listed(both)}; delete one, or give it other options or only_problems"
    )
    if entry["budget"] != earlier["budget"]:
        text += " (results do not tell two budgets apart; make a second suite for the other)"
    return text


def _takes(entry: Mapping[str, Any], problem: str) -> bool:
    return any(fnmatchcase(problem, pattern) for pattern in entry["only_problems"])


def _listed(names: list[str]) -> str:
    more = len(names) - SHOWN
    return ", ".join(names[:SHOWN]) + (f" and {more} more" if more > 0 else "")


def _plain(value: Any) -> Hashable:
    """A value that can be compared and hashed; 1 and 1.0 are the same, 1 and true are not."""
    if isinstance(value, Mapping):
        return tuple((key, _plain(value[key])) for key in sorted(value))
    if isinstance(value, list | tuple):
        return tuple(_plain(each) for each in value)
    if isinstance(value, bool):
        return bool, value
    return value if isinstance(value, Hashable) else repr(value)
