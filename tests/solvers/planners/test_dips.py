from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings

from bench.problems import load_problem
from bench.problems.semi_slippery import MAPS, semi_slippery_lake
from solvers import Plan, PlanPolicy, SensingMDP, SolverError, evaluate, evaluate_fully, solve
from solvers.bounds.delayed_information import delayed_information_bound
from tests.solvers.belief_tree import near_certain_problem
from tests.solvers.brute_force import bracket, small_problems


@settings(max_examples=40, deadline=None)
@given(problem=small_problems())
def test_bounds_bracket_the_optimum_at_every_root(problem):
    lower, upper = bracket(problem, N=8)
    solution = solve(problem, "dips", target_gap=1e-7, budget=5)
    assert (solution.lower_bound <= solution.upper_bound + 1e-12).all()
    assert (solution.lower_bound <= upper + 1e-12).all()
    assert (solution.upper_bound >= lower - 1e-12).all()
    # what it says of its policy is what the policy is worth
    assert solution.values == pytest.approx(solution.upper_bound, abs=1e-8)
    for _, low, high in solution.trace:
        assert low <= high + 1e-12


@settings(max_examples=15, deadline=None)
@given(problem=small_problems(max_states=4, max_actions=3))
def test_closed_bounds_meet_the_brute_force_optimum(problem):
    lower, upper = bracket(problem, N=5)
    solution = solve(problem, "dips", target_gap=1e-7, budget=5)
    start = problem.start
    assert start @ lower - 1e-6 <= solution.value <= start @ upper + 1e-6
    assert start @ lower - 1e-6 <= solution.lower or solution.gap > 1e-7


@pytest.mark.parametrize(
    ("problem_id", "k"),
    [("two-state", 0.25), ("two-state-b", 0.125), ("inventory", 0.064)],
)
def test_closed_to_a_millionth_it_equals_settled_truncation(problem_id, k):
    problem = load_problem(problem_id, k)
    solution = solve(problem, "dips", target_gap=1e-7, budget=20)
    assert solution.gap <= 1e-6
    depth = 7 if problem_id == "inventory" else 12
    settled = solve(problem, "truncation", depth=depth)
    assert solution.value == pytest.approx(settled.value, abs=1e-6)


@pytest.mark.parametrize(
    ("problem_id", "k", "reward"),
    [
        ("frozen-lake-4x4", 0.001, 62.42),
        ("frozen-lake-4x4", 0.005, 36.53),
        ("frozen-lake-4x4", 0.01, 23.08),
        ("frozen-lake-4x4", 0.05, 23.08),
        ("frozen-lake-4x4-hard", 0.001, 8.95),
        ("frozen-lake-4x4-hard", 0.005, 3.70),
        ("frozen-lake-4x4-hard", 0.01, 1.77),
        ("frozen-lake-4x4-hard", 0.05, 1.45),
        ("frozen-lake-8x8", 0.001, 3.55),
        ("frozen-lake-8x8", 0.01, 3.36),
    ],
)
def test_lakes_are_closed_within_one_percent(problem_id, k, reward):
    """At least the best published value, and proven."""
    problem = load_problem(problem_id, k)
    solution = solve(problem, "dips", target_gap=0.005, budget=60)
    assert solution.gap <= 0.01
    assert -1000 * solution.value == pytest.approx(reward, rel=0.01)
    assert solution.values == pytest.approx(evaluate(problem, solution.policy), abs=1e-12)


def test_bounds_only_get_better():
    problem = load_problem("frozen-lake-8x8", 0.001)
    solution = solve(problem, "dips", target_gap=1e-4, budget=60)
    seconds, lowers, uppers = zip(*solution.trace, strict=True)
    assert list(seconds) == sorted(seconds)
    assert (np.diff(lowers) >= -1e-12).all()
    assert (np.diff(uppers) <= 1e-12).all()
    assert (solution.lower_bound >= delayed_information_bound(problem, 2) - 1e-7).all()


@pytest.mark.parametrize("warm_start", [False, True])
def test_a_run_that_reaches_its_target_is_the_same_again(warm_start):
    problem = load_problem("frozen-lake-4x4-hard", 0.001)
    first, again = (solve(problem, "dips", seed=3, warm_start=warm_start) for _ in range(2))
    assert first.gap <= 1e-6
    assert np.array_equal(first.lower_bound, again.lower_bound)
    assert np.array_equal(first.upper_bound, again.upper_bound)
    assert first.policy.plans == again.policy.plans
    assert first.info == again.info


