"""What strings cost when cut, against a plain loop; and periods tried on one set of plans."""

from dataclasses import replace

import numpy as np
import pytest

from bench.continuous.problems import load_continuous
from solvers.continuous import EveryN, Plans, SPIContinuous, fit_always_look
from solvers.continuous.baselines import Shortened
from solvers.continuous.cuts import Cutter

P = 4000


class Nothing:
    """A critic by which a look is worth as much as the square of where it lands."""

    def __call__(self, states, times):
        return states[:, 0] ** 2


def one_by_one(problem, string, looks, root, seed):
    """Mean cost of a string from a root, and its error, with chance of its own."""
    rng, states = np.random.default_rng(seed), np.repeat(root[None], P, axis=0)
    paid, over = np.zeros(P), np.zeros(P, bool)
    for t, action in enumerate(string):
        over = problem.ended(states)
        states, costs = problem.move(states, np.full(P, action), rng)
        paid += problem.discount**t * costs
    if looks:
        price = problem.sensing_costs[string[-1]] * np.where(over & problem.end_is_seen, 0, 1)
        V = np.where(problem.ended(states), 0, Nothing()(states, None))
        paid += problem.discount ** (len(string) - 1) * (price + problem.discount * V)
    return paid.mean(), paid.std() / np.sqrt(P)


class NothingAfterTheEnd(Nothing):
    def __init__(self, problem):
        self.problem = problem

    def __call__(self, states, times):
        return np.where(self.problem.ended(states), 0, super().__call__(states, times))


@pytest.mark.parametrize("end_is_seen", [True, False])
@pytest.mark.parametrize("looks", [True, False])
def test_every_cut_costs_what_a_plain_loop_says(end_is_seen, looks):
    """The first root reaches the end at once, so that its string is dropped on the way."""
    problem = replace(load_continuous("mountain-car", 0.7), end_is_seen=end_is_seen)
    roots = np.array([[0.48, 0.07], [0.2, 0.06], [-0.5, 0.0]])
    plans = Plans(
        np.array([[2, 2, 2, 2, 2], [2, 2, 2, 0, 0], [0, 0, 2, 2, 1]]),
        np.full(3, 5),
        looks * np.ones(3, bool),
    )
    cutter = Cutter(problem, NothingAfterTheEnd(problem), roots, np.zeros(3, int), P, (1,))
    checked = np.zeros(3, int)
    for cut in cutter.cuts(plans):
        for row, costs, length, look in zip(
            cut.rows, cut.costs, cut.lengths, cut.looks, strict=True
        ):
            string = plans.actions[row, :length]
            mean, error = one_by_one(problem, string, look, roots[row], 17 + length)
            assert costs.mean() == pytest.approx(mean, abs=5 * error + 1e-9)
            assert look or length == 5
            checked[row] += 1
    assert checked[0] == 2 and checked[2] == 5  # after one step the first string is over
    whole = cutter.whole(plans)
    for row in range(3):
        mean, error = one_by_one(problem, plans.actions[row], looks, roots[row], 31)
        assert whole[row].mean() == pytest.approx(mean, abs=5 * error + 1e-9)


@pytest.mark.parametrize("horizon", [None, 9])
def test_a_short_period_is_the_beginning_of_a_long_one(horizon):
    problem = replace(load_continuous("walk-1d", 0.3), horizon=horizon)
    rng = np.random.default_rng(0)
    roots, times = SPIContinuous.all_over(problem, 40, rng)
    V = fit_always_look(problem, roots, rng, 16, 20)
    long = EveryN(problem, V, 16, seed=2, period=8)
    for n in (2, 5, 8):
        short = replace(long, period=n).plans(roots, times)
        cut = Shortened(problem, long, n).plans(roots, times)
        assert (short.lengths == cut.lengths).all() and (short.looks == cut.looks).all()
        for i, length in enumerate(short.lengths):
            assert (short.actions[i, :length] == cut.actions[i, :length]).all()
