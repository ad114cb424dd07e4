"""What tables and figures call a method or a number, and in which order they appear.

Methods come in the order in which a reader looks for them: the paper's own, what it compares them
with, further bounds and baselines, then the POMDPs.jl solvers.  Problems come in the paper's order.
What is not known here follows, by name.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from solvers.core.solver import solver_classes

SOLVER_TITLES = {
    "spi": "SPI",
    "truncation": "Truncation",
    "atm": "ATM",
    "always-sense": "Always sense",
    "dips": "DIPS (ours)",
    "pomcp": "POMCP",
    "fib": "FIB",
    "qmdp": "QMDP",
    "hold": "Hold",
    "pbvi": "PBVI",
    "delayed-information": "Delayed information",
    "julia-sarsop": "SARSOP (Julia)",
    "julia-sarsop-structured": "SARSOP (Julia, our bound)",
    "julia-pomcp": "POMCP (Julia)",
    "julia-fib": "FIB (Julia)",
    "julia-qmdp": "QMDP (Julia)",
    "julia-pbvi": "PBVI (Julia)",
}
"""In the order of tables, of the page's columns and of legends."""
DEPTH_LETTER = {"truncation": "N", "delayed-information": "n"}
PROBLEM_ORDER = (
    "icu-sepsis",
    "taxi",
    "taxi-walls",
    "frozen-lake-4x4",
    "frozen-lake-4x4-hard",
    "frozen-lake-8x8",
    "frozen-lake-4x4-hard-near",
    "two-state",
    "two-state-b",
    "two-state-counterexample",
    "inventory",
    "measuring-value",
    "lucky-unlucky",
    "semi-slippery-4x4",
    "semi-slippery-8x8",
    "random-lake-12x12",
    "random-lake-20x20",
    "snake-maze",
    "drone",
    "drone-symmetric",
    "sepsis-nam",
    "machine-repair",
    "k-out-of-n-2",
    "k-out-of-n-3",
    "inspection",
    "gilbert-elliott",
)


def method_name(solver: str, label: str) -> str:
    """What a suite's label becomes in print: ``spi`` is SPI, ``spi-best`` is SPI-best."""
    if label.startswith(solver):
        return SOLVER_TITLES.get(solver, solver) + label.removeprefix(solver)
    return label or SOLVER_TITLES.get(solver, solver)


def solver_title(solver: str, options: Mapping[str, Any]) -> str:
    """``SPI``, ``Truncation N=3``, ``SPI (max iterations 2)``: a method and its options.

    Options at their defaults go without saying.
    """
    title = SOLVER_TITLES.get(solver, solver)
    known = solver_classes().get(solver)
    defaults = known.options() if known else {}
    rest = {n: v for n, v in options.items() if n not in defaults or defaults[n] != v}
    if solver in DEPTH_LETTER and "depth" in options:
        rest.pop("depth", None)
        title += f" {DEPTH_LETTER[solver]}={options['depth']}"
    words = ", ".join(f"{name.replace('_', ' ')} {_word(v)}" for name, v in sorted(rest.items()))
    if not words:
        return title
    return f"{title[:-1]}, {words})" if title.endswith(")") else f"{title} ({words})"


def _word(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def solver_rank(solver: str, options: Mapping[str, Any]) -> tuple:
    """Sort key of a method: the order above, then name, then depth and other options."""
    known = list(SOLVER_TITLES)
    place = known.index(solver) if solver in known else len(known)
    depth = options.get("depth", -1)
    depth = float(depth) if isinstance(depth, int | float) else math.inf
    rest = sorted((k, str(v)) for k, v in options.items() if k != "depth")
    return (place, solver, depth, rest)


def problem_rank(problem: str) -> tuple:
    """Sort key of a problem: the paper's order, then name."""
    known = problem in PROBLEM_ORDER
    return (PROBLEM_ORDER.index(problem) if known else len(PROBLEM_ORDER), problem)


def number(value: float, digits: int) -> str:
    """Fixed decimals, and no negative zero: ``-0.00`` is ``0.00``."""
    text = f"{value:.{digits}f}"
    return text.lstrip("-") if not any(c in "123456789" for c in text) else text


def seconds(value: float) -> str:
    """A time at the precision it deserves: 0.004, 0.12, 3.4, 128."""
    if value >= 99.5:
        return f"{value:.0f}"
    if value >= 0.995:
        return f"{value:.1f}"
    return f"{value:.2f}" if value >= 0.0095 else f"{value:.3f}"


def percent(share: float) -> str:
    """A proven gap, never rounded to a false zero: ``0 %`` only below one in 10⁷."""
    if not math.isfinite(share):
        return "no share"
    if share <= 1e-7:
        return "0 %"
    if share > 1:
        return "over 100 %"
    rounded_up = math.ceil(share * 1e5) / 1e3
    if rounded_up < 0.1:
        return f"{rounded_up:.3f} %"
    up = math.ceil(share * 1e4 - 1e-9) / 1e2
    return f"{up:.2f} %" if up < 1 else f"{math.ceil(share * 1e3 - 1e-9) / 1e1:.1f} %"


def cost_title(sensing_cost: float | str) -> str:
    """A sensing cost for headings: ``0.01``; one that is not uniform is cut to fit."""
    if isinstance(sensing_cost, float):
        return f"{sensing_cost:g}"
    return sensing_cost if len(sensing_cost) <= 14 else sensing_cost[:13] + "…"


def file_word(text: str) -> str:
    """A name as part of a file's name: letters, digits, points and hyphens."""
    kept = "".join(c if c.isascii() and (c.isalnum() or c in ".-_") else "-" for c in text)
    return re.sub("-{2,}", "-", kept).strip("-.") or "unnamed"


def counted(number: int, thing: str) -> str:
    """``1 cell``, ``2 cells``."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