def test_the_seed_draws_the_order_of_the_roots_and_not_the_value():
    problem = load_problem("taxi", 0.1)
    solutions = [solve(problem, "dips", seed=seed, target_gap=1e-4) for seed in range(3)]
    assert len({tuple(s.lower_bound) for s in solutions}) > 1
    for solution in solutions:
        assert solution.gap <= 1e-4
        assert max(s.lower for s in solutions) <= solution.value + 1e-12
    with pytest.raises(SolverError, match="seed is -1"):
        solve(problem, "dips", seed=-1)


@pytest.mark.parametrize(("problem_id", "k"), [("frozen-lake-8x8", 0.001), ("taxi", 1)])
def test_a_warm_start_is_at_least_as_good_as_what_it_starts_from(problem_id, k):
    problem = load_problem(problem_id, k)
    spi = solve(problem, "spi", max_iterations=2)
    warm = solve(problem, "dips", warm_start=True, target_gap=0.5, budget=600)
    assert (warm.upper_bound <= spi.values + 1e-9).all()
    cold = solve(problem, "dips", target_gap=0.5, budget=600)
    assert warm.trace[0][1:] == cold.trace[0][1:]
    assert warm.trace[1][2] <= cold.trace[0][2]


def test_a_belief_dependent_sensing_cost_is_refused():
    problem = load_problem("two-state", lambda belief, action: 0.1 * belief[0] * belief[1])
    with pytest.raises(SolverError, match="function of the belief"):
        solve(problem, "dips", budget=1)


@pytest.mark.parametrize("seed", [1, 29, 30, 31, 37, 40, 63, 74])
def test_it_does_not_give_up_where_nothing_moved_at_first(seed):
    """Each of these stopped in its first rounds at a gap of up to 3900 %: the roots that new
    optimistic plans landed on had not been visited yet."""
    solution = solve(near_certain_problem(seed), "dips", budget=60)
    assert solution.gap <= 1e-6
    assert solution.status == "solved"


def test_an_optimum_of_zero_is_found_without_a_budget():
    T = [[[0.5, 0.5], [0.2, 0.8]]] * 2
    solution = solve(SensingMDP.from_arrays(T, [[0.0, 1.0], [0.0, 1.0]], 0.9, 0.1), "dips")
    assert solution.status == "solved"
    assert solution.value == 0
    assert solution.lower == pytest.approx(0, abs=1e-12)


def test_a_huge_forbidden_cost_leaves_small_values_sharp():
    T = [[[0, 1.0, 0], [1, 0, 0], [1, 0, 0]], [[0, 0, 1.0], [1, 0, 0], [1, 0, 0]], np.eye(3)]
    C = [[0, 0.01, 1e9], [0.1, 0.1, 1e9], [0, 0, 1e9]]
    problem = SensingMDP.from_arrays(T, C, 0.99, 0.01)
    cheap = SensingMDP.from_arrays(T, np.minimum(C, 10.0), 0.99, 0.01)
    solution, expected = (solve(p, "dips", budget=20) for p in (problem, cheap))
    assert solution.gap <= 1e-6
    assert solution.value == pytest.approx(expected.value, rel=1e-6)


def unseen_luck(discount):
    """Start; good or bad, unseen; one action ends with reward 1 if good, the other goes back."""
    T, C = np.zeros((2, 4, 4)), np.zeros((4, 2))
    T[:, 0, 1:3], T[:, 3, 3] = (0.8, 0.2), 1
    T[0, 1:3, 3], T[1, 1:3, 0], C[1, 0] = 1, 1, -1
    return SensingMDP.from_arrays(T, C, discount, 0.15, terminal=[3], start=0)


@pytest.mark.parametrize("discount", [0.99, 0.999, 0.9999, 0.999999])
def test_search_does_not_grow_as_the_discount_nears_one(discount):
    """Looking once: −V = −k + α (0.8 + 0.2 α · −V)."""
    solution = solve(unseen_luck(discount), "dips", budget=60)
    exact = -(0.8 * discount - 0.15) / (1 - 0.2 * discount**2)
    assert solution.value == pytest.approx(exact, rel=1e-9)
    assert solution.gap <= 1e-6
    assert solution.info["expanded"] + solution.info["dropped"] <= 100
    assert solution.info["depth"] <= 6


@pytest.mark.parametrize("size", ["4x4", "8x8"])
def test_semi_slippery_lakes_close_at_a_discount_of_999(size):
    lake = semi_slippery_lake(MAPS[size], 0.05, size)
    problem = SensingMDP.from_arrays(
        lake.transitions, lake.costs, 0.999, 0.05, start=lake.start, terminal=lake.terminal
    )
    solution = solve(problem, "dips", budget=60, target_gap=1e-3)
    assert solution.gap <= 1e-3
    assert solution.value <= solve(problem, "always-sense").value


