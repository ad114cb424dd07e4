"""Reading Cassandra's ``.pomdp`` format: the file as it stands, any POMDP in it.

The grammar: a preamble (``discount``, ``values``, ``states``, ``actions``, ``observations``, and
optionally ``start``), each once, then entries in any order, of which a later one overrides an
earlier one::

    T: a : s : s' p      T: a : s  (a row)      T: a  (a matrix, "uniform" or "identity")
    O: a : s' : o p      O: a : s' (a row)      O: a  (a matrix or "uniform")
    R: a : s : s' : o r  R: a : s : s' (a row)  R: a : s  (a matrix over s' and o)

Any of a, s, s', o may be a name, a number or ``*`` for all.  A name begins with a letter and is
not a word of the grammar, so that a misspelt section is never taken for names.

Written by hand, not with a parser library: how many numbers an entry has depends on sizes that the
file itself states, and a mistake is reported with its line.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from pomdp_bridge.files.cassandra_tokens import Tokens, is_index, is_number, one, shown
from solvers.core.validation import ModelError

ALL = -1
"""Stands for ``*`` in an index."""
SIZES = ("states", "actions", "observations")
NEEDED = ("discount", "values", *SIZES)
PREAMBLE = (*NEEDED, "start")
SECTIONS = (*PREAMBLE, "T", "O", "R")
RESERVED = {*PREAMBLE, *("include", "exclude", "uniform", "identity", "reset", "reward", "cost")}
NAME = re.compile(r"[^\W\d_][^\s:*#]*")
MOST_NAMES = 2**20
"""No file with more states, actions or observations than this could be held as a matrix."""
Entries = list[tuple[tuple[int, ...], object]]


@dataclass
class RawPOMDP:
    """A parsed file: sizes, names, and entries in file order, wildcards kept.

    transitions, observation_entries : lists of ((i, j, k), value); value is a number, or an array
        over the indices left out
    rewards : the same with four indices
    """

    path: Path
    discount: float = 1.0
    sign: float = 1.0  # −1 when the file states costs
    states: tuple[str, ...] = ()
    actions: tuple[str, ...] = ()
    observations: tuple[str, ...] = ()
    start: np.ndarray | None = None
    transitions: Entries = field(default_factory=list)
    observation_entries: Entries = field(default_factory=list)
    rewards: Entries = field(default_factory=list)

    def counts(self) -> dict[str, int]:
        """How many entries of each kind the file has."""
        return {
            "T": len(self.transitions),
            "O": len(self.observation_entries),
            "R": len(self.rewards),
            "start": int(self.start is not None),
        }


def parse(path: str | Path) -> RawPOMDP:
    """Parse a file; a mistake is reported with its line."""
    return _Parser(Path(path)).run()


class _Parser(Tokens):
    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.model = RawPOMDP(path)
        self.lookup: dict[str, dict[str, int]] = {}  # kind -> name -> index
        self.seen: set[str] = set()

    def starts_section(self) -> bool:
        """The next tokens open a section: a keyword and ':' (or 'start include:')."""
        token = self.peek()
        if token is None or isinstance(token, tuple):
            return True
        if token == "start" and self.peek(1) in ("include", "exclude"):
            return True
        return self.peek(1) == ":" and token in SECTIONS

    def index(self, names: tuple[str, ...], kind: str) -> int:
        """Take the name or number of one of ``names``, or ``*``."""
        token = self.word(one(kind))
        if token == "*":
            return ALL
        if is_index(token):
            found = int(token) if int(token) < len(names) else None
        else:
            if kind not in self.lookup:
                self.lookup[kind] = {name: i for i, name in enumerate(names)}
            found = self.lookup[kind].get(token)
        if found is None:
            few = f"the file declares {len(names)} {kind}s"
            raise self.fail(f"unknown {kind} {token!r}; {few}", back=1)
        return found

    # ------------------------------------------------------------------ sections
    def run(self) -> RawPOMDP:
        """All sections of the file."""
        while self.peek() is not None:
            word = self.take("a section")
            if isinstance(word, tuple) or word in ("T", "O", "R"):
                missing = [w for w in NEEDED if w not in self.seen]
                if missing:
                    raise self.fail(f"{word[0]}: stands before {', '.join(missing)}", back=1)
                self.whole_line(word) if isinstance(word, tuple) else self.entry(word)
            elif word in PREAMBLE:
                if word in self.seen:
                    raise self.fail(f"{word}: stands twice; a file says it once", back=1)
                if word != "start":
                    self.colon()
                getattr(self, f"read_{word}")()
                self.seen.add(word)
            else:
                raise self.unknown_section(word)
        missing = [w for w in NEEDED if w not in self.seen]
        if missing:
            raise self.fail(f"the file declares no {', '.join(missing)}: it is not a POMDP")
        for word, count in self.model.counts().items():
            if not count and word != "start":
                raise self.fail(f"the file has no {word}: line; it seems to be cut short")
        return self.model

    def unknown_section(self, word: str) -> ModelError:
        """An error at the word just taken, where a section should begin."""
        if self.peek() != ":":
            return self.fail(f"expected a section such as 'T:' but found {word!r}", back=1)
        near = difflib.get_close_matches(word, SECTIONS, n=1)
        hint = f"did you mean {near[0]}?" if near else f"expected one of: {', '.join(SECTIONS)}"
        return self.fail(f"unknown section {word!r}; {hint}", back=1)

    def read_discount(self) -> None:
        self.model.discount = self.number()

    def read_values(self) -> None:
        word = self.word("reward or cost")
        if word not in ("reward", "cost"):
            raise self.fail(f"values are {word!r}; expected reward or cost", back=1)
        self.model.sign = 1.0 if word == "reward" else -1.0

    def names(self, kind: str) -> tuple[str, ...]:
        found: list[str] = []
        while not self.starts_section():
            token = self.word(one(kind))
            if is_index(token) and not found and (self.peek(1) == ":" or self.starts_section()):
                if not 0 < int(token) <= MOST_NAMES:
                    raise self.fail(f"{token} {kind}s; expected 1 to {MOST_NAMES}", back=1)
                return tuple(str(i) for i in range(int(token)))
            if not NAME.fullmatch(token):
                raise self.fail(f"{token!r} cannot name {one(kind)}; names begin with a letter", 1)
            if self.peek() == ":":
                raise self.unknown_section(token)
            if token in RESERVED:
                raise self.fail(f"{token!r} cannot name {one(kind)}; it is a word of the format", 1)
            found.append(token)
        if not found:
            raise self.fail(f"no {kind}s are given")
        if len(set(found)) != len(found):
            double = next(x for i, x in enumerate(found) if x in found[:i])
            raise self.fail(f"{kind} {double!r} stands twice", back=1)
        return tuple(found)

    def read_states(self) -> None:
        self.model.states = self.names("state")

    def read_actions(self) -> None:
        self.model.actions = self.names("action")

    def read_observations(self) -> None:
        self.model.observations = self.names("observation")

    def read_start(self) -> None:
        if "states" not in self.seen:
            raise self.fail("start: stands before states", back=1)
        how = self.word("':'")
        S = len(self.model.states)
        if how in ("include", "exclude"):
            self.colon()
            listed = []
            while not self.starts_section():
                listed.append(self.index(self.model.states, "state"))
            chosen = np.isin(np.arange(S), listed) == (how == "include")
            if ALL in listed or not listed or not chosen.any():
                raise self.fail(f"start {how}: expected names of some states", back=1)
            self.model.start = chosen / chosen.sum()
        elif how != ":":
            raise self.fail(f"expected 'start:' but found 'start {how}'", back=1)
        elif self.peek() == "uniform":
            self.at += 1
            self.model.start = np.full(S, 1 / S)
        else:
            self.model.start = self.start_numbers(S)

    def start_numbers(self, S: int) -> np.ndarray:
        """One state by name or number, or the probability of each."""
        first = self.at
        self.at += 1
        alone = self.starts_section()
        self.at = first
        if alone and not (S == 1 and is_number(self.peek()) and not is_index(self.peek())):
            chosen = self.index(self.model.states, "state")
            if chosen == ALL:
                raise self.fail("start: * stands for all states; write 'start: uniform'", back=1)
            return np.eye(S)[chosen]
        return np.array([self.number() for _ in range(S)])

    # ------------------------------------------------------------------ entries
    def entry(self, word: str) -> None:
        self.colon()
        m = self.model
        action, state = (m.actions, "action"), (m.states, "state")
        axes = {
            "T": (action, state, state),
            "O": (action, state, (m.observations, "observation")),
            "R": (action, state, state, (m.observations, "observation")),
        }[word]
        place = [self.index(*axes[0])]
        while self.peek() == ":" and len(place) < len(axes):
            self.at += 1
            place.append(self.index(*axes[len(place)]))
        if word == "R" and len(place) == 1:
            raise self.fail("R: needs at least an action and a state")
        value = self.values(word, tuple(len(names) for names, _ in axes[len(place) :]))
        listed = {"T": m.transitions, "O": m.observation_entries, "R": m.rewards}[word]
        listed.append((tuple(place), value))

    def whole_line(self, line: tuple[str, ...]) -> None:
        m = self.model
        word = line[0]
        last = m.states if word == "T" else m.observations
        sizes = len(m.actions), len(m.states), len(last)
        if not all(is_index(x) and int(x) < n for x, n in zip(line[1:4], sizes, strict=True)):
            raise self.fail(
                f"{word}: {' : '.join(line[1:4])} is outside the {len(m.actions)} actions, "
                f"{len(m.states)} states and {len(m.observations)} observations declared",
                back=1,
            )
        listed = m.transitions if word == "T" else m.observation_entries
        listed.append(((int(line[1]), int(line[2]), int(line[3])), float(line[4])))

    def values(self, word: str, shape: tuple[int, ...]) -> object:
        """The numbers that follow: one, a row, or a matrix (or a word for it)."""
        if not shape:
            return self.number()
        if self.peek() == "uniform" and word != "R":
            self.at += 1
            return np.full(shape, 1 / shape[-1])
        if self.peek() == "identity" and word == "T":
            self.at += 1
            if len(shape) != 2:
                raise self.fail("identity stands where no matrix is expected", back=1)
            return np.eye(shape[0])
        count = int(np.prod(shape, dtype=float))
        if count > len(self.tokens) - self.at:
            raise self.fail(
                f"expected {count} numbers of a {'row' if len(shape) == 1 else 'matrix'}, and only "
                f"{len(self.tokens) - self.at} words are left; next is {shown(self.peek())}"
            )
        return np.array([self.number() for _ in range(count)]).reshape(shape)
