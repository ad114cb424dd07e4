"""Small problems that are hard on proofs, drawn at random: what the fuzz campaign runs on.

Drawn are the things that broke bounds before: costs from 1e-9 to 1e9, one huge number among small
ones, sensing costs from 0 to 1e8 as a number, an array or a function of the belief, discounts from
0.1 to 0.9999, actions that are deterministic, nearly so, periodic, equal or commuting, states that
cannot be reached, episodes that end or do not, an optimum of 0, and one start state or many.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from solvers import SensingMDP

KINDS = ("mixed", "deterministic", "near", "periodic", "layers", "duplicate", "commuting")
FUNCTIONS = 0.15
"""Share of cases whose sensing cost is a function of the belief."""
LENGTHS = {1: 24, 2: 11, 3: 7}
"""By the number of actions: the length up to which the referee writes out every blind string."""


SHAPES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    # Looking at what is known is free; a belief may sum to a little more than 1.
    "doubt": lambda b: np.maximum(1 - (b * b).sum(axis=-1), 0.0),
    "sure": lambda b: b.max(axis=-1),
    "entropy": lambda b: -np.sum(b * np.log(np.clip(b, 1e-300, 1.0)), axis=-1),
    "step": lambda b: np.where(b.max(axis=-1) < 0.7371, 1.0, 0.1),
    "peak": lambda b: np.exp(-1e3 * (b.max(axis=-1) - 0.8131) ** 2),  # dear at few beliefs
}
"""Functions of beliefs (…, S) that a linear sensing cost is multiplied with."""


@dataclass(frozen=True)
class BeliefCost:
    """A sensing cost that is a function of the belief: ``b k(a)`` times a shape."""

    k: np.ndarray
    shape: str

    def __call__(self, belief: np.ndarray, action: int) -> float:
        return float(belief @ self.k[:, action] * SHAPES[self.shape](belief))


@dataclass(frozen=True)
class Case:
    """T (A, S, S); C, k (S, A); alpha; terminal (S,) bool; start (S,).

    shape : of a sensing cost that is a function of the belief, "" for a linear one
    seen : True if the end is seen (with a shape only; a linear k is 0 there instead)
    kind : what drew it, for the counts
    """

    T: np.ndarray
    C: np.ndarray
    alpha: float
    k: np.ndarray
    terminal: np.ndarray
    start: np.ndarray
    shape: str = ""
    seen: bool = False
    kind: str = ""

    @property
    def length(self) -> int:
        """The length of the blind strings that the referee writes out."""
        return LENGTHS[len(self.T)]

    @property
    def labels(self) -> list[str]:
        """What a campaign counts this case under: kind of dynamics, form of the sensing cost,
        discount, and how many states are terminal."""
        form = f"k: function, {self.shape}" if self.shape else f"k: {np.ndim(self._k())}-d"
        ends = "all" if self.terminal.all() else "some" if self.terminal.any() else "none"
        return [self.kind, form, f"discount {self.alpha:g}", f"terminal: {ends}"]

    def look(self, beliefs: np.ndarray) -> np.ndarray:
        """What a look costs at each belief (n, S), for every action: (n, A)."""
        if not self.shape:
            return beliefs @ self.k
        live = np.where(self.terminal, 0.0, beliefs) if self.seen else beliefs
        mass = live.sum(axis=1, keepdims=True) if self.seen else np.ones((len(beliefs), 1))
        given = live / np.where(mass > 0, mass, 1.0)
        return mass * (given @ self.k) * SHAPES[self.shape](given)[:, None]

    def _k(self) -> float | np.ndarray:
        """A sensing cost that is everywhere the same is given as a number."""
        return float(self.k.flat[0]) if (self.k == self.k.flat[0]).all() else self.k

    def problem(self) -> SensingMDP:
        """The case as a model."""
        return SensingMDP.from_arrays(
            self.T,
            self.C,
            self.alpha,
            BeliefCost(self.k, self.shape) if self.shape else self._k(),
            start=self.start,
            terminal=self.terminal,
            end_is_seen=self.seen,
            name="fuzz",
        )

    def script(self) -> str:
        """The case as Python."""
        k, more = self._k(), ""
        price = repr(k if isinstance(k, float) else k.tolist())
        imports = "from solvers import SensingMDP, solve\n"
        if self.shape:
            imports = f"import numpy as np\n\nfrom {__name__} import BeliefCost\n{imports}"
            price = f"BeliefCost(np.array({self.k.tolist()}), {self.shape!r})"
            more = f"    end_is_seen={self.seen},\n"
        return (
            f"{imports}\nproblem = SensingMDP.from_arrays(\n    {self.T.tolist()},\n"
            f"    {self.C.tolist()},\n    {self.alpha!r},\n    {price},\n"
            f"    start={self.start.tolist()},\n"
            f"    terminal={np.flatnonzero(self.terminal).tolist()},\n{more})\n"
        )


def draw(chance: np.random.Generator) -> Case:
    """A case."""
    A, S = int(chance.integers(1, 4)), int(chance.integers(1, 5))
    kind = str(chance.choice(KINDS))
    alpha = float(chance.choice([0.1, 0.2, 0.3, 0.6, 0.9, 0.99, 0.9999]))
    T = chance.dirichlet(np.full(S, 0.5), size=(A, S))
    terminal = chance.random(S) < chance.choice([0.0, 0.0, 0.3, 1.0], p=[0.4, 0.29, 0.3, 0.01])
    whither = np.eye(S)[chance.integers(S, size=(A, S))]
    if kind == "deterministic":
        T = whither
    elif kind == "near":
        T = 0.99 * whither + 0.01 * T
    elif kind == "periodic":
        T = np.stack([np.eye(S)[chance.permutation(S)] for _ in range(A)])
    elif kind == "duplicate":
        T = np.stack([T[0]] * A)
    elif kind == "commuting":
        share = chance.random((A, 1, 1))
        T = share * T[0] + (1 - share) * np.eye(S)
    elif kind == "layers":
        T, terminal = _layers(chance, A)
    T = np.where(T < 1e-12, 0.0, T)
    T /= T.sum(axis=2, keepdims=True)
    C = _costs(chance, T.shape[1], A)
    T[:, terminal], C[terminal] = np.eye(len(C))[terminal], 0.0
    case = Case(
        T,
        C,
        alpha,
        _sensing_costs(chance, C, terminal),
        terminal,
        _start(chance, len(C)),
        kind=kind,
    )
    if chance.random() >= FUNCTIONS:
        return case
    shape, seen = str(chance.choice(list(SHAPES))), bool(chance.random() < 0.3)
    return replace(case, shape=shape, seen=seen)


def _layers(chance: np.random.Generator, A: int) -> tuple[np.ndarray, np.ndarray]:
    """Three layers of two states, then the end."""
    T = np.zeros((A, 7, 7))
    for s in range(6):
        onward = [6] if s >= 4 else [2 * (s // 2) + 2, 2 * (s // 2) + 3, 6]
        T[:, s, onward] = chance.dirichlet(np.full(len(onward), 0.7), size=A)
    T[:, 6, 6] = 1.0
    return T, np.arange(7) == 6


def _costs(chance: np.random.Generator, S: int, A: int) -> np.ndarray:
    C = chance.normal(size=(S, A)) + chance.choice([0.0, 2.0])
    if chance.random() < 0.2:
        C[:, 0] = 0.0
        C = np.abs(C)  # the optimum may well be 0
    if chance.random() < 0.25:
        C[chance.integers(S), chance.integers(A)] = chance.choice([1e9, 1e5, -1e3])
    if chance.random() < 0.2:
        C = C * chance.choice([1e-9, 1e-3, 1e9])
    return np.round(C) if chance.random() < 0.1 else C


def _sensing_costs(chance: np.random.Generator, C: np.ndarray, terminal: np.ndarray) -> np.ndarray:
    scale = float(np.median(np.abs(C))) or 1.0
    size = 1e8 if chance.random() < 0.1 else chance.choice([0.0, 1e-3, 0.1, 1.0]) * scale
    form = int(chance.integers(4))
    k = np.full(C.shape, size)
    if form == 1:
        k = k * chance.random(C.shape[1])
    if form >= 2:
        k = k * chance.random(C.shape)
    if form == 3:
        k[terminal] = 0.0  # the end is seen
    return k


def _start(chance: np.random.Generator, S: int) -> np.ndarray:
    if chance.random() < 0.5:
        return np.eye(S)[chance.integers(S)]
    return chance.dirichlet(np.ones(S))
