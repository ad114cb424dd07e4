"""SPI's PolicyUpdate, handed out in chunks of roots.

Each root's walk depends on the reference alone, so chunks are walked side by side, on threads or on
other machines.  Where dense products are the faster ones a chunk is a block of beliefs; on a large
problem whose beliefs stay local each root is walked by itself on a sparse belief.  Nothing is held
for pairs of states there: tables have S rows, and a walk holds its own belief.
"""

from __future__ import annotations

import numpy as np

from solvers.core.baseline import action_values
from solvers.core.blind_moves import most_cost
from solvers.core.block_walk import BlockWalker
from solvers.core.budget import Budget
from solvers.core.memory import refuse_beyond_memory
from solvers.core.model import SensingMDP
from solvers.core.plan import Plan
from solvers.core.plan_table import PlanTable
from solvers.core.reference import Better, Reference, blind_then_look
from solvers.core.unrolling import SPARSE_STATES
from solvers.core.workers import Workers
from solvers.kernels import spi_walk
from solvers.kernels.spi_walk import KEPT, LOOKS, Walked, WalkTables

CHUNK = 64
"""Roots that one thread walks at a time on sparse beliefs."""
TOGETHER = 64
"""Chunks that are handed out between two looks at the clock."""
DROPPED = 0.01
"""What weights that a walk drops may change its cost by, all together, as a share of the
tolerance."""
BLOCK_ENTRIES = 2**24
"""Largest belief block (roots × states) walked at once: 128 MiB."""


def walk_roots(
    problem: SensingMDP,
    reference: Reference,
    roots: np.ndarray,
    table: PlanTable,
    crew: Workers,
    budget: Budget,
) -> None:
    """Walk these roots (n,); where the plan found beats the reference, put it in the table."""
    A = problem.num_actions
    refuse_beyond_memory(
        8.0 * problem.num_states * (A * A + 8 * A),
        f"spi on {problem.name} ({problem.num_states:,} states, {A} actions)",
    )
    size, together = CHUNK, CHUNK * TOGETHER
    if not walks_sparse(problem):
        together = max(1, BLOCK_ENTRIES // problem.num_states)
        size = max(1, -(-min(len(roots), together) // crew.size))
    for first in range(0, len(roots), together):
        if budget.over():
            return
        part = roots[first : first + together]
        chunks = [part[i : i + size] for i in range(0, len(part), size)]
        for found in crew.map(walk_chunk, (problem, reference), chunks):
            for better in found:
                table.put_row(*better)


def walks_sparse(problem: SensingMDP) -> bool:
    """Whether roots are walked one by one on sparse beliefs."""
    large = not problem.is_dense and problem.num_states >= SPARSE_STATES
    return large and problem.has_linear_sensing_cost


def walk_chunk(problem: SensingMDP, reference: Reference, roots: np.ndarray) -> list[Better]:
    """Walk these roots (n,); the plans found that beat the reference."""
    kind = SparseWalker if walks_sparse(problem) else BlockWalker
    return reference.walker(kind, problem).walk(roots)


class SparseWalker:
    """Walks roots one by one; what all of them read is made once."""

    def __init__(self, problem: SensingMDP, reference: Reference) -> None:
        look = np.array(problem.sensing_costs())
        Q = action_values(problem, reference.V, problem.costs + look)
        told = action_values(problem, Q.min(axis=1), problem.costs)
        starts, columns, probabilities = problem.stacked_transitions
        for_good = problem.constant_action_values
        most = most_cost(problem)
        drops = problem.num_states * (reference.max_steps + 2)  # at most so many weights
        scores = (Q, for_good, problem.costs, told, reference.free, reference.ties)
        self.tables = WalkTables(
            starts=starts,
            columns=columns,
            probabilities=probabilities,
            scores=np.column_stack(scores),
            blind=blind_then_look(problem, Q),
            look=look,
            last=np.ascontiguousarray(reference.last),
            V=np.array(reference.V),
            terminal=np.array(problem.terminal),
            discount=problem.discount,
            max_steps=reference.max_steps,
            tolerance=reference.tolerance,
            least=DROPPED * reference.tolerance / max(most * drops, 1e-300),
            most=most,
        )

    def walk(self, roots: np.ndarray) -> list[Better]:
        walked = Walked(*spi_walk.walk_roots(roots, self.tables))
        better = []
        for i in np.flatnonzero(walked.found != KEPT):
            actions = walked.actions[walked.plan_ends[i] : walked.plan_ends[i + 1]]
            plan = Plan(tuple(actions.tolist()), bool(walked.found[i] == LOOKS))
            row = slice(walked.row_ends[i], walked.row_ends[i + 1])
            landing = walked.states[row], walked.chances[row]
            better.append(Better(int(roots[i]), plan, float(walked.costs[i]), landing))
        return better


def compile_walks() -> None:
    """Compile (or load) the sparse walk, so that no planning time holds it."""
    T = [[[0.5, 0.5], [0.5, 0.5]], [[1.0, 0.0], [0.0, 1.0]]]
    tiny = SensingMDP.from_arrays(T, [[0.0, 1.0], [1.0, 0.0]], 0.5, 0.1)
    zero = np.zeros(2)
    SparseWalker(tiny, Reference(zero, zero, zero, np.zeros((2, 3)), 1, 0.0)).walk(np.arange(2))