def test_threads_do_not_change_the_answer():
    problem = load_problem("frozen-lake-8x8", 0.001)
    one, two, three = (solve(problem, "dips", threads=n, target_gap=1e-4) for n in (1, 2, 3))
    for other in (two, three):
        assert np.array_equal(one.lower_bound, other.lower_bound)
        assert np.array_equal(one.upper_bound, other.upper_bound)
        assert one.policy.plans == other.policy.plans
        assert one.info == other.info


def test_all_roots_are_tightened_when_asked():
    problem = load_problem("taxi", 0.1).with_start(0)
    near, far = (solve(problem, "dips", roots=r, target_gap=1e-3) for r in ("reachable", "all"))
    assert near.gap <= 1e-3
    assert far.gap <= 1e-3

    def widest(s):
        return ((s.upper_bound - s.lower_bound) / np.maximum(np.abs(s.upper_bound), 1e-9)).mean()

    assert widest(far) < 0.2 * widest(near)
    assert near.info["expanded"] < far.info["expanded"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"threads": 0}, "threads is 0"),
        ({"roots": "some"}, "roots is 'some'"),
        ({"target_gap": "small"}, "target_gap is 'small'"),
    ],
)
def test_bad_options_are_refused(options, said):
    with pytest.raises(SolverError, match=said):
        solve(load_problem("two-state", 0.25), "dips", **options)


def two_corridors(steps, sensing_cost, chance, discount, right, wrong, still) -> SensingMDP:
    """Half and half into one of two corridors; a right door at its end, a wrong one, and standing
    still have these costs.  Each step ahead is made with this chance."""
    S = 2 * steps + 2
    T, C = np.zeros((3, S, S)), np.full((S, 3), still)
    T[1:, range(S), range(S)], C[:, 0] = 1, 0.0
    T[0, range(S - 1), range(1, S)] = chance
    T[0, 0, [1, 1 + steps]], C[S - 1] = 0.5, 0.0
    T[:, S - 1] = np.eye(S)[S - 1]
    for corridor, end in enumerate([steps, 2 * steps]):
        T[:, end], C[end] = np.eye(S)[[end, S - 1, S - 1]], [still, wrong, wrong]
        C[end, 1 + corridor] = right
    return SensingMDP.from_arrays(T, C, discount, sensing_cost, start=0, terminal=[S - 1])


def test_a_large_price_of_looks_that_nobody_takes_blurs_no_bound():
    """Told-for-free takes the price off a look that was summed with it: rows that sum to 1 + 9e-15
    leave more of 1e14 after 200 steps than all that is ever paid."""
    problem, steps = two_corridors(200, 1e14, 1 + 9e-15, 0.9999, 1e-6, 1.0, 10.0), 200
    found = solve(problem, "dips", budget=30)
    plans = [Plan((0,) * steps + (1,), False)] * (problem.num_states - 1) + [Plan((), False)]
    blind = evaluate_fully(problem, PlanPolicy(problem, plans))
    assert found.lower <= blind.values[0] + blind.error[0]
    assert found.value <= blind.values[0] * (1 + 1e-9)


@pytest.mark.parametrize(("discount", "steps"), [(1.312e-81, 4), (1.9e-81, 4), (0.100033, 322)])
def test_what_underflow_takes_is_taken_off_the_bound(discount, steps):
    """The end is so far off that a cost of 1e100 there is a number of eleven units of the least
    there is: half a unit is a part of it that counts."""
    problem = two_corridors(steps, 1e100, 1.0, discount, 1e-90, 1e100, 1e100)
    found = solve(problem, "dips", budget=5, target_gap=0.0, depth=1)
    blind = Fraction(discount) ** steps * (Fraction(1e-90) + Fraction(1e100)) / 2
    assert Fraction(found.lower) <= blind


@pytest.mark.parametrize("large", [1.0, 1e3, 1e6, 1e9])
def test_one_large_number_hides_no_gap_where_all_roots_count(large):
    """State 2 is never reached from the others, whatever it costs there."""
    T = np.zeros((2, 3, 3))
    T[0] = [[0.5, 0.5, 0], [0.5, 0.5, 0], [0, 0, 1]]
    T[1] = [[0.9, 0.1, 0], [0.3, 0.7, 0], [0, 0, 1]]
    costs = [[0, 1.0], [1, 0.2], [large, large]]
    problem = SensingMDP.from_arrays(T, costs, 0.9, 0.3, start=0)
    found = solve(problem, "dips", budget=60, roots="all", target_gap=1e-7)
    best = solve(problem, "dips", budget=60, target_gap=1e-9)
    assert found.status == "solved"
    assert 0 <= found.gap <= 1e-7
    assert found.value == pytest.approx(best.value, rel=1e-7)
    gaps = (found.upper_bound - found.lower_bound) / found.upper_bound
    assert (gaps <= 3e-7).all()  # their mean is below the target
