"""Refusing a policy class that would be valued as what its parent does.

The evaluator asks a policy more than what it does at a belief: which action it repeats for good,
by which margins, from which vectors.  These statements are about the choice of the class that makes
them.  A class that overrides the choice and keeps the statements would be given the value of its
parent's policy, and call it exact.
"""

from __future__ import annotations

CHOICES = ("act", "act_batch", "step")
STATEMENTS = (
    *("repeats", "reasons", "margins", "stays_blind", "vectors", "plan", "all_plans"),
    "reads_beliefs",
)


def check_overrides(cls: type, base: type) -> None:
    """Refuse a class that overrides a choice but keeps what a parent below ``base`` says of it."""
    own = min(_height(cls, name) for name in CHOICES)
    above = cls.__mro__.index(base)
    kept = [name for name in STATEMENTS if own < _height(cls, name) < above]
    kept += [name for name in CHOICES if own < _height(cls, name) < above]
    if kept:
        parent = cls.__mro__[_height(cls, kept[0])]
        raise TypeError(
            f"{cls.__name__} overrides what {parent.__name__} does at a belief but keeps its "
            f"{kept[0]}, which would be wrong of it; derive from {base.__name__} and ask the "
            f"{parent.__name__} you hold"
        )


def _height(cls: type, name: str) -> int:
    """How far up among its parents a class finds this."""
    return next(i for i, parent in enumerate(cls.__mro__) if name in vars(parent))
