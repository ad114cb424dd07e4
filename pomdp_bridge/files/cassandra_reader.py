"""Reading a ``.pomdp`` file back as a sensing-cost MDP.

A POMDP is one of ours when its observations split the actions in two kinds: *blind* actions,
which always show the same observation "nothing", and *looking* actions, which show every next
state apart.  Each blind action must have a looking twin with the same transitions, whose reward
is lower by the sensing cost k(s, a) ≥ 0.  Files of other programs are taken too, whatever the
order of their actions and observations, as long as they have this structure.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from pomdp_bridge.files.cassandra_comment import names_in, read_comment
from pomdp_bridge.files.cassandra_grammar import ALL, RawPOMDP, parse
from solvers.core.model import SensingMDP
from solvers.core.validation import ROW_SUM_TOLERANCE, ModelError

LARGEST = 2**28
"""Entries of T or O held at once: 2 GiB."""
SAME = 1e-9
"""Transition probabilities of twins may differ by this much (files are often rounded)."""


def read_pomdp(path: str | Path) -> SensingMDP:
    """Read a ``.pomdp`` file; a POMDP without the sensing structure is refused, saying why."""
    comment = read_comment(Path(path))  # first, so that a file that was cut is called that
    raw = parse(path)
    with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is refused below
        return _model(raw, comment)


def _model(raw: RawPOMDP, comment: dict[str, Any] | None) -> SensingMDP:
    T = _dense(raw.transitions, (len(raw.actions), len(raw.states), len(raw.states)), raw)
    off = np.abs(T.sum(axis=2) - 1)
    if off.max() > ROW_SUM_TOLERANCE:
        a, s = np.unravel_index(int(off.argmax()), off.shape)
        raise ModelError(
            f"{raw.path}: transitions of action {raw.actions[a]} from state {raw.states[s]} sum to "
            f"{T[a, s].sum():.6g}; expected 1"
        )
    shown = _shown(raw)
    R = _rewards(raw, T, shown)
    blind, looking = _kinds(raw, shown)
    twin = [_twin(raw, T, a, looking) for a in blind]
    k = R[:, blind] - R[:, twin]
    scale = max(float(np.abs(R).max()), 1e-300)
    if k.min() < -1e-12 * scale:
        s, i = np.unravel_index(int(k.argmin()), k.shape)
        raise ModelError(
            f"{raw.path}: in state {raw.states[s]} a look with action {raw.actions[twin[i]]} pays "
            f"{-k[s, i]:.6g} more than staying blind; a sensing cost cannot be negative"
        )
    costs = -R[:, blind]
    names = _names(raw, blind, comment)
    S = len(raw.states)
    try:
        return SensingMDP.from_arrays(
            T[blind],
            costs,
            raw.discount,
            _simplest(np.maximum(k, 0.0), scale),
            start=np.full(S, 1 / S) if raw.start is None else raw.start,
            terminal=_free_and_absorbing(T[blind], costs),
            **names,
        )
    except ModelError as error:
        raise ModelError(f"{raw.path}: {error}") from None


def _dense(entries: list, shape: tuple[int, int, int], raw: RawPOMDP) -> np.ndarray:
    """Entries applied in file order to an array of the given shape."""
    if np.prod(shape, dtype=float) > LARGEST:
        raise ModelError(
            f"{raw.path}: {shape[0]} actions × {shape[1]} states is too large to read as a .pomdp "
            "file; use the .npz format"
        )
    array = np.zeros(shape)
    for place, value in entries:
        array[tuple(slice(None) if i == ALL else i for i in place)] = value
    return array


def _shown(raw: RawPOMDP) -> np.ndarray:
    """The observation that each action shows at each next state: (actions, S)."""
    shape = (len(raw.actions), len(raw.states), len(raw.observations))
    chances = _dense(raw.observation_entries, shape, raw)
    if chances.min() < 0:
        a, s, o = np.unravel_index(int(chances.argmin()), chances.shape)
        raise ModelError(
            f"{raw.path}: action {raw.actions[a]} shows {raw.observations[o]} in state "
            f"{raw.states[s]} with the probability {chances[a, s, o]}; expected at least 0"
        )
    likely = chances.max(axis=2)
    if np.abs(likely - 1).max() > SAME or np.abs(chances.sum(axis=2) - 1).max() > SAME:
        a, s = np.unravel_index(int(np.abs(likely - 1).argmax()), likely.shape)
        raise ModelError(
            f"{raw.path}: what action {raw.actions[a]} shows in state {raw.states[s]} is random; "
            "in a sensing-cost MDP a look shows the state and blindness shows nothing"
        )
    return chances.argmax(axis=2)


def _rewards(raw: RawPOMDP, T: np.ndarray, shown: np.ndarray) -> np.ndarray:
    """Expected reward (S, actions); an entry may depend on the next state and observation."""
    A, S = shown.shape
    simple = all(len(p) == 4 and p[2] == ALL and p[3] == ALL for p, _ in raw.rewards)
    R = np.zeros((A, S, 1 if simple else S))
    for place, value in raw.rewards:
        for a in range(A) if place[0] == ALL else (place[0],):
            rows = slice(None) if place[1] == ALL else place[1]
            if simple:
                R[a, rows] = value
            elif len(place) == 2:  # a matrix over next states and observations
                R[a, rows] = np.asarray(value)[np.arange(S), shown[a]]
            else:
                after = np.arange(S) if place[2] == ALL else np.array([place[2]])
                if len(place) == 3:  # a row over observations
                    given = np.asarray(value)[shown[a, after]]
                else:
                    after = after if place[3] == ALL else after[shown[a, after] == place[3]]
                    given = value
                if not len(after) and place[0] != ALL:
                    raise ModelError(
                        f"{raw.path}: a reward of action {raw.actions[a]} is given for the "
                        f"observation {raw.observations[place[3]]}, which it never shows there"
                    )
                if len(after):
                    R[a, rows, after] = given if place[1] != ALL else np.reshape(given, (-1, 1))
    expected = R[:, :, 0] if simple else np.einsum("ast,ast->as", T, R)
    return raw.sign * expected.T


def _kinds(raw: RawPOMDP, shown: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Indices of the blind and of the looking actions."""
    S = shown.shape[1]
    constant = (shown == shown[:, :1]).all(axis=1)
    apart = np.array([len(np.unique(row)) == S for row in shown])
    neither = ~(constant | apart)
    if neither.any():
        a = int(np.flatnonzero(neither)[0])
        raise ModelError(
            f"{raw.path}: action {raw.actions[a]} shows some states apart and others not; "
            "in a sensing-cost MDP an action shows the next state or nothing"
        )
    if S == 1:  # one state: both kinds show it, so the first half counts as blind
        half = len(shown) // 2
        constant, apart = np.arange(len(shown)) < half, np.arange(len(shown)) >= half
    blind, looking = np.flatnonzero(constant), np.flatnonzero(apart)
    if len(blind) != len(looking):
        raise ModelError(
            f"{raw.path}: {len(blind)} actions stay blind and {len(looking)} look; in a "
            "sensing-cost MDP every action comes blind and with a look"
        )
    return blind, looking


