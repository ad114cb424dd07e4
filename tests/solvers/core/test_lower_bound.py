"""A published lower bound is one in exact arithmetic, also where numbers differ by 1e18."""

from fractions import Fraction

import numpy as np
import pytest

from bench import load_problem
from solvers import SensingMDP, certify, solve
from solvers.core.baseline import baseline
from solvers.core.lower_bound import lower_bound_from, shortfalls

FORBIDDEN = SensingMDP.from_arrays(
    [[[0, 1, 0], [1, 0, 0], [1, 0, 0]], [[0, 0, 1], [1, 0, 0], [1, 0, 0]], np.eye(3)],
    [[0, 0.01, 1e9], [0.1, 0.1, 1e9], [0, 0, 1e9]],
    0.99,
    0.01,
)
"""Three states, of which action 2 may be played in none: it is priced at 1e9."""


def mixed_problem(seed: int) -> SensingMDP:
    """A problem whose costs, and whose states, differ by many orders of magnitude."""
    rng = np.random.default_rng(seed)
    S, A = int(rng.integers(1, 6)), int(rng.integers(1, 4))
    T = rng.dirichlet(np.full(S, rng.choice([0.05, 1.0])), (A, S))
    if rng.random() < 0.3:
        T = np.eye(S)[rng.integers(0, S, (A, S))]
    C = rng.choice([-1, 1, 1], (S, A)) * 10.0 ** rng.uniform(-9, rng.choice([-6, 0, 9]), (S, A))
    C[rng.random((S, A)) < 0.2] = 0
    alpha = float(rng.choice([0.1, 0.5, 0.9, 0.99, 0.9999]))
    return SensingMDP.from_arrays(T, C, alpha, 10.0 ** rng.uniform(-9, 8))


def exact_shortfall(problem: SensingMDP, V: np.ndarray) -> Fraction:
    """The greatest ``V(s) - C(s, a) - α T(a) V`` in rational numbers."""
    exact = [Fraction(float(v)) for v in V]
    worst = Fraction(-1)
    for a, T in enumerate(problem.transitions):
        dense = T.toarray()
        for s in np.flatnonzero(~problem.terminal):
            ahead = sum(Fraction(float(p)) * v for p, v in zip(dense[s], exact, strict=True))
            least = Fraction(float(problem.costs[s, a])) + Fraction(problem.discount) * ahead
            worst = max(worst, exact[s] - least)
    return worst


@pytest.mark.parametrize("seed", range(60))
def test_holds_in_rational_numbers_and_is_tight(seed):
    problem = mixed_problem(seed)
    seen = baseline(problem)
    bound = lower_bound_from(problem, seen.V)
    assert exact_shortfall(problem, bound) <= 0
    assert (shortfalls(problem, bound) <= 0).all()
    # what is taken off is rounding of the state's own sums, over the steps that count
    assert (seen.V - bound <= 1e-11 / (1 - problem.discount) * seen.size + 1e-280).all()


def test_an_iterate_that_stopped_early_is_lowered_until_it_is_a_bound():
    problem = mixed_problem(3)
    for V in (np.full(problem.num_states, 1e3), baseline(problem).V + 1):
        assert exact_shortfall(problem, lower_bound_from(problem, V)) <= 0


@pytest.mark.parametrize(
    "solver", ["always-sense", "atm", "spi", "qmdp", "pbvi", "truncation", "fib", "dips"]
)
def test_a_forbidden_action_at_1e9_makes_no_bound_false(solver):
    optimum = 0.01 / (1 - 0.99**2)  # 0.01 and 0 in turn, blind for good: play 1, then 0
    found = solve(FORBIDDEN, solver, budget=2)
    assert found.lower_bound[0] <= optimum * (1 + 1e-9)
    assert found.values[0] >= optimum * (1 - 1e-9)
    assert found.gap is None or found.gap >= -1e-9


def test_a_certificate_is_not_settled_by_a_large_number_elsewhere():
    proof = certify(FORBIDDEN, 3)
    assert proof.lower_bound[0] <= 0.01 / (1 - 0.99**2) * (1 + 1e-12)
    assert not proof.settled.any()  # three blind steps are not enough


def test_a_long_horizon_without_discount_keeps_its_bound():
    """Margins along one action missed another's and grew with every try."""
    problem = load_problem("semi-slippery-8x8@horizon=25,discount=1", 0.05)
    lower = lower_bound_from(problem, baseline(problem).V)
    assert (shortfalls(problem, lower) <= 0).all()
    assert problem.start @ lower == pytest.approx(-1, abs=1e-9)
