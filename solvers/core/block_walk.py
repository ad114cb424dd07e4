"""SPI's PolicyUpdate for a block of roots at once, where dense products are the faster ones.

With V the root values of the reference policy and b the beliefs of all walks (n, S), both minima of
Algorithm 2 are over the columns of one matrix of shape S × (A + A²), made once per update: a step
of all roots is one product of their belief block with it, and one blind step.
"""

from __future__ import annotations

import numpy as np

from solvers.core.baseline import action_values, lowest_argmin
from solvers.core.landings import NOWHERE
from solvers.core.model import SensingMDP
from solvers.core.plan import Plan
from solvers.core.reference import Better, Reference, blind_then_look
from solvers.kernels.belief_block import BeliefBlock
from solvers.kernels.screening import ScreenedColumns


class BlockWalker:
    """Walks a block of roots down their greedy blind strings."""

    def __init__(self, problem: SensingMDP, reference: Reference) -> None:
        self.problem, self.reference = problem, reference
        V, ties = reference.V, reference.ties
        look = problem.sensing_costs() if problem.has_linear_sensing_cost else 0.0
        Q = action_values(problem, V, problem.costs + look)  # (S, A): look now
        self.blind = blind_then_look(problem, Q)
        for_good = problem.constant_action_values
        # Columns: look now, repeat an action for good, one step (A each), all seen free, ties (1).
        self.columns = np.column_stack([Q, for_good, problem.costs, reference.free, ties])
        self.screened = ScreenedColumns(self.blind, ~problem.terminal, float(ties.max()))

    def walk(self, roots: np.ndarray) -> list[Better]:
        """Walk these roots (n,) to the end, or to that of the budget; the plans found that beat the
        reference."""
        problem, alpha, reference = self.problem, self.problem.discount, self.reference
        V, ties, better = reference.V, reference.ties, []
        block = BeliefBlock(roots, problem.num_states, problem.step, problem.dense_transitions)
        Z = np.zeros(len(roots))
        strings = np.empty((len(roots), reference.max_steps + 2), np.int32)
        row = np.arange(len(roots))  # where the live roots stand in the block
        came_by = np.zeros(len(roots), int)  # the last blind action: beliefs it made are alike
        for m in range(reference.max_steps + 2):
            if reference.budget.over():
                break
            beliefs = block.beliefs
            now, blind, for_good, step, free, tie = self._score(beliefs, came_by)
            a_look, a_blind = lowest_argmin(now, tie), lowest_argmin(blind, tie)
            finished = alpha**m * (for_good.min(axis=1) - free) <= reference.tolerance
            looks = (now.min(axis=1) <= blind.min(axis=1) + tie) & ~finished
            if m > reference.max_steps:  # line 7: the walk is over and the initial policy looks
                looks = ~finished
                scores = beliefs @ reference.last
                a_look = lowest_argmin(scores[:, :-1], scores[:, -1])
            strings[row, m] = np.where(looks, a_look, a_blind)
            strings[row[finished], m] = lowest_argmin(for_good[finished], tie[finished])
            ends = Z + alpha**m * for_good.min(axis=1)
            for i in np.flatnonzero(finished & (ends < (V - ties)[roots[row]])):
                plan = Plan(tuple(strings[row[i], : m + 1].tolist()), False)
                better.append(Better(int(roots[row[i]]), plan, ends[i], NOWHERE))
            if looks.any():
                costs, landings = self._looked(m, beliefs[looks], Z[looks], a_look[looks])
                for i, cost, landing in zip(row[looks], costs, landings, strict=True):
                    if cost + landing @ V < V[roots[i]] - ties[roots[i]]:
                        plan = Plan(tuple(strings[i, : m + 1].tolist()), True)
                        states = np.flatnonzero((landing != 0) & ~problem.terminal)
                        row_of = (states, landing[states])
                        better.append(Better(int(roots[i]), plan, cost, row_of))
            on = ~(looks | finished)
            if not on.any():
                break
            Z = (Z + alpha**m * step[np.arange(len(row)), a_blind])[on]
            row, came_by = row[on], a_blind[on]
            block.keep(on)
            block.step(came_by)
        return better

    def _looked(
        self, m: int, beliefs: np.ndarray, Z: np.ndarray, actions: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Cost up to and with a look after m blind steps (n,), and where it lands (n, S)."""
        problem, discount = self.problem, self.problem.discount**m
        each = np.arange(len(beliefs))
        step_cost = (beliefs @ problem.costs)[each, actions]
        k = problem.sensing_cost_at(beliefs)[each, actions]
        after = problem.step(beliefs, actions)
        return Z + discount * (step_cost + k), discount * problem.discount * after

    def _score(self, beliefs: np.ndarray, came_by: np.ndarray) -> tuple[np.ndarray, ...]:
        """Scores of n beliefs.

        Returns, for each action (n, A): the cost of looking now, of looking after the next step, of
        staying blind for good, and of one step; and for each belief (n,): the cost if every state
        were shown for free, and the difference up to which two costs count as equal.
        """
        problem, A = self.problem, self.problem.num_actions
        table = beliefs @ self.columns
        now, for_good, step, ends = np.split(table, [A, 2 * A, 3 * A], axis=1)
        free, tie = ends.T
        if problem.has_linear_sensing_cost:
            return now, self.screened.least(beliefs, came_by), for_good, step, free, tie
        # App. F: a look is priced at the belief it is taken in.
        look_next = np.stack([problem.sensing_cost_at(beliefs @ T) for T in problem.transitions], 1)
        later = np.einsum("ns,sab->nab", beliefs, self.blind) + problem.discount * look_next
        now = now + problem.sensing_cost_at(beliefs)
        return now, later.min(axis=2), for_good, step, free, tie
