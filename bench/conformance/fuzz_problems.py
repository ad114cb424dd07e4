"""Small problems that are hard on proofs, drawn at random, whose optimum brute force finds."""

from __future__ import annotations

import numpy as np


def draw(chance: np.random.Generator) -> dict:
    """A problem as arrays: T (A, S, S), C (S, A), alpha, k (S, A), terminal (S,), and N, the length
    of blind strings that settles it."""
    A = int(chance.integers(1, 4))
    kind = chance.choice(["mixed", "deterministic", "near", "layers", "duplicate", "commuting"])
    alpha, N = [(0.1, 10), (0.3, 14), (0.2, 10)][A - 1] if A < 3 else (0.1, 8)
    S = int(chance.integers(1, 5))
    if kind == "layers":
        return _finish(chance, *_layers(chance, A), N=4)
    T = chance.dirichlet(np.full(S, 0.5), size=(A, S))
    if kind == "deterministic":
        T = np.eye(S)[chance.integers(S, size=(A, S))]
    if kind == "near":
        T = 0.999 * np.eye(S)[chance.integers(S, size=(A, S))] + 0.001 * T
    if kind == "duplicate":
        T[:] = T[0]
    if kind == "commuting":
        mix = chance.random((A, 1, 1))
        T = mix * T[0] + (1 - mix) * np.eye(S)
    terminal = chance.random(S) < chance.choice([0.0, 0.3])
    return _finish(chance, T, terminal, alpha, N=N)


def _layers(chance, A):
    """Three layers of two states, then a terminal one: any discount."""
    S = 7
    T = np.zeros((A, S, S))
    for s in range(6):
        onward = [6] if s >= 4 else [2 * (s // 2) + 2, 2 * (s // 2) + 3, 6]
        T[:, s, onward] = chance.dirichlet(np.full(len(onward), 0.7), size=A)
    T[:, 6, 6] = 1.0
    alpha = float(chance.choice([0.5, 0.95, 0.9999, 0.999999]))
    return T, np.arange(S) == 6, alpha


def _finish(chance, T, terminal, alpha, N):
    A, S, _ = T.shape
    C = chance.normal(size=(S, A)) + chance.choice([0.0, 2.0])
    if chance.random() < 0.3:
        C[chance.integers(S), chance.integers(A)] = chance.choice([1e9, 1e5, -1e3])
    if chance.random() < 0.2:
        C *= chance.choice([1e-9, 1e9])
    if chance.random() < 0.1:
        C[:] = np.round(C)
    if terminal.any():
        T[:, terminal] = np.eye(S)[terminal]
        C[terminal] = 0.0
    scale = np.abs(C).max() or 1.0
    size = chance.choice([0.0, 1e-3, 0.1, 1.0]) * scale if chance.random() < 0.9 else 1e8
    k = np.full((S, A), size)
    form = chance.integers(3)
    if form == 1:
        k = k * chance.random(A)
    if form == 2:
        k = k * chance.random((S, A))
        if chance.random() < 0.5:
            k[terminal] = 0.0
    T /= T.sum(axis=2, keepdims=True)
    return {"T": T, "C": C, "alpha": alpha, "k": k, "terminal": terminal, "N": N}
