"""Values agree with rational arithmetic within the error that comes with them."""

from fractions import Fraction

import numpy as np
import pytest

from solvers import AlphaVectorPolicy, Plan, PlanPolicy, Policy, SensingMDP, evaluate_fully
from solvers.core.written_plans import unroll_plans
from tests.solvers.core.test_lower_bound import mixed_problem

Matrix = list[list[Fraction]]


def rational(array: np.ndarray) -> Matrix:
    return [[Fraction(float(x)) for x in row] for row in array]


def solved(matrix: Matrix, b: list[Fraction]) -> list[Fraction]:
    """x of ``matrix x = b``, by elimination."""
    n = len(b)
    rows = [[*row, b[i]] for i, row in enumerate(matrix)]
    for i in range(n):
        pivot = next(r for r in range(i, n) if rows[r][i])
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [x / rows[i][i] for x in rows[i]]
        for r in range(n):
            if r != i and rows[r][i]:
                rows[r] = [x - rows[r][i] * y for x, y in zip(rows[r], rows[i], strict=True)]
    return [row[n] for row in rows]


def one_less(P: Matrix) -> Matrix:
    return [[Fraction(int(i == j)) - p for j, p in enumerate(row)] for i, row in enumerate(P)]


def exact_values(problem: SensingMDP, plans: list[Plan]) -> list[Fraction]:
    """The plans' values in rational numbers."""
    S, alpha = problem.num_states, Fraction(problem.discount)
    T = [rational(t.toarray()) for t in problem.transitions]
    C, K = rational(problem.costs), rational(problem.sensing_costs())
    gains, P = [Fraction(0)] * S, [[Fraction(0)] * S for _ in range(S)]
    for j, plan in enumerate(plans):
        b, discount = [Fraction(int(i == j)) for i in range(S)], Fraction(1)
        for a in plan.actions if plan.senses else plan.actions[:-1]:
            gains[j] += discount * sum(x * C[i][a] for i, x in enumerate(b))
            paid = discount * sum(x * K[i][a] for i, x in enumerate(b))
            b = [sum(b[i] * T[a][i][s] for i in range(S)) for s in range(S)]
            discount *= alpha
        a = plan.actions[-1]
        if plan.senses:
            gains[j] += paid
            P[j] = [discount * x for x in b]
        else:
            again = solved(one_less([[alpha * p for p in row] for row in T[a]]), [c[a] for c in C])
            gains[j] += discount * sum(x * v for x, v in zip(b, again, strict=True))
    return solved(one_less(P), gains)


@pytest.mark.parametrize("seed", range(80))
def test_plans_of_every_kind_and_costs_of_every_size(seed):
    problem, rng = mixed_problem(seed), np.random.default_rng(seed)
    plans = [
        Plan(
            tuple(rng.integers(0, problem.num_actions, rng.choice([1, 2, 5, 9])).tolist()),
            bool(rng.integers(2)),
        )
        for _ in range(problem.num_states)
    ]
    found = evaluate_fully(problem, PlanPolicy(problem, plans))
    exact = exact_values(problem, plans)
    for value, error, true in zip(found.values, found.error, exact, strict=True):
        assert abs(Fraction(float(value)) - true) <= Fraction(float(error))
    if (problem.costs >= 0).all() and problem.discount < 0.999:  # nothing cancels
        assert (found.error <= 1e-12 * np.abs(found.values)).all()


def test_a_large_sensing_cost_leaves_plans_that_never_look_exact():
    T = [[[0, 1.0], [1, 0]], np.eye(2)]
    problem = SensingMDP.from_arrays(T, [[0, 1.0], [1, 1.3]], 0.3, 1e8)
    plans = [Plan((0, 1) * 8 + (0,), False), Plan((1, 0) * 8 + (1,), False)]
    found = evaluate_fully(problem, PlanPolicy(problem, plans))
    exact = [float(x) for x in exact_values(problem, plans)]
    assert found.values == pytest.approx(exact, rel=1e-14)
    assert found.values == pytest.approx([0.51114, 1.70380], abs=1e-5)


