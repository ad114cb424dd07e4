"""Where walks are: what is known of blind walks between two steps, and what one step of them is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from solvers.kernels.returns import Rows


@dataclass
class Step:
    """One step of all walks (n,) that still go on.

    looks : it looks now; repeats : it stays blind and repeats this action for good
    span : (n,), how many steps of this action are taken at once, 1 but for leaps
    period : steps after which this belief came back, 0 if it did not
    marks : (n,), True where later beliefs are compared with this one
    left : (n,), what is left out at this step, in absolute terms
    cut : (n,), True where the walk is left unfinished, though more than a little may still be paid
    costs : cost of these steps (n,), the same in absolute terms (n,), and the error as a share of
    the latter (n,); awake : (n,), how many steps these count as; all discounted from here on
    blur : share by which rounding may have changed the entries of the beliefs
    """

    depth: int
    roots: np.ndarray
    beliefs: Rows
    actions: np.ndarray
    looks: np.ndarray
    repeats: np.ndarray
    span: np.ndarray
    period: np.ndarray
    marks: np.ndarray
    left: np.ndarray
    cut: np.ndarray
    costs: tuple[np.ndarray, np.ndarray, np.ndarray]
    awake: np.ndarray
    blur: float

    @property
    def ends(self) -> np.ndarray:
        return self.looks | self.repeats | (self.period > 0)


@dataclass
class Block:
    """Walks (n,) that are equally old.

    paid : (n,), in absolute terms; seen, seen_at : a belief (n, S) of theirs, to notice when it
    comes back, and its depth (n,), -1 for walks that have just begun or leapt
    blur : as in Step
    """

    depth: int
    roots: np.ndarray
    beliefs: Rows
    paid: np.ndarray
    seen: Rows
    seen_at: np.ndarray
    blur: float

    @classmethod
    def fresh(
        cls, depth: int, roots: np.ndarray, beliefs: Rows, paid: np.ndarray, blur: float
    ) -> Block:
        return cls(depth, roots, beliefs, paid, beliefs, np.full(len(roots), -1), blur)


def leaps(actions: np.ndarray, spans: np.ndarray) -> Iterator[tuple[int, int, np.ndarray]]:
    """Action, length and rows of the walks that leap alike."""
    leaping = np.flatnonzero(spans > 1)
    if len(leaping):
        for a, span in np.unique(np.stack([actions, spans])[:, leaping], axis=1).T.tolist():
            yield a, span, leaping[(actions[leaping] == a) & (spans[leaping] == span)]


def joined(blocks: list[Block]) -> Block:
    """Blocks of the same age as one."""
    names = ("roots", "beliefs", "paid", "seen", "seen_at")
    arrays = {name: np.concatenate([getattr(b, name) for b in blocks]) for name in names}
    return Block(depth=blocks[0].depth, blur=max(b.blur for b in blocks), **arrays)
