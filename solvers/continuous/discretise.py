"""The problem on a grid: a finite :class:`solvers.SensingMDP`, and its policy run in the original.

Cell i stands for its centre.  T(a)(i, ·) is the share of sampled next states of that centre which
fall into each cell, C(i, a) the mean of their costs.  Next states that have ended are one terminal
state.  Finer grids and more samples come closer; the difference between two grids says how close.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from solvers.continuous.model import ContinuousError, ContinuousSensingMDP
from solvers.continuous.plans import ContinuousPolicy, Plans
from solvers.core.model import SensingMDP
from solvers.core.policy import PlanPolicy

MOST_CELLS = 200_000


@dataclass(frozen=True)
class Grid:
    """Cells of equal size in the box; ``shape`` is their number along each coordinate."""

    problem: ContinuousSensingMDP
    shape: tuple[int, ...]

    @property
    def centres(self) -> np.ndarray:
        """(N, d), in the order of the cells."""
        axes = [
            low + (high - low) * (np.arange(n) + 0.5) / n
            for low, high, n in zip(self.problem.low, self.problem.high, self.shape, strict=True)
        ]
        return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(axes))

    def cell(self, states: np.ndarray) -> np.ndarray:
        """The cell of each state (n, d); states outside the box belong to the nearest cell."""
        share = (states - self.problem.low) / (self.problem.high - self.problem.low)
        index = np.clip((share * self.shape).astype(int), 0, np.array(self.shape) - 1)
        return np.ravel_multi_index(tuple(index.T), self.shape)


def discretise(
    problem: ContinuousSensingMDP, shape: Sequence[int], samples: int = 200, seed: int = 0
) -> tuple[SensingMDP, Grid]:
    """The finite problem on a grid of ``shape`` cells, and the grid."""
    grid = Grid(problem, tuple(int(n) for n in shape))
    N, A = int(np.prod(grid.shape)), problem.num_actions
    if len(grid.shape) != problem.dimension or N > MOST_CELLS:
        raise ContinuousError(
            f"{problem.name}: grid {grid.shape}; expected {problem.dimension} numbers of cells "
            f"whose product is at most {MOST_CELLS}"
        )
    if problem.horizon is not None:
        raise ContinuousError(
            f"{problem.name} has a horizon, which a grid over states alone does not know; "
            "discretise a problem without one"
        )
    centres, end = grid.centres, N
    over = problem.ended(centres)
    transitions, costs = [], np.zeros((N + 1, A))
    for a in range(A):
        T, costs[:N, a] = _sampled(problem, grid, a, samples, seed)
        transitions.append(_with_end(T, over, end))
    costs[:N][over] = 0.0
    k = problem.sensing_costs
    starts = grid.cell(problem.start(20_000, np.random.default_rng(seed)))
    start = np.bincount(starts, minlength=N + 1) / len(starts)
    price = np.tile(k, (N + 1, 1))
    terminal = np.append(over, True)
    if problem.end_is_seen:
        price[terminal] = 0.0
    model = SensingMDP.from_arrays(
        transitions,
        costs,
        problem.discount,
        float(k[0]) if (price == k[0]).all() else price,
        start=start,
        terminal=terminal,
        name=f"{problem.name} on {'×'.join(map(str, grid.shape))} cells",
        action_names=problem.action_names or None,
    )
    return model, grid


def _sampled(
    problem: ContinuousSensingMDP, grid: Grid, action: int, samples: int, seed: int
) -> tuple[sparse.csr_array, np.ndarray]:
    """T(a) over N cells and the end (N, N + 1), and the mean cost (N,), from sampled steps."""
    centres = grid.centres
    N = len(centres)
    rows, columns, costs = [], [], np.zeros(N)
    rng = np.random.default_rng(seed)
    for _ in range(samples):
        after, paid = problem.move(centres, np.full(N, action), rng)
        rows.append(np.arange(N))
        columns.append(np.where(problem.ended(after), N, grid.cell(after)))
        costs += paid / samples
    shape, ones = (N, N + 1), np.full(N * samples, 1.0 / samples)
    where = (np.concatenate(rows), np.concatenate(columns))
    T = sparse.csr_array(sparse.coo_array((ones, where), shape=shape))
    T.data /= np.repeat(T.sum(axis=1), np.diff(T.indptr))
    return T, costs


def _with_end(T: sparse.csr_array, over: np.ndarray, end: int) -> sparse.csr_array:
    """The square matrix: cells that have ended, and the end itself, stay where they are."""
    N = len(over)
    moving = sparse.diags_array((~over).astype(float)) @ T
    stay = sparse.coo_array(
        (np.ones(over.sum()), (np.flatnonzero(over), np.flatnonzero(over))), shape=(N, N + 1)
    )
    last = sparse.coo_array(([1.0], ([0], [end])), shape=(1, N + 1))
    return sparse.csr_array(sparse.vstack([moving + stay, last]))


@dataclass
class CellPolicy(ContinuousPolicy):
    """A finite policy run in the continuous problem: each seen state takes its cell's plan."""

    grid: Grid
    policy: PlanPolicy
    name: str = "grid"

    def plans(self, roots: np.ndarray, times: np.ndarray) -> Plans:
        cells = self.grid.cell(roots)
        kept = {int(c): self.policy.plan(int(c)) for c in np.unique(cells)}
        strings = [kept[int(c)].actions or (0,) for c in cells]
        width = max(len(s) for s in strings)
        actions = np.array([(*s, *[s[-1]] * (width - len(s))) for s in strings], int)
        lengths = np.array([len(s) for s in strings])
        looks = np.array([kept[int(c)].senses for c in cells])
        return Plans(actions, lengths, looks)