class InTurn(Policy):
    """Blind for good: action 0 where the belief leans to state 0, else action 1."""

    def act_batch(self, beliefs):
        return np.where(beliefs[:, 0] > 0.5, 0, 1), np.zeros(len(beliefs), bool)


@pytest.mark.parametrize("alpha", [0.5, 0.99, 0.999999])
def test_a_cycle_of_beliefs_is_summed_to_its_end(alpha):
    """0 pays 1 and leads to 1, which pays 3 and leads back: (1 + 3 α) / (1 - α²)."""
    T = [[[0, 1.0], [0, 1]], [[1.0, 0], [1, 0]]]
    problem = SensingMDP.from_arrays(T, [[1.0, 9], [9, 3.0]], alpha, 1e-3)
    found = evaluate_fully(problem, InTurn(problem))
    exact = np.array([1 + 3 * alpha, 3 + alpha]) / (1 - alpha**2)
    assert found.values == pytest.approx(exact, rel=1e-9)
    assert (np.abs(found.values - exact) <= found.error + 1e-15 / (1 - alpha) * exact).all()
    assert found.steps == pytest.approx(1 / (1 - alpha)) and not found.looks.any()
    plan = InTurn(problem).plan(0)
    assert plan.actions[:4] == (0, 1, 0, 1) and not plan.senses


def test_a_linear_policy_near_discount_one_is_not_walked_for_ever():
    """200 states at 0.9999: the walk ends when the policy is proven to repeat itself."""
    rng = np.random.default_rng(0)
    T = rng.dirichlet(np.full(200, 0.1), (3, 200))
    problem = SensingMDP.from_arrays(T, rng.uniform(size=(200, 3)), 0.9999, 0.1)
    alphas = np.stack([problem.constant_action_values[:, a] for a in range(3)])
    policy = AlphaVectorPolicy(problem, alphas, np.arange(3), np.zeros(3, bool))
    plans = policy.all_plans()
    assert max(len(p.actions) for p in plans) < 50
    found = evaluate_fully(problem, policy)
    again = evaluate_fully(problem, PlanPolicy(problem, plans))
    assert (np.abs(found.values - again.values) <= found.error + again.error).all()
    assert (found.error <= 1e-9 * found.values).all()


def test_a_blind_plan_written_out_is_the_short_one():
    problem = mixed_problem(5)
    plans = [Plan((0,) * 40_000, False)] * problem.num_states
    policy = PlanPolicy(problem, plans)
    assert {p.actions for p in policy.plans} == {(0,)}
    assert np.array_equal(evaluate_fully(problem, policy).values, problem.repeated(0).values)


def test_many_small_costs_after_a_large_one_are_not_swallowed():
    """1 is paid first, then 1e-17 or 3e-17 at each step: added to 1 one by one, each would vanish,
    and together they are many times what is said to be the error."""
    alpha, turns = 1 - 2**-14, 30_000
    T = [[[0, 1.0], [0, 1]]] * 2
    problem = SensingMDP.from_arrays(T, [[1, 1], [1e-17, 3e-17]], alpha, 1.0)
    plans = [Plan((0, *(0, 1) * turns), False), Plan((0,), False)]  # at last action 1 for good
    found = evaluate_fully(problem, PlanPolicy(problem, plans))
    a, cheap, dear = Fraction(alpha), Fraction(1e-17), Fraction(3e-17)
    late = a ** (2 * turns)
    exact = 1 + a * ((cheap + a * dear) * (1 - late) / (1 - a**2) + late * dear / (1 - a))
    assert exact - 1 > 50 * Fraction(float(found.error[0]))
    assert abs(Fraction(float(found.values[0])) - exact) <= Fraction(float(found.error[0]))


