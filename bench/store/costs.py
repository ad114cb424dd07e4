"""Sensing costs as text: the only place that turns one into the other.

A row, a cell and a file name state a sensing cost as text: ``0.01``; ``[0.1, 0.2]``, one per
action, or a list of such lists, one per state, where it varies; ``own`` for a problem file that
keeps its own, which varies.
"""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np

OWN = "own"
"""A problem file's own sensing cost; as a number it is NaN, which such a problem understands."""
DIGITS = 12


def to_text(sensing_cost: Any) -> str:
    """A number, nested lists or an array as text; a number reads back as the same number."""
    if isinstance(sensing_cost, np.ndarray):
        sensing_cost = sensing_cost.tolist()
    if isinstance(sensing_cost, list | tuple):
        return json.dumps(sensing_cost)
    number = float(sensing_cost)
    if math.isnan(number):
        return OWN
    short = f"{number:.{DIGITS}g}"
    return short if float(short) == number else repr(number)


def from_text(text: str) -> float | np.ndarray:
    """What :func:`to_text` wrote, as a problem's ``build`` takes it."""
    if text == OWN:
        return math.nan
    read = json.loads(text)
    return np.array(read, float) if isinstance(read, list) else float(read)


def number_or_text(text: str | float) -> float | str:
    """A uniform sensing cost as a number; one that varies stays text."""
    try:
        return float(text)
    except ValueError:
        return text