def _twin(raw: RawPOMDP, T: np.ndarray, a: int, looking: np.ndarray) -> int:
    """The looking action with the transitions of blind action ``a``, in the same place if any."""
    position = int(np.searchsorted(np.flatnonzero(~np.isin(np.arange(len(T)), looking)), a))
    for b in [looking[position], *looking]:
        if np.abs(T[a] - T[b]).max() <= SAME:
            return int(b)
    raise ModelError(
        f"{raw.path}: no looking action moves like the blind action {raw.actions[a]}; in a "
        "sensing-cost MDP every action comes blind and with a look"
    )


def _simplest(k: np.ndarray, scale: float) -> float | np.ndarray:
    """k (S, A) as a number or (A,) where it is one, freed from the rounding of a difference."""
    rounded = np.array([float(f"{x:.12g}") for x in k.ravel()]).reshape(k.shape)
    k = np.where(np.abs(rounded - k) <= 4 * np.finfo(float).eps * scale, rounded, k)
    if np.ptp(k) <= 1e-12 * scale:
        return float(k.flat[0])
    if np.ptp(k, axis=0).max() <= 1e-12 * scale:
        return k[0]
    return k


def _free_and_absorbing(T: np.ndarray, costs: np.ndarray) -> np.ndarray:
    """States that nothing leaves and that cost nothing: the terminal ones."""
    stay = T[:, np.arange(T.shape[1]), np.arange(T.shape[1])]
    return (stay >= 1 - 1e-12).all(axis=0) & (costs == 0).all(axis=1)


def _names(raw: RawPOMDP, blind: np.ndarray, comment: dict[str, Any] | None) -> dict[str, Any]:
    """Names from our comment if the file has one, else those of the file."""
    if comment is not None:
        return names_in(raw.path, comment, raw.counts(), len(raw.states), len(blind))
    return {
        "name": raw.path.stem,
        "state_names": raw.states,
        "action_names": [raw.actions[a] for a in blind],
    }