@pytest.mark.parametrize(
    ("cost", "steps"), [(1e100, 312), (1e100, 320), (1e100, 331), (1e9, 320), (1e-300, 40)]
)
def test_what_underflow_takes_is_part_of_the_error(cost, steps):
    """0.1 to the power 331 is 0 in double precision, yet times 1e100 it is a number."""
    T = [[[0, 1.0, 0], [0, 1, 0], [0, 0, 1]], [[1, 0, 0], [0, 0, 1.0], [0, 0, 1]]]
    costs = [[0, 0], [0, cost], [0, 0]]
    problem = SensingMDP.from_arrays(T, costs, 0.1, 0.0, terminal=[2])
    plans = [Plan((0,) * steps + (1,), True), Plan((1,), True), Plan((), False)]
    found = evaluate_fully(problem, PlanPolicy(problem, plans))
    exact = Fraction(0.1) ** steps * Fraction(cost)
    assert abs(Fraction(float(found.values[0])) - exact) <= Fraction(float(found.error[0]))
    # As a belief fades instead of the discount: a leak of 0.9 a step.
    T = [[[0.1, 0.9], [0, 1]], [[1, 0], [0, 1]]]
    problem = SensingMDP.from_arrays(T, [[0, cost], [0, 0]], 0.5, 0.0, terminal=[1])
    found = evaluate_fully(problem, PlanPolicy(problem, [plans[0], Plan((), False)]))
    faded = (Fraction(0.1) * Fraction(0.5)) ** steps
    exact = faded * Fraction(cost) / (1 - faded / 2)
    assert abs(Fraction(float(found.values[0])) - exact) <= Fraction(float(found.error[0]))


def test_a_plan_is_not_followed_beyond_what_is_written():
    """A policy that never repeats itself at 0.9995 takes 70,000 steps until little is left."""
    rng = np.random.default_rng(3)
    problem = SensingMDP.from_arrays(
        rng.dirichlet(np.ones(3), (2, 3)), rng.uniform(size=(3, 2)), 0.9995, 1.0
    )
    asked = []

    class Noted(InTurn):
        def act_batch(self, beliefs):
            asked.append(len(beliefs))
            return np.full(len(beliefs), len(asked) % 2), np.zeros(len(beliefs), bool)

    (plan,) = unroll_plans(problem, Noted(problem), np.array([0]), limit=50)
    assert len(plan.actions) == 50 and len(asked) == 50


@pytest.mark.parametrize("discount", [1.0, 1 - 2**-53])
def test_no_error_is_below_zero_where_chances_grow(discount):
    """Rows that sum to 1 + 9e-15 and leak 2e-15: what is paid grows without bound."""
    T = [[[1 + 7e-15, 2e-15], [0, 1]]]
    problem = SensingMDP.from_arrays(T, [[1.0], [0]], discount, 1.0, terminal=[1], start=0)
    plans = [Plan((0,), False), Plan((), False)]
    found = evaluate_fully(problem, PlanPolicy(problem, plans))
    assert found.error[0] >= 1e299  # as good as none


@pytest.mark.parametrize("off", [9e-15, -9e-15])
@pytest.mark.parametrize("price", [1e3, [1e3]])
def test_a_price_for_all_states_counts_how_far_rows_are_from_1(off, price):
    """Found by an adversary: 41 steps with rows that sum to 1 ± 9e-15 changed the price of a look
    by six times the error that was claimed."""
    problem = SensingMDP.from_arrays([[[1.0 + off]]], [[0.0]], 0.99, price)
    found = evaluate_fully(problem, PlanPolicy(problem, [Plan((0,) * 41, True)]))
    fades = Fraction(problem.discount) * Fraction(problem.transitions[0].data[0])
    exact = fades**40 * 1000 / (1 - fades**41)
    assert abs(Fraction(found.values[0]) - exact) <= Fraction(found.error[0])
