"""Reading Cassandra's ``.pomdp`` format: the file as it stands, any POMDP in it.

The grammar: a preamble (``discount``, ``values``, ``states``, ``actions``, ``observations``, and
optionally ``start``), then entries in any order, of which a later one overrides an earlier one::

    T: a : s : s' p      T: a : s  (a row)      T: a  (a matrix, "uniform" or "identity")
    O: a : s' : o p      O: a : s' (a row)      O: a  (a matrix or "uniform")
    R: a : s : s' : o r  R: a : s : s' (a row)  R: a : s  (a matrix over s' and o)

Any of a, s, s', o may be a name, a number or ``*`` for all.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from solvers.core.validation import ModelError

ALL = -1
"""Stands for ``*`` in an index."""
PREAMBLE = ("discount", "values", "states", "actions", "observations", "start")
_TOKEN = re.compile(r":|[^\s:]+")
# Nearly all lines of a large file look like this; they are taken whole, ten times faster.
_ENTRY = re.compile(
    r"([TO])\s*:\s*(\d+)\s*:\s*(\d+)\s*:\s*(\d+)\s+([+-]?\d*\.?\d+(?:[eE][+-]?\d+)?)\s*$"
)


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
    transitions: list[tuple[tuple[int, ...], object]] = field(default_factory=list)
    observation_entries: list[tuple[tuple[int, ...], object]] = field(default_factory=list)
    rewards: list[tuple[tuple[int, ...], object]] = field(default_factory=list)


def parse(path: str | Path) -> RawPOMDP:
    """Parse a file; a mistake is reported with its line."""
    return _Parser(Path(path)).run()


class _Parser:
    def __init__(self, path: Path) -> None:
        self.model = RawPOMDP(path)
        try:
            text = path.read_text(encoding="utf-8")
        except FileNotFoundError:
            raise ModelError(f"no such file: {path}") from None
        except UnicodeDecodeError:
            raise ModelError(f"{path} is not a text file") from None
        self.tokens: list[str | tuple[str, ...]] = []  # a tuple is a whole line
        self.lines: list[int] = []
        for at, line in enumerate(text.splitlines(), 1):
            whole = _ENTRY.match(line)
            found = [whole.groups()] if whole else _TOKEN.findall(line.partition("#")[0])
            self.tokens += found
            self.lines += [at] * len(found)
        self.at = 0
        self.lookup: dict[str, dict[str, int]] = {}  # kind -> name -> index

    # ------------------------------------------------------------------ tokens
    def fail(self, message: str) -> ModelError:
        line = self.lines[min(self.at, len(self.lines) - 1)] if self.lines else 1
        return ModelError(f"{self.model.path}, line {line}: {message}")

    def peek(self, ahead: int = 0) -> str | None:
        i = self.at + ahead
        return self.tokens[i] if i < len(self.tokens) else None

    def take(self, what: str) -> str:
        token = self.peek()
        if token is None:
            raise self.fail(f"the file ends where {what} was expected")
        self.at += 1
        return token

    def colon(self) -> None:
        if self.peek() != ":":
            raise self.fail(f"expected ':' but found {self.peek()!r}")
        self.at += 1

    def number(self) -> float:
        token = self.take("a number")
        try:
            return float(token)
        except ValueError:
            self.at -= 1
            raise self.fail(f"expected a number but found {token!r}") from None

    def starts_section(self) -> bool:
        """The next tokens open a section: a keyword and ':' (or 'start include:')."""
        token = self.peek()
        if token is None or isinstance(token, tuple):
            return True
        if token == "start" and self.peek(1) in ("include", "exclude"):
            return True
        return self.peek(1) == ":" and token in (*PREAMBLE, "T", "O", "R")

    def index(self, names: tuple[str, ...], kind: str) -> int:
        token = self.take(f"a {kind}")
        if token == "*":
            return ALL
        if token.isdigit():
            found = int(token) if int(token) < len(names) else None
        else:
            found = self.positions(names, kind).get(token)
        if found is not None:
            return found
        self.at -= 1
        raise self.fail(f"unknown {kind} {token!r}; the file declares {len(names)} {kind}s")

    def positions(self, names: tuple[str, ...], kind: str) -> dict[str, int]:
        if kind not in self.lookup:
            self.lookup[kind] = {name: i for i, name in enumerate(names)}
        return self.lookup[kind]

    # ------------------------------------------------------------------ sections
    def run(self) -> RawPOMDP:
        seen = set()
        while self.peek() is not None:
            word = self.take("a section")
            if word[0] in ("T", "O", "R") and (len(word) == 1 or isinstance(word, tuple)):
                missing = [w for w in PREAMBLE[:5] if w not in seen]
                if missing:
                    raise self.fail(f"{word[0]}: stands before {', '.join(missing)}")
                if isinstance(word, tuple):
                    self.whole_line(word)
                    continue
                self.colon()
                self.entry(word)
            elif word in PREAMBLE:
                if word != "start":
                    self.colon()
                getattr(self, f"read_{word}")()
                seen.add(word)
            else:
                self.at -= 1
                raise self.fail(f"expected a section such as 'T:' but found {word!r}")
        if "observations" not in seen:
            raise self.fail("the file declares no observations: it is not a POMDP")
        return self.model

    def read_discount(self) -> None:
        self.model.discount = self.number()

    def read_values(self) -> None:
        word = self.take("reward or cost")
        if word not in ("reward", "cost"):
            raise self.fail(f"values are {word!r}; expected reward or cost")
        self.model.sign = 1.0 if word == "reward" else -1.0

    def names(self, kind: str) -> tuple[str, ...]:
        found = []
        while not self.starts_section():
            found.append(self.take(kind))
        if len(found) == 1 and found[0].isdigit():
            return tuple(str(i) for i in range(int(found[0])))
        if not found:
            raise self.fail(f"no {kind}s are given")
        return tuple(found)

    def read_states(self) -> None:
        self.model.states = self.names("state")

    def read_actions(self) -> None:
        self.model.actions = self.names("action")

    def read_observations(self) -> None:
        self.model.observations = self.names("observation")

    def read_start(self) -> None:
        how = self.take("start")  # ':', or include/exclude and then ':'
        S = len(self.model.states)
        if how in ("include", "exclude"):
            self.colon()
            listed = []
            while not self.starts_section():
                listed.append(self.index(self.model.states, "state"))
            chosen = np.isin(np.arange(S), listed) == (how == "include")
            self.model.start = chosen / chosen.sum()
        elif self.peek() == "uniform":
            self.at += 1
            self.model.start = np.full(S, 1 / S)
        else:
            first = self.at
            self.at += 1
            alone = self.starts_section() and (S > 1)
            self.at = first
            if alone:
                self.model.start = np.eye(S)[self.index(self.model.states, "state")]
            else:
                self.model.start = np.array([self.number() for _ in range(S)])

    def entry(self, word: str) -> None:
        m = self.model
        axes = {
            "T": ((m.actions, "action"), (m.states, "state"), (m.states, "state")),
            "O": ((m.actions, "action"), (m.states, "state"), (m.observations, "observation")),
            "R": (
                (m.actions, "action"),
                (m.states, "state"),
                (m.states, "state"),
                (m.observations, "observation"),
            ),
        }[word]
        place = [self.index(*axes[0])]
        while self.peek() == ":" and len(place) < len(axes):
            self.at += 1
            place.append(self.index(*axes[len(place)]))
        if word == "R" and len(place) == 1:
            raise self.fail("R: needs at least an action and a state")
        value = self.values(tuple(len(names) for names, _ in axes[len(place) :]))
        listed = {"T": m.transitions, "O": m.observation_entries, "R": m.rewards}[word]
        listed.append((tuple(place), value))

    def whole_line(self, line: tuple[str, ...]) -> None:
        m = self.model
        word, place = line[0], (int(line[1]), int(line[2]), int(line[3]))
        last = m.states if word == "T" else m.observations
        if place[0] < len(m.actions) and place[1] < len(m.states) and place[2] < len(last):
            listed = m.transitions if word == "T" else m.observation_entries
            listed.append((place, float(line[4])))
            return
        self.at -= 1
        raise self.fail(
            f"{word}: {place[0]} : {place[1]} : {place[2]} is outside the {len(m.actions)} "
            f"actions, {len(m.states)} states and {len(m.observations)} observations declared"
        )

    def values(self, shape: tuple[int, ...]) -> object:
        """The numbers that follow: one, a row, or a matrix (or a word for it)."""
        if not shape:
            return self.number()
        if self.peek() == "uniform":
            self.at += 1
            return np.full(shape, 1 / shape[-1])
        if self.peek() == "identity":
            self.at += 1
            if len(shape) != 2 or shape[0] != shape[1]:
                raise self.fail("identity stands where no square matrix is expected")
            return np.eye(shape[0])
        count = int(np.prod(shape))
        return np.array([self.number() for _ in range(count)]).reshape(shape)
